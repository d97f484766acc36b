// RUN: relax-opt %s -p relax-to-linalg | filecheck %s

// The bound of the size follows from the argument.
// CHECK-LABEL: func.func @nonzero(
// CHECK-SAME:    %[[X:[a-z0-9]+]]: tensor<?xf32>
// CHECK:         %[[N:.*]] = tensor.dim %[[X]]
// CHECK:         %[[COUNT:.*]], %[[FOUND:.*]] = scf.for
// CHECK:           arith.cmpf une
// CHECK:         %[[SIZE:.*]] = arith.minsi %[[COUNT]], %[[N]] : index
// CHECK-NEXT:    tensor.extract_slice %[[FOUND]][0, 0] [1, %[[SIZE]]] [1, 1]
func.func @nonzero(%x: tensor<?xf32, #relax.sym<n>>) -> tensor<1x?xi64> {
  %y = relax.nonzero %x : (tensor<?xf32, #relax.sym<n>>) -> tensor<1x?xi64>
  return %y : tensor<1x?xi64>
}

// A match_cast names the size.
// CHECK-LABEL: func.func @unique(
// CHECK:         scf.while
// CHECK:         tensor.extract_slice %{{.*}}[0] [%[[SIZE:[0-9]+]]] [1] : tensor<8xi64> to tensor<?xi64>
// CHECK:         tensor.empty(%[[SIZE]]) : tensor<?xi32>
// CHECK:         %[[Y:.*]] = linalg.generic
// CHECK:         %[[U:.*]] = tensor.dim %[[Y]]
// CHECK:         tensor.empty(%[[U]]) : tensor<?xi32>
func.func @unique(%x: tensor<8xi32>) -> tensor<?xi32, #relax.sym<u>> {
  %y = relax.unique %x : (tensor<8xi32>) -> tensor<?xi32>
  %z = relax.match_cast %y : (tensor<?xi32>) -> tensor<?xi32, #relax.sym<u>>
  %w = relax.add %z, %z : (tensor<?xi32, #relax.sym<u>>, tensor<?xi32, #relax.sym<u>>) -> tensor<?xi32, #relax.sym<u>>
  return %w : tensor<?xi32, #relax.sym<u>>
}
