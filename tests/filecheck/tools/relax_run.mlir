// RUN: relax-run %s --dim n=3 --input x=ones --input w=2 --check --time 2 --out %t --backend interpret | filecheck %s
// RUN: %python -c "import numpy as np; np.testing.assert_array_equal(np.load('%t/result_0.npy'), np.full((3, 4), 16, 'f'))"
// RUN: not relax-run %s --dim m=3 --backend interpret 2>&1 | filecheck %s --check-prefix=ERROR

// CHECK:      relax_run.mlir: @main with n = 3
// CHECK-NEXT: argument type from min mean max
// CHECK-NEXT: x tensor<3x8xf32> ones 1 1 1
// CHECK-NEXT: fc.weight tensor<8x4xf32> 2 2 2 2
// CHECK-NEXT: result type min mean max
// CHECK-NEXT: result 0 tensor<3x4xf32> 16 16 16
// CHECK:      time of 2 calls: median
// CHECK-NEXT: check: result 0 agrees with the interpreter: error 0, tolerance 0.0001

// ERROR: relax_run.mlir: error: main has no symbolic dim 'm'; it has n
func.func @main(%x: tensor<?x8xf32, #relax.sym<n>>, %w: tensor<8x4xf32> {relax.name = "fc.weight"})
    -> tensor<?x4xf32, #relax.sym<n>> attributes {relax.num_input = 1 : i64} {
  %y = relax.matmul %x, %w : (tensor<?x8xf32, #relax.sym<n>>, tensor<8x4xf32>) -> tensor<?x4xf32, #relax.sym<n>>
  return %y : tensor<?x4xf32, #relax.sym<n>>
}
