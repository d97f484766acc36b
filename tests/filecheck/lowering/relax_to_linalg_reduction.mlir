// RUN: relax-opt %s -p relax-to-linalg | filecheck %s

// CHECK-LABEL: func.func @sum_f32(
// CHECK-SAME:    %[[X:[a-z0-9_]+]]: {{.*}}
// CHECK:         %[[V1:[a-z0-9_]+]] = arith.constant 0.000000e+00 : f32
// CHECK:         %[[V2:[a-z0-9_]+]] = tensor.empty() : tensor<3xf32>
// CHECK:         %[[V3:[a-z0-9_]+]] = linalg.fill ins(%[[V1]] : f32) outs(%[[V2]] : tensor<3xf32>) -> tensor<3xf32>
// CHECK:         %[[V4:[a-z0-9_]+]] = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel", "reduction"]} ins(%[[X]] : tensor<3x4xf32>) outs(%[[V3]] : tensor<3xf32>) {
// CHECK:         ^bb0(%[[V5:[a-z0-9_]+]]: f32, %[[V6:[a-z0-9_]+]]: f32):
// CHECK:         %[[V7:[a-z0-9_]+]] = arith.addf %[[V6]], %[[V5]] : f32
// CHECK:         linalg.yield %[[V7]] : f32
// CHECK:         } -> tensor<3xf32>
// CHECK:         func.return %[[V4]] : tensor<3xf32>
func.func @sum_f32(%x: tensor<3x4xf32>) -> tensor<3xf32> {
  %r = relax.sum %x {axis = array<i64: 1>} : (tensor<3x4xf32>) -> tensor<3xf32>
  return %r : tensor<3xf32>
}

