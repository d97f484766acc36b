// RUN: relax-opt %s -p relax-to-linalg | filecheck %s
// RUN: relax-opt %s -p relax-to-linalg | mlir-opt-22 -o /dev/null

// What shape rules leave open is asserted, once, before anything is computed: that a size is not negative,
// CHECK-LABEL: func.func @negative(
// CHECK:         %[[SIZE:.*]] = arith.subi %{{.*}}, %{{.*}} : index
// CHECK:         %[[HOLDS:.*]] = arith.cmpi sge, %[[SIZE]], %{{.*}} : index
// CHECK-NEXT:    cf.assert %[[HOLDS]], "{{.*}}relax_to_linalg_sizes.mlir:{{[0-9]+}}:3: error: relax.ones: expected n - 3 >= 0"
// CHECK:         tensor.empty(%[[SIZE]])
// CHECK-NOT:     cf.assert
// CHECK:         return
func.func @negative(%x: tensor<?xf32, #relax.sym<n>>) -> tensor<?xf32, #relax.sym<n - 3>> {
  %s = relax.shape : () -> !relax.shape<[n - 3]>
  %y = relax.ones %s {dtype = f32} : (!relax.shape<[n - 3]>) -> tensor<?xf32, #relax.sym<n - 3>>
  %z = relax.tanh %y : (tensor<?xf32, #relax.sym<n - 3>>) -> tensor<?xf32, #relax.sym<n - 3>>
  return %z : tensor<?xf32, #relax.sym<n - 3>>
}

// that sizes are equal,
// CHECK-LABEL: func.func @equal(
// CHECK-DAG:     %[[K:.*]] = tensor.dim %{{.*}}, %{{.*}} : tensor<2x?xf32>
// CHECK-DAG:     %[[M:.*]] = tensor.dim %{{.*}}, %{{.*}} : tensor<?x3xf32>
// CHECK:         %[[SAME:.*]] = arith.cmpi eq, %[[K]], %[[M]] : index
// CHECK-NEXT:    cf.assert %[[SAME]], "{{.*}}error: relax.matmul: expected k == m"
func.func @equal(%x: tensor<2x?xf32, #relax.sym<k>>, %w: tensor<?x3xf32, #relax.sym<m>>) -> tensor<2x3xf32> {
  %y = relax.matmul %x, %w : (tensor<2x?xf32, #relax.sym<k>>, tensor<?x3xf32, #relax.sym<m>>) -> tensor<2x3xf32>
  return %y : tensor<2x3xf32>
}

// and that a window fits.
// CHECK-LABEL: func.func @window(
// CHECK:         cf.assert %{{.*}}, "{{.*}}error: relax.nn.max_pool1d: expected w >= 3"
func.func @window(%x: tensor<1x2x?xf32, #relax.sym<w>>) -> tensor<1x2x?xf32, #relax.sym<w - 2>> {
  %y = relax.nn.max_pool1d %x {pool_size = array<i64: 3>} : (tensor<1x2x?xf32, #relax.sym<w>>) -> tensor<1x2x?xf32, #relax.sym<w - 2>>
  return %y : tensor<1x2x?xf32, #relax.sym<w - 2>>
}

// What is asserted in a branch holds only there.
// CHECK-LABEL: func.func @branches(
// CHECK:         scf.if
// CHECK:         cf.assert
// CHECK:         else
// CHECK:         cf.assert
// CHECK:         }
// CHECK-NEXT:    return
func.func @branches(%x: tensor<?xf32, #relax.sym<n>>, %c: i1) -> tensor<?xf32, #relax.sym<n - 3>> {
  %s = relax.shape : () -> !relax.shape<[n - 3]>
  %r = scf.if %c -> (tensor<?xf32, #relax.sym<n - 3>>) {
    %y = relax.ones %s {dtype = f32} : (!relax.shape<[n - 3]>) -> tensor<?xf32, #relax.sym<n - 3>>
    scf.yield %y : tensor<?xf32, #relax.sym<n - 3>>
  } else {
    %y = relax.zeros %s {dtype = f32} : (!relax.shape<[n - 3]>) -> tensor<?xf32, #relax.sym<n - 3>>
    scf.yield %y : tensor<?xf32, #relax.sym<n - 3>>
  }
  return %r : tensor<?xf32, #relax.sym<n - 3>>
}

// One that cannot be is not.
// CHECK-LABEL: func.func @positive(
// CHECK-NOT:     cf.assert
// CHECK:         return
func.func @positive(%x: tensor<?xf32, #relax.sym<n>>) -> tensor<?xf32, #relax.sym<2 * n + 1>> {
  %s = relax.shape : () -> !relax.shape<[2 * n + 1]>
  %y = relax.ones %s {dtype = f32} : (!relax.shape<[2 * n + 1]>) -> tensor<?xf32, #relax.sym<2 * n + 1>>
  return %y : tensor<?xf32, #relax.sym<2 * n + 1>>
}
