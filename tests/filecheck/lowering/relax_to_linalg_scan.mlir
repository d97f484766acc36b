// RUN: relax-opt %s -p relax-to-linalg | filecheck %s

// An exclusive scan stores before it adds; f16 accumulates in f32.
//
// CHECK-LABEL: func.func @cumsum(
// CHECK-SAME:    %[[A:[a-z0-9_]+]]: {{.*}}
// CHECK:         %[[V1:[a-z0-9_]+]] = arith.constant 0 : index
// CHECK:         %[[V2:[a-z0-9_]+]] = tensor.dim %[[A]], %[[V1]] : tensor<?x4xf16>
// CHECK:         %[[V3:[a-z0-9_]+]] = tensor.empty(%[[V2]]) : tensor<?x4xf16>
// CHECK:         %[[V4:[a-z0-9_]+]] = arith.constant 4 : index
// CHECK:         %[[V5:[a-z0-9_]+]] = arith.constant 1 : index
// CHECK:         %[[V6:[a-z0-9_]+]] = scf.for %[[V7:[a-z0-9_]+]] = %[[V1]] to %[[V4]] step %[[V5]] iter_args(%[[V8:[a-z0-9_]+]] = %[[V3]]) -> (tensor<?x4xf16>) {
// CHECK:         %[[V9:[a-z0-9_]+]] = arith.constant 0.000000e+00 : f32
// CHECK:         %[[V10:[a-z0-9_]+]] = arith.constant 0 : index
// CHECK:         %[[V11:[a-z0-9_]+]] = arith.constant 1 : index
// CHECK:         %[[V12:[a-z0-9_]+]], %[[V13:[a-z0-9_]+]] = scf.for %[[V14:[a-z0-9_]+]] = %[[V10]] to %[[V2]] step %[[V11]] iter_args(%[[V15:[a-z0-9_]+]] = %[[V9]], %[[V16:[a-z0-9_]+]] = %[[V8]]) -> (f32, tensor<?x4xf16>) {
// CHECK:         %[[V17:[a-z0-9_]+]] = tensor.extract %[[A]][%[[V14]], %[[V7]]] : tensor<?x4xf16>
// CHECK:         %[[V18:[a-z0-9_]+]] = arith.extf %[[V17]] : f16 to f32
// CHECK:         %[[V19:[a-z0-9_]+]] = arith.addf %[[V15]], %[[V18]] : f32
// CHECK:         %[[V20:[a-z0-9_]+]] = arith.truncf %[[V15]] : f32 to f16
// CHECK:         %[[V21:[a-z0-9_]+]] = tensor.insert %[[V20]] into %[[V16]][%[[V14]], %[[V7]]] : tensor<?x4xf16>
// CHECK:         scf.yield %[[V19]], %[[V21]] : f32, tensor<?x4xf16>
// CHECK:         scf.yield %[[V13]] : tensor<?x4xf16>
// CHECK:         func.return %[[V6]] : tensor<?x4xf16>
func.func @cumsum(%a: tensor<?x4xf16, #relax.sym<n>>) -> tensor<?x4xf16, #relax.sym<n>> {
  %r = relax.cumsum %a {axis = 0 : i64, exclusive = true} : (tensor<?x4xf16, #relax.sym<n>>) -> tensor<?x4xf16, #relax.sym<n>>
  return %r : tensor<?x4xf16, #relax.sym<n>>
}

// A flattened scan runs over all dims.
//
// CHECK-LABEL: func.func @cumprod_flat(
// CHECK-SAME:    %[[X:[a-z0-9_]+]]: {{.*}}
// CHECK:         %[[V1:[a-z0-9_]+]] = tensor.empty() : tensor<6xi32>
// CHECK:         %[[V2:[a-z0-9_]+]] = arith.constant 1 : i32
// CHECK:         %[[V3:[a-z0-9_]+]] = arith.constant 0 : index
// CHECK:         %[[V4:[a-z0-9_]+]] = arith.constant 2 : index
// CHECK:         %[[V5:[a-z0-9_]+]] = arith.constant 1 : index
// CHECK:         %[[V6:[a-z0-9_]+]], %[[V7:[a-z0-9_]+]] = scf.for %[[V8:[a-z0-9_]+]] = %[[V3]] to %[[V4]] step %[[V5]] iter_args(%[[V9:[a-z0-9_]+]] = %[[V2]], %[[V10:[a-z0-9_]+]] = %[[V1]]) -> (i32, tensor<6xi32>) {
// CHECK:         %[[V11:[a-z0-9_]+]] = arith.constant 0 : index
// CHECK:         %[[V12:[a-z0-9_]+]] = arith.constant 3 : index
// CHECK:         %[[V13:[a-z0-9_]+]] = arith.constant 1 : index
// CHECK:         %[[V14:[a-z0-9_]+]], %[[V15:[a-z0-9_]+]] = scf.for %[[V16:[a-z0-9_]+]] = %[[V11]] to %[[V12]] step %[[V13]] iter_args(%[[V17:[a-z0-9_]+]] = %[[V9]], %[[V18:[a-z0-9_]+]] = %[[V10]]) -> (i32, tensor<6xi32>) {
// CHECK:         %[[V19:[a-z0-9_]+]] = arith.constant 3 : index
// CHECK:         %[[V20:[a-z0-9_]+]] = arith.muli %[[V8]], %[[V19]] : index
// CHECK:         %[[V21:[a-z0-9_]+]] = arith.addi %[[V20]], %[[V16]] : index
// CHECK:         %[[V22:[a-z0-9_]+]] = tensor.extract %[[X]][%[[V8]], %[[V16]]] : tensor<2x3xi8>
// CHECK:         %[[V23:[a-z0-9_]+]] = arith.extsi %[[V22]] : i8 to i32
// CHECK:         %[[V24:[a-z0-9_]+]] = arith.muli %[[V17]], %[[V23]] : i32
// CHECK:         %[[V25:[a-z0-9_]+]] = tensor.insert %[[V24]] into %[[V18]][%[[V21]]] : tensor<6xi32>
// CHECK:         scf.yield %[[V24]], %[[V25]] : i32, tensor<6xi32>
// CHECK:         scf.yield %[[V14]], %[[V15]] : i32, tensor<6xi32>
// CHECK:         func.return %[[V7]] : tensor<6xi32>
func.func @cumprod_flat(%x: tensor<2x3xi8>) -> tensor<6xi32> {
  %r = relax.cumprod %x {dtype = i32} : (tensor<2x3xi8>) -> tensor<6xi32>
  return %r : tensor<6xi32>
}
