// RUN: relax-opt %s -p check-bounds --split-input-file | filecheck %s

func.func @element(%x: tensor<?x4xf32>, %i: index) -> f32 {
  %c2 = arith.constant 2 : index
  %v = tensor.extract %x[%i, %c2] : tensor<?x4xf32>
  return %v : f32
}
// CHECK-LABEL: func.func @element
// CHECK:         %[[D:.*]] = tensor.dim %x
// CHECK:         %[[INSIDE:.*]] = arith.cmpi ult, %i, %[[D]] : index
// CHECK-NEXT:    cf.assert %[[INSIDE]], "{{.*}}tensor.extract: index 0 is out of bounds"
// CHECK-NEXT:    tensor.extract %x[%i,

// -----

func.func @loop(%x: tensor<4xf32>) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %r = scf.for %i = %c0 to %c4 step %c1 iter_args(%t = %x) -> (tensor<4xf32>) {
    %v = tensor.extract %t[%i] : tensor<4xf32>
    %s = arith.addf %v, %v : f32
    %u = tensor.insert %s into %t[%i] : tensor<4xf32>
    scf.yield %u : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}
// CHECK-LABEL: func.func @loop
// CHECK-NOT:     cf.assert

// -----

func.func @slice(%x: tensor<?xf32>, %n: index) -> tensor<?xf32> {
  %v = tensor.extract_slice %x[1] [%n] [1] : tensor<?xf32> to tensor<?xf32>
  return %v : tensor<?xf32>
}
// CHECK-LABEL: func.func @slice
// CHECK:         cf.assert {{.*}}, "{{.*}}tensor.extract_slice: the slice of dim 0 is out of bounds"
// CHECK:         cf.assert {{.*}}, "{{.*}}tensor.extract_slice: the slice of dim 0 is out of bounds"
// CHECK:         tensor.extract_slice

// -----

func.func private @kernel(%x: tensor<?xf32>, %i: index) -> f32 attributes {relax.primitive} {
  %v = tensor.extract %x[%i] : tensor<?xf32>
  return %v : f32
}
// CHECK-LABEL: func.func private @kernel
// CHECK:         cf.assert {{.*}}, "{{.*}}tensor.extract: index 0 is out of bounds"

// -----

// Sizes of operands are equal; what follows from that is not asserted again.
func.func @operands(%x: tensor<?xf32>, %y: tensor<?xf32>, %o: tensor<?xf32>) -> tensor<?xf32> {
  %r = linalg.add ins(%x, %y : tensor<?xf32>, tensor<?xf32>) outs(%o : tensor<?xf32>) -> tensor<?xf32>
  %s = linalg.sub ins(%x, %y : tensor<?xf32>, tensor<?xf32>) outs(%o : tensor<?xf32>) -> tensor<?xf32>
  return %s : tensor<?xf32>
}
// CHECK-LABEL: func.func @operands
// CHECK:         cf.assert {{.*}}, "{{.*}}linalg.add: dim 0 of operand 1 has another size than the operands before"
// CHECK:         cf.assert {{.*}}, "{{.*}}linalg.add: dim 0 of operand 2 has another size than the operands before"
// CHECK-NOT:     cf.assert

// -----

// The output has the size of the input: nothing is asserted.
func.func @proved(%x: tensor<?xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %e = tensor.empty(%n) : tensor<?xf32>
  %r = linalg.exp ins(%x : tensor<?xf32>) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  %s = arith.mulf %r, %x : tensor<?xf32>
  return %s : tensor<?xf32>
}
// CHECK-LABEL: func.func @proved
// CHECK-NOT:     cf.assert

// -----

// A window stays inside, unless a loop has no iterations.
func.func @window(%x: tensor<?xf32>, %w: tensor<3xf32>, %o: tensor<?xf32>) -> tensor<?xf32> {
  %r = linalg.conv_1d ins(%x, %w : tensor<?xf32>, tensor<3xf32>) outs(%o : tensor<?xf32>) -> tensor<?xf32>
  return %r : tensor<?xf32>
}
// CHECK-LABEL: func.func @window
// CHECK:         %[[INSIDE:.*]] = arith.cmpi sle
// CHECK:         %[[NONE:.*]] = arith.cmpi eq
// CHECK:         %[[HOLDS:.*]] = arith.ori %[[INSIDE]], %[[NONE]] : i1
// CHECK-NEXT:    cf.assert %[[HOLDS]], "{{.*}}linalg.conv_1d: dim 0 of operand 0 is too small"
