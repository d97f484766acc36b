// RUN: relax-opt %s -p relax-to-linalg | filecheck %s
// RUN: relax-opt %s -p relax-to-linalg | mlir-opt-22 -o /dev/null

// A size that may be negative is asserted not to be, once, before anything is made of it.
// CHECK-LABEL: func.func @negative(
// CHECK:         %[[SIZE:.*]] = arith.subi %{{.*}}, %{{.*}} : index
// CHECK:         %[[HOLDS:.*]] = arith.cmpi sge, %[[SIZE]], %{{.*}} : index
// CHECK-NEXT:    cf.assert %[[HOLDS]], "{{.*}}relax_to_linalg_sizes.mlir:{{[0-9]+}}:3: error: relax.ones: the size n - 3 of the result is negative"
// CHECK:         tensor.empty(%[[SIZE]])
// CHECK-NOT:     cf.assert
// CHECK:         return
func.func @negative(%x: tensor<?xf32, #relax.sym<n>>) -> tensor<?xf32, #relax.sym<n - 3>> {
  %s = relax.shape : () -> !relax.shape<[n - 3]>
  %y = relax.ones %s {dtype = f32} : (!relax.shape<[n - 3]>) -> tensor<?xf32, #relax.sym<n - 3>>
  %z = relax.tanh %y : (tensor<?xf32, #relax.sym<n - 3>>) -> tensor<?xf32, #relax.sym<n - 3>>
  return %z : tensor<?xf32, #relax.sym<n - 3>>
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