// f16 is accumulated in f32 and divided before it is rounded, into the kept dim.
//
// CHECK-LABEL: func.func @mean(
// CHECK-SAME:    %[[A:[a-z0-9_]+]]: {{.*}}
// CHECK:         %[[V1:[a-z0-9_]+]] = arith.constant 0 : index
// CHECK:         %[[V2:[a-z0-9_]+]] = tensor.dim %[[A]], %[[V1]] : tensor<?x4xf16>
// CHECK:         %[[V3:[a-z0-9_]+]] = arith.index_cast %[[V2]] : index to i64
// CHECK:         %[[V4:[a-z0-9_]+]] = arith.sitofp %[[V3]] : i64 to f32
// CHECK:         %[[V5:[a-z0-9_]+]] = arith.constant 0.000000e+00 : f32
// CHECK:         %[[V6:[a-z0-9_]+]] = tensor.empty() : tensor<4xf32>
// CHECK:         %[[V7:[a-z0-9_]+]] = linalg.fill ins(%[[V5]] : f32) outs(%[[V6]] : tensor<4xf32>) -> tensor<4xf32>
// CHECK:         %[[V8:[a-z0-9_]+]] = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d1)>], iterator_types = ["reduction", "parallel"]} ins(%[[A]] : tensor<?x4xf16>) outs(%[[V7]] : tensor<4xf32>) {
// CHECK:         ^bb0(%[[V9:[a-z0-9_]+]]: f16, %[[V10:[a-z0-9_]+]]: f32):
// CHECK:         %[[V11:[a-z0-9_]+]] = arith.extf %[[V9]] : f16 to f32
// CHECK:         %[[V12:[a-z0-9_]+]] = arith.addf %[[V10]], %[[V11]] : f32
// CHECK:         linalg.yield %[[V12]] : f32
// CHECK:         } -> tensor<4xf32>
// CHECK:         %[[V13:[a-z0-9_]+]] = tensor.empty() : tensor<1x4xf16>
// CHECK:         %[[V14:[a-z0-9_]+]] = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%[[V8]] : tensor<4xf32>) outs(%[[V13]] : tensor<1x4xf16>) {
// CHECK:         ^bb0(%[[V15:[a-z0-9_]+]]: f32, %[[V16:[a-z0-9_]+]]: f16):
// CHECK:         %[[V17:[a-z0-9_]+]] = arith.divf %[[V15]], %[[V4]] : f32
// CHECK:         %[[V18:[a-z0-9_]+]] = arith.truncf %[[V17]] : f32 to f16
// CHECK:         linalg.yield %[[V18]] : f16
// CHECK:         } -> tensor<1x4xf16>
// CHECK:         func.return %[[V14]] : tensor<1x4xf16>
func.func @mean(%a: tensor<?x4xf16, #relax.sym<n>>) -> tensor<1x4xf16> {
  %r = relax.mean %a {axis = array<i64: 0>, keepdims = true} : (tensor<?x4xf16, #relax.sym<n>>) -> tensor<1x4xf16>
  return %r : tensor<1x4xf16>
}

// CHECK-LABEL: func.func @max_unsigned(
// CHECK-SAME:    %[[X:[a-z0-9_]+]]: {{.*}}
// CHECK:         %[[V1:[a-z0-9_]+]] = arith.constant 0 : i8
// CHECK:         %[[V2:[a-z0-9_]+]] = tensor.empty() : tensor<3xi8>
// CHECK:         %[[V3:[a-z0-9_]+]] = linalg.fill ins(%[[V1]] : i8) outs(%[[V2]] : tensor<3xi8>) -> tensor<3xi8>
// CHECK:         %[[V4:[a-z0-9_]+]] = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel", "reduction"]} ins(%[[X]] : tensor<3x4xi8>) outs(%[[V3]] : tensor<3xi8>) {
// CHECK:         ^bb0(%[[V5:[a-z0-9_]+]]: i8, %[[V6:[a-z0-9_]+]]: i8):
// CHECK:         %[[V7:[a-z0-9_]+]] = arith.maxui %[[V6]], %[[V5]] : i8
// CHECK:         linalg.yield %[[V7]] : i8
// CHECK:         } -> tensor<3xi8>
// CHECK:         func.return %[[V4]] : tensor<3xi8>
func.func @max_unsigned(%x: tensor<3x4xui8>) -> tensor<3xui8> {
  %r = relax.max %x {axis = array<i64: 1>} : (tensor<3x4xui8>) -> tensor<3xui8>
  return %r : tensor<3xui8>
}

// Two passes: the mean, then the squared deviations.
//
// CHECK-LABEL: func.func @std(
// CHECK-SAME:    %[[X:[a-z0-9_]+]]: {{.*}}
// CHECK:         %[[V1:[a-z0-9_]+]] = arith.constant 4.000000e+00 : f32
// CHECK:         %[[V2:[a-z0-9_]+]] = arith.constant 0.000000e+00 : f32
// CHECK:         %[[V3:[a-z0-9_]+]] = tensor.empty() : tensor<3xf32>
// CHECK:         %[[V4:[a-z0-9_]+]] = linalg.fill ins(%[[V2]] : f32) outs(%[[V3]] : tensor<3xf32>) -> tensor<3xf32>
// CHECK:         %[[V5:[a-z0-9_]+]] = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel", "reduction"]} ins(%[[X]] : tensor<3x4xf32>) outs(%[[V4]] : tensor<3xf32>) {
// CHECK:         ^bb0(%[[V6:[a-z0-9_]+]]: f32, %[[V7:[a-z0-9_]+]]: f32):
// CHECK:         %[[V8:[a-z0-9_]+]] = arith.addf %[[V7]], %[[V6]] : f32
// CHECK:         linalg.yield %[[V8]] : f32
// CHECK:         } -> tensor<3xf32>
// CHECK:         %[[V9:[a-z0-9_]+]] = tensor.empty() : tensor<3xf32>
// CHECK:         %[[V10:[a-z0-9_]+]] = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%[[V5]] : tensor<3xf32>) outs(%[[V9]] : tensor<3xf32>) {
// CHECK:         ^bb0(%[[V11:[a-z0-9_]+]]: f32, %[[V12:[a-z0-9_]+]]: f32):
// CHECK:         %[[V13:[a-z0-9_]+]] = arith.divf %[[V11]], %[[V1]] : f32
// CHECK:         linalg.yield %[[V13]] : f32
// CHECK:         } -> tensor<3xf32>
// CHECK:         %[[V14:[a-z0-9_]+]] = tensor.empty() : tensor<3xf32>
// CHECK:         %[[V15:[a-z0-9_]+]] = linalg.fill ins(%[[V2]] : f32) outs(%[[V14]] : tensor<3xf32>) -> tensor<3xf32>
// CHECK:         %[[V16:[a-z0-9_]+]] = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel", "reduction"]} ins(%[[X]], %[[V10]] : tensor<3x4xf32>, tensor<3xf32>) outs(%[[V15]] : tensor<3xf32>) {
// CHECK:         ^bb0(%[[V17:[a-z0-9_]+]]: f32, %[[V18:[a-z0-9_]+]]: f32, %[[V19:[a-z0-9_]+]]: f32):
// CHECK:         %[[V20:[a-z0-9_]+]] = arith.subf %[[V17]], %[[V18]] : f32
// CHECK:         %[[V21:[a-z0-9_]+]] = arith.mulf %[[V20]], %[[V20]] : f32
// CHECK:         %[[V22:[a-z0-9_]+]] = arith.addf %[[V19]], %[[V21]] : f32
// CHECK:         linalg.yield %[[V22]] : f32
// CHECK:         } -> tensor<3xf32>
// CHECK:         %[[V23:[a-z0-9_]+]] = tensor.empty() : tensor<3xf32>
// CHECK:         %[[V24:[a-z0-9_]+]] = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%[[V16]] : tensor<3xf32>) outs(%[[V23]] : tensor<3xf32>) {
// CHECK:         ^bb0(%[[V25:[a-z0-9_]+]]: f32, %[[V26:[a-z0-9_]+]]: f32):
// CHECK:         %[[V27:[a-z0-9_]+]] = arith.divf %[[V25]], %[[V1]] : f32
// CHECK:         %[[V28:[a-z0-9_]+]] = math.sqrt %[[V27]] : f32
// CHECK:         linalg.yield %[[V28]] : f32
// CHECK:         } -> tensor<3xf32>
// CHECK:         func.return %[[V24]] : tensor<3xf32>
func.func @std(%x: tensor<3x4xf32>) -> tensor<3xf32> {
  %r = relax.std %x {axis = array<i64: 1>} : (tensor<3x4xf32>) -> tensor<3xf32>
  return %r : tensor<3xf32>
}

// A value and its place: the first NaN is the largest; a dim that is found to be 0 yields 0.
//
// CHECK-LABEL: func.func @argmax(
// CHECK-SAME:    %[[A:[a-z0-9_]+]]: {{.*}}
// CHECK:         %[[V1:[a-z0-9_]+]] = arith.constant 1 : index
// CHECK:         %[[V2:[a-z0-9_]+]] = tensor.dim %[[A]], %[[V1]] : tensor<3x?xf32>
// CHECK:         %[[V3:[a-z0-9_]+]] = tensor.collapse_shape %[[A]] [[0 : i64, 1 : i64]] : tensor<3x?xf32> into tensor<?xf32>
// CHECK:         %[[V4:[a-z0-9_]+]] = arith.constant 0 : index
// CHECK:         %[[V5:[a-z0-9_]+]] = tensor.dim %[[V3]], %[[V4]] : tensor<?xf32>
// CHECK:         %[[V6:[a-z0-9_]+]] = arith.constant 0xff800000 : f32
// CHECK:         %[[V7:[a-z0-9_]+]] = tensor.empty() : tensor<f32>
// CHECK:         %[[V8:[a-z0-9_]+]] = linalg.fill ins(%[[V6]] : f32) outs(%[[V7]] : tensor<f32>) -> tensor<f32>
// CHECK:         %[[V9:[a-z0-9_]+]] = arith.constant 0 : i64
// CHECK:         %[[V10:[a-z0-9_]+]] = tensor.empty() : tensor<i64>
// CHECK:         %[[V11:[a-z0-9_]+]] = linalg.fill ins(%[[V9]] : i64) outs(%[[V10]] : tensor<i64>) -> tensor<i64>
// CHECK:         %[[V12:[a-z0-9_]+]], %[[V13:[a-z0-9_]+]] = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> ()>, affine_map<(d0) -> ()>], iterator_types = ["reduction"]} ins(%[[V3]] : tensor<?xf32>) outs(%[[V8]], %[[V11]] : tensor<f32>, tensor<i64>) {
// CHECK:         ^bb0(%[[V14:[a-z0-9_]+]]: f32, %[[V15:[a-z0-9_]+]]: f32, %[[V16:[a-z0-9_]+]]: i64):
// CHECK:         %[[V17:[a-z0-9_]+]] = arith.cmpf ugt, %[[V14]], %[[V15]] : f32
// CHECK:         %[[V18:[a-z0-9_]+]] = arith.cmpf ord, %[[V15]], %[[V15]] : f32
// CHECK:         %[[V19:[a-z0-9_]+]] = arith.andi %[[V17]], %[[V18]] : i1
// CHECK:         %[[V20:[a-z0-9_]+]] = linalg.index 0 : index
// CHECK:         %[[V21:[a-z0-9_]+]] = arith.index_cast %[[V20]] : index to i64
// CHECK:         %[[V22:[a-z0-9_]+]] = arith.select %[[V19]], %[[V14]], %[[V15]] : f32
// CHECK:         %[[V23:[a-z0-9_]+]] = arith.select %[[V19]], %[[V21]], %[[V16]] : i64
// CHECK:         linalg.yield %[[V22]], %[[V23]] : f32, i64
// CHECK:         } -> (tensor<f32>, tensor<i64>)
// CHECK:         func.return %[[V13]] : tensor<i64>
func.func @argmax(%a: tensor<3x?xf32, #relax.sym<n>>) -> tensor<i64> {
  %r = relax.argmax %a : (tensor<3x?xf32, #relax.sym<n>>) -> tensor<i64>
  return %r : tensor<i64>
}
