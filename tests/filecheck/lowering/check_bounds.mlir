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
// CHECK-NOT:     cf.assert
