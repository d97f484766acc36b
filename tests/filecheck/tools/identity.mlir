// RUN: relax-opt %s | filecheck %s

// CHECK:      func.func @identity(%[[X:[a-z0-9]+]]: tensor<4xf32>)
// CHECK-NEXT:   return %[[X]] : tensor<4xf32>
func.func @identity(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}
