// RUN: relax-opt %s | filecheck %s
// RUN: relax-opt %s -p relax-to-linalg | filecheck %s --check-prefix=LINALG
// RUN: relax-opt %s -p relax-remove-unused-outputs | filecheck %s --check-prefix=UNUSED

// Fields of tuples are counted one by one; at the linalg stage every size of a shape is a result.
// CHECK: func.func @tuple(%x: tensor<4xf32> {relax.donate = 2 : i64})
// LINALG: func.func @tuple(%x: tensor<4xf32> {relax.donate = 3 : i64}) -> (index, index, tensor<4xf32>, tensor<4xf32>)
func.func @tuple(%x: tensor<4xf32> {relax.donate = 2 : i64}) -> tuple<!relax.shape<[1, 2]>, tensor<4xf32>, tensor<4xf32>> {
  %s = relax.shape : () -> !relax.shape<[1, 2]>
  %y = relax.add %x, %x : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %t = relax.tuple %s, %y, %x : (!relax.shape<[1, 2]>, tensor<4xf32>, tensor<4xf32>) -> tuple<!relax.shape<[1, 2]>, tensor<4xf32>, tensor<4xf32>>
  return %t : tuple<!relax.shape<[1, 2]>, tensor<4xf32>, tensor<4xf32>>
}

// A result that nobody reads is gone, and with it what was donated to it.
// UNUSED: func.func private @both(%x: tensor<4xf32>, %y: tensor<4xf32> {relax.donate = 0 : i64}) -> tensor<4xf32>
func.func private @both(%x: tensor<4xf32> {relax.donate = 0 : i64}, %y: tensor<4xf32> {relax.donate = 1 : i64}) -> (tensor<4xf32>, tensor<4xf32>) {
  return %x, %y : tensor<4xf32>, tensor<4xf32>
}

func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0, %1 = call @both(%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  return %1 : tensor<4xf32>
}
