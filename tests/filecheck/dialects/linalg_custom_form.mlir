// REQUIRES: mlir-opt
// RUN: relax-opt %s --print-op-generic | filecheck %s
// RUN: relax-opt %s --print-op-generic | mlir-opt --linalg-generalize-named-ops | filecheck %s --check-prefix UPSTREAM

// Named ops in upstream's custom form get the scalar region that upstream gives them, and upstream reads what is printed.
// CHECK-LABEL: sym_name = "contractions"
// CHECK: "linalg.batch_matmul"(%[[A:.*]], %[[B:.*]], %{{.*}}) <{operandSegmentSizes = array<i32: 2, 1>}> ({
// CHECK-NEXT: ^bb0(%[[X:.*]]: f32, %[[Y:.*]]: f32, %[[ACC:.*]]: f32):
// CHECK-NEXT: %[[P:.*]] = "arith.mulf"(%[[X]], %[[Y]])
// CHECK-NEXT: %[[S:.*]] = "arith.addf"(%[[ACC]], %[[P]])
// CHECK-NEXT: "linalg.yield"(%[[S]])
// UPSTREAM-LABEL: func.func @contractions(
// UPSTREAM-COUNT-3: linalg.generic
// UPSTREAM: arith.extui
func.func @contractions(%a: tensor<2x3x4xf32>, %b: tensor<2x4x5xf32>, %c: tensor<2x3x5xf32>, %x: tensor<3x4xf32>, %y: tensor<3x4xf32>,
    %o: tensor<3x3xf32>, %q: tensor<3x4xi8>, %r: tensor<4x3xi8>, %s: tensor<3x3xi32>)
    -> (tensor<2x3x5xf32>, tensor<3x3xf32>, tensor<3x3xi32>) {
  %0 = linalg.batch_matmul ins(%a, %b : tensor<2x3x4xf32>, tensor<2x4x5xf32>) outs(%c : tensor<2x3x5xf32>) -> tensor<2x3x5xf32>
  %1 = linalg.matmul indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>]
    ins(%x, %y : tensor<3x4xf32>, tensor<3x4xf32>) outs(%o : tensor<3x3xf32>) -> tensor<3x3xf32>
  %2 = linalg.matmul {cast = #linalg.type_fn<cast_unsigned>} ins(%q, %r : tensor<3x4xi8>, tensor<4x3xi8>) outs(%s : tensor<3x3xi32>) -> tensor<3x3xi32>
  return %0, %1, %2 : tensor<2x3x5xf32>, tensor<3x3xf32>, tensor<3x3xi32>
}

// CHECK-LABEL: sym_name = "windows"
// CHECK: "linalg.conv_2d_nchw_fchw"
// CHECK-SAME: strides = dense<2> : vector<2xi64>
// CHECK: "linalg.pooling_nhwc_max_unsigned"
// CHECK: "arith.maxui"
// UPSTREAM-LABEL: func.func @windows(
func.func @windows(%x: tensor<1x3x7x7xf32>, %w: tensor<4x3x3x3xf32>, %o: tensor<1x4x3x3xf32>,
    %i: tensor<1x4x4x3xi8>, %p: tensor<2x2xi8>, %m: tensor<1x3x3x3xi8>) -> (tensor<1x4x3x3xf32>, tensor<1x3x3x3xi8>) {
  %0 = linalg.conv_2d_nchw_fchw {dilations = dense<1> : vector<2xi64>, strides = dense<2> : vector<2xi64>}
    ins(%x, %w : tensor<1x3x7x7xf32>, tensor<4x3x3x3xf32>) outs(%o : tensor<1x4x3x3xf32>) -> tensor<1x4x3x3xf32>
  %1 = linalg.pooling_nhwc_max_unsigned {dilations = dense<1> : vector<2xi64>, strides = dense<1> : vector<2xi64>}
    ins(%i, %p : tensor<1x4x4x3xi8>, tensor<2x2xi8>) outs(%m : tensor<1x3x3x3xi8>) -> tensor<1x3x3x3xi8>
  return %0, %1 : tensor<1x4x3x3xf32>, tensor<1x3x3x3xi8>
}

// CHECK-LABEL: sym_name = "short_regions"
// CHECK: "linalg.reduce"
// CHECK: ^bb0(%[[IN:.*]]: f32, %[[INIT:.*]]: f32):
// CHECK-NEXT: "arith.subf"(%[[INIT]], %[[IN]])
// CHECK: "linalg.map"
// CHECK: "arith.mulf"
// CHECK: "linalg.elementwise"
// CHECK: "math.tanh"
// CHECK: "linalg.softmax"(%{{.*}}, %{{.*}}) <{dimension = 1 : i64}>
// UPSTREAM-LABEL: func.func @short_regions(
func.func @short_regions(%x: tensor<3x4xf32>, %y: tensor<3x4xf32>, %v: tensor<4xf32>)
    -> (tensor<4xf32>, tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4xf32>) {
  %0 = linalg.reduce { arith.subf } ins(%x : tensor<3x4xf32>) outs(%v : tensor<4xf32>) dimensions = [0]
  %1 = linalg.map { arith.mulf } ins(%x, %y : tensor<3x4xf32>, tensor<3x4xf32>) outs(%y : tensor<3x4xf32>)
  %2 = linalg.elementwise kind=#linalg.elementwise_kind<tanh> ins(%x : tensor<3x4xf32>) outs(%y : tensor<3x4xf32>) -> tensor<3x4xf32>
  %3 = linalg.softmax dimension(1) ins(%x : tensor<3x4xf32>) outs(%y : tensor<3x4xf32>) -> tensor<3x4xf32>
  return %0, %1, %2, %3 : tensor<4xf32>, tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4xf32>
}

// CHECK-LABEL: sym_name = "several_results"
// CHECK: -> (tensor<3xf32>, tensor<3xf32>)
// UPSTREAM-LABEL: func.func @several_results(
func.func @several_results(%x: tensor<3xf32>, %y: tensor<3xf32>) -> tensor<3xf32> {
  %0, %1 = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
    outs(%x, %y : tensor<3xf32>, tensor<3xf32>) {
  ^bb0(%a: f32, %b: f32):
    linalg.yield %b, %a : f32, f32
  } -> (tensor<3xf32>, tensor<3xf32>)
  return %1 : tensor<3xf32>
}
