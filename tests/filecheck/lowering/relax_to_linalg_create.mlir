// RUN: relax-opt %s -p relax-to-linalg | filecheck %s

// The size is an expression of the symbol.
//
// CHECK-LABEL: func.func @zeros(
// CHECK-SAME:    %[[S:[a-z0-9_]+]]: {{.*}}
// CHECK:         %[[V1:[a-z0-9_]+]] = arith.constant 2 : index
// CHECK:         %[[V2:[a-z0-9_]+]] = arith.muli %[[V1]], %[[S]] : index
// CHECK:         %[[V3:[a-z0-9_]+]] = arith.constant 4 : index
// CHECK:         %[[V4:[a-z0-9_]+]] = arith.constant 0.000000e+00 : f32
// CHECK:         %[[V5:[a-z0-9_]+]] = tensor.empty(%[[V2]]) : tensor<?x4xf32>
// CHECK:         %[[V6:[a-z0-9_]+]] = linalg.fill ins(%[[V4]] : f32) outs(%[[V5]] : tensor<?x4xf32>) -> tensor<?x4xf32>
// CHECK:         func.return %[[V6]] : tensor<?x4xf32>
func.func @zeros(%s: !relax.shape<[n]>) -> tensor<?x4xf32, #relax.sym<2 * n>> {
  %d = relax.shape : () -> !relax.shape<[2 * n, 4]>
  %r = relax.zeros %d {dtype = f32} : (!relax.shape<[2 * n, 4]>) -> tensor<?x4xf32, #relax.sym<2 * n>>
  return %r : tensor<?x4xf32, #relax.sym<2 * n>>
}

// CHECK-LABEL: func.func @arange(
// CHECK-SAME:    %[[S:[a-z0-9_]+]]: {{.*}}
// CHECK:         %[[V1:[a-z0-9_]+]] = arith.constant 0 : index
// CHECK:         %[[V2:[a-z0-9_]+]] = arith.constant 1 : index
// CHECK:         %[[V3:[a-z0-9_]+]] = arith.constant 0 : i64
// CHECK:         %[[V4:[a-z0-9_]+]] = tensor.empty(%[[S]]) : tensor<?xi32>
// CHECK:         %[[V5:[a-z0-9_]+]] = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} outs(%[[V4]] : tensor<?xi32>) {
// CHECK:         ^bb0(%[[V6:[a-z0-9_]+]]: i32):
// CHECK:         %[[V7:[a-z0-9_]+]] = linalg.index 0 : index
// CHECK:         %[[V8:[a-z0-9_]+]] = arith.index_cast %[[V7]] : index to i64
// CHECK:         %[[V9:[a-z0-9_]+]] = arith.constant 1 : i64
// CHECK:         %[[V10:[a-z0-9_]+]] = arith.muli %[[V8]], %[[V9]] : i64
// CHECK:         %[[V11:[a-z0-9_]+]] = arith.addi %[[V3]], %[[V10]] : i64
// CHECK:         %[[V12:[a-z0-9_]+]] = arith.trunci %[[V11]] : i64 to i32
// CHECK:         linalg.yield %[[V12]] : i32
// CHECK:         } -> tensor<?xi32>
// CHECK:         func.return %[[V5]] : tensor<?xi32>
func.func @arange(%s: !relax.shape<[n]>) -> tensor<?xi32, #relax.sym<n>> {
  %d = relax.shape : () -> !relax.shape<[0, n, 1]>
  %r = relax.arange %d {dtype = i32} : (!relax.shape<[0, n, 1]>) -> tensor<?xi32, #relax.sym<n>>
  return %r : tensor<?xi32, #relax.sym<n>>
}

// CHECK-LABEL: func.func @tril(
// CHECK-SAME:    %[[X:[a-z0-9_]+]]: {{.*}}
// CHECK:         %[[V1:[a-z0-9_]+]] = tensor.empty() : tensor<2x3x3xf32>
// CHECK:         %[[V2:[a-z0-9_]+]] = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%[[X]] : tensor<2x3x3xf32>) outs(%[[V1]] : tensor<2x3x3xf32>) {
// CHECK:         ^bb0(%[[V3:[a-z0-9_]+]]: f32, %[[V4:[a-z0-9_]+]]: f32):
// CHECK:         %[[V5:[a-z0-9_]+]] = linalg.index 1 : index
// CHECK:         %[[V6:[a-z0-9_]+]] = linalg.index 2 : index
// CHECK:         %[[V7:[a-z0-9_]+]] = arith.constant 1 : index
// CHECK:         %[[V8:[a-z0-9_]+]] = arith.addi %[[V5]], %[[V7]] : index
// CHECK:         %[[V9:[a-z0-9_]+]] = arith.cmpi sle, %[[V6]], %[[V8]] : index
// CHECK:         %[[V10:[a-z0-9_]+]] = arith.constant 0.000000e+00 : f32
// CHECK:         %[[V11:[a-z0-9_]+]] = arith.select %[[V9]], %[[V3]], %[[V10]] : f32
// CHECK:         linalg.yield %[[V11]] : f32
// CHECK:         } -> tensor<2x3x3xf32>
// CHECK:         func.return %[[V2]] : tensor<2x3x3xf32>
func.func @tril(%x: tensor<2x3x3xf32>) -> tensor<2x3x3xf32> {
  %r = relax.tril %x {k = 1 : i64} : (tensor<2x3x3xf32>) -> tensor<2x3x3xf32>
  return %r : tensor<2x3x3xf32>
}

// CHECK-LABEL: func.func @full(
// CHECK-SAME:    %[[V:[a-z0-9_]+]]: {{.*}}
// CHECK:         %[[V1:[a-z0-9_]+]] = arith.constant 2 : index
// CHECK:         %[[V2:[a-z0-9_]+]] = arith.constant 3 : index
// CHECK:         %[[V3:[a-z0-9_]+]] = tensor.empty() : tensor<2x3xf32>
// CHECK:         %[[V4:[a-z0-9_]+]] = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> ()>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%[[V]] : tensor<i32>) outs(%[[V3]] : tensor<2x3xf32>) {
// CHECK:         ^bb0(%[[V5:[a-z0-9_]+]]: i32, %[[V6:[a-z0-9_]+]]: f32):
// CHECK:         %[[V7:[a-z0-9_]+]] = arith.sitofp %[[V5]] : i32 to f32
// CHECK:         linalg.yield %[[V7]] : f32
// CHECK:         } -> tensor<2x3xf32>
// CHECK:         func.return %[[V4]] : tensor<2x3xf32>
func.func @full(%v: tensor<i32>) -> tensor<2x3xf32> {
  %d = relax.shape : () -> !relax.shape<[2, 3]>
  %r = relax.full %d, %v {dtype = f32} : (!relax.shape<[2, 3]>, tensor<i32>) -> tensor<2x3xf32>
  return %r : tensor<2x3xf32>
}
