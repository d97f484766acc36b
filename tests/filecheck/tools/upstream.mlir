// REQUIRES: mlir-opt
// RUN: relax-opt %s --print-op-generic | mlir-opt | filecheck %s

// CHECK:      func.func @generic_form_is_upstream_mlir(%[[X:.*]]: tensor<4xf32>)
// CHECK-NEXT:   %[[Y:.*]] = arith.addf %[[X]], %[[X]] : tensor<4xf32>
func.func @generic_form_is_upstream_mlir(%x: tensor<4xf32>) -> tensor<4xf32> {
  %y = arith.addf %x, %x : tensor<4xf32>
  return %y : tensor<4xf32>
}
