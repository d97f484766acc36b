// RUN: relax-opt %s -p relax-to-linalg | filecheck %s

// An exclusive scan stores before it adds; f16 accumulates in f32. Along columns the running values are a row of them, and four rows
// are scanned together, the rest one by one.
//
// CHECK-LABEL: func.func @cumsum(
// CHECK-SAME:    %[[A:[a-z0-9_]+]]: {{.*}}
// CHECK:         %[[OUT:[a-z0-9_]+]] = tensor.empty({{.*}}) : tensor<?x4xf16>
// CHECK:         %[[TOTALS:[a-z0-9_]+]] = tensor.empty() : tensor<4xf32>
// CHECK:         %[[START:[a-z0-9_]+]] = linalg.fill {{.*}} outs(%[[TOTALS]] : tensor<4xf32>)
// CHECK:         %[[FOUR:[a-z0-9_]+]] = arith.constant 4 : index
// CHECK:         scf.for %[[I:[a-z0-9_]+]] = {{.*}} step %[[FOUR]] iter_args(%[[RESULT:[a-z0-9_]+]] = %{{.*}}, %[[SUMS:[a-z0-9_]+]] = %[[START]]) -> (tensor<?x4xf16>, tensor<4xf32>) {
// CHECK:           %[[SECOND:[a-z0-9_]+]] = arith.addi %[[I]], %{{.*}} : index
// CHECK-COUNT-4:   tensor.extract_slice %[[A]][
// CHECK-COUNT-4:   tensor.extract_slice %[[RESULT]][
// CHECK:           %[[NEXT:[a-z0-9_]+]], %[[ROW:[a-z0-9_]+]], %[[ROW2:[a-z0-9_]+]], %{{.*}}, %{{.*}} = linalg.generic {{.*}} outs(%[[SUMS]], {{.*}} : tensor<4xf32>, tensor<1x4xf16>, tensor<1x4xf16>, tensor<1x4xf16>, tensor<1x4xf16>) {
// CHECK:             %[[WIDE:[a-z0-9_]+]] = arith.extf %{{.*}} : f16 to f32
// CHECK-NEXT:        %[[ADDED:[a-z0-9_]+]] = arith.addf %[[SUM:[a-z0-9_]+]], %[[WIDE]] : f32
// CHECK-NEXT:        %[[STORED:[a-z0-9_]+]] = arith.truncf %[[SUM]] : f32 to f16
// CHECK:             %[[STORED2:[a-z0-9_]+]] = arith.truncf %[[ADDED]] : f32 to f16
// CHECK:             linalg.yield %{{.*}}, %[[STORED]], %[[STORED2]], %{{.*}}, %{{.*}} : f32, f16, f16, f16, f16
// CHECK:           %[[FIRST:[a-z0-9_]+]] = tensor.insert_slice %[[ROW]] into %[[RESULT]][%[[I]], 0] [1, 4] [1, 1]
// CHECK:           tensor.insert_slice %[[ROW2]] into %[[FIRST]][%[[SECOND]], 0] [1, 4] [1, 1]
// CHECK:         scf.for
// CHECK:           linalg.generic {{.*}} outs(%{{.*}}, %{{.*}} : tensor<4xf32>, tensor<1x4xf16>) {
func.func @cumsum(%a: tensor<?x4xf16, #relax.sym<n>>) -> tensor<?x4xf16, #relax.sym<n>> {
  %r = relax.cumsum %a {axis = 0 : i64, exclusive = true} : (tensor<?x4xf16, #relax.sym<n>>) -> tensor<?x4xf16, #relax.sym<n>>
  return %r : tensor<?x4xf16, #relax.sym<n>>
}

// Rows are scanned four at a time, the rest one by one.
//
// CHECK-LABEL: func.func @cumsum_rows(
// CHECK-SAME:    %[[A:[a-z0-9_]+]]: {{.*}}
// CHECK:         %[[FOUR:[a-z0-9_]+]] = arith.constant 4 : index
// CHECK:         scf.for %[[R:[a-z0-9_]+]] = %{{.*}} to %{{.*}} step %[[FOUR]] {{.*}}
// CHECK:           scf.for {{.*}} -> (f32, f32, f32, f32, tensor<7x?xf32>)
// CHECK:             tensor.extract %[[A]][%[[R]], %
// CHECK-COUNT-4:     arith.addf
// CHECK:         scf.for
// CHECK:           scf.for {{.*}} -> (f32, tensor<7x?xf32>)
func.func @cumsum_rows(%a: tensor<7x?xf32, #relax.sym<n>>) -> tensor<7x?xf32, #relax.sym<n>> {
  %r = relax.cumsum %a {axis = 1 : i64} : (tensor<7x?xf32, #relax.sym<n>>) -> tensor<7x?xf32, #relax.sym<n>>
  return %r : tensor<7x?xf32, #relax.sym<n>>
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
