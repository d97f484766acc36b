// RUN: relax-opt %s -p bufferize | filecheck %s

// The element-wise chain runs in the result argument.
// CHECK-LABEL: func.func @in_place(
// CHECK-SAME: %[[X:[a-z0-9]+]]: memref<4xf32>, %[[R:[a-z0-9]+]]: memref<4xf32> {relax.result})
// CHECK-NOT: memref.alloc
// CHECK: linalg.generic {{.*}} ins(%[[X]] : memref<4xf32>) outs(%[[R]] : memref<4xf32>)
// CHECK: linalg.generic {{.*}} ins(%[[R]] : memref<4xf32>) outs(%[[R]] : memref<4xf32>)
// CHECK: func.return
func.func @in_place(%x: tensor<4xf32>) -> tensor<4xf32> {
  %e = tensor.empty() : tensor<4xf32>
  %a = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) {
  ^bb0(%0: f32, %1: f32):
    %s = arith.addf %0, %0 : f32
    linalg.yield %s : f32
  } -> tensor<4xf32>
  %b = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%a : tensor<4xf32>) outs(%e : tensor<4xf32>) {
  ^bb0(%0: f32, %1: f32):
    %s = arith.mulf %0, %0 : f32
    linalg.yield %s : f32
  } -> tensor<4xf32>
  return %b : tensor<4xf32>
}

// An argument is never written: the insertion works on a copy, which is the result.
// CHECK-LABEL: func.func @argument(
// CHECK-SAME: %[[X:[a-z0-9]+]]: memref<4xf32>, %[[R:[a-z0-9]+]]: memref<4xf32> {relax.result})
// CHECK: linalg.generic {{.*}} ins(%[[X]] : memref<4xf32>) outs(%[[R]] : memref<4xf32>)
// CHECK: memref.store %{{.*}}, %[[R]][%{{.*}}]
func.func @argument(%x: tensor<4xf32>) -> tensor<4xf32> {
  %c = arith.constant 1 : index
  %f = arith.constant 2.0 : f32
  %r = tensor.insert %f into %x[%c] : tensor<4xf32>
  return %r : tensor<4xf32>
}

// The old value is read later: no overwriting.
// CHECK-LABEL: func.func @read_later(
// CHECK: %[[A:.*]] = memref.alloc() : memref<4xf32>
// CHECK: memref.store
// CHECK: memref.load
func.func @read_later(%f: f32) -> (tensor<4xf32>, f32) {
  %c = arith.constant 1 : index
  %a = tensor.splat %f : tensor<4xf32>
  %g = arith.addf %f, %f : f32
  %r = tensor.insert %g into %a[%c] : tensor<4xf32>
  %old = tensor.extract %a[%c] : tensor<4xf32>
  return %r, %old : tensor<4xf32>, f32
}

// A carried tensor is one buffer, here the result itself; no memref is carried.
// CHECK-LABEL: func.func @loop(
// CHECK-SAME: %[[N:[a-z0-9]+]]: index, %[[R:[a-z0-9]+]]: memref<?xf32> {relax.result})
// CHECK: linalg.fill {{.*}} outs(%[[R]] : memref<?xf32>)
// CHECK: scf.for %[[I:.*]] = %{{.*}} to %[[N]] step %{{.*}} {
// CHECK-NEXT: memref.store %{{.*}}, %[[R]][%[[I]]]
// CHECK-NEXT: }
// CHECK-NEXT: func.return
// CHECK: func.func private @loop.dims(%[[M:.*]]: index) -> index
// CHECK: func.return %[[M]]
func.func @loop(%n: index) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %f = arith.constant 2.0 : f32
  %g = arith.constant 3.0 : f32
  %e = tensor.empty(%n) : tensor<?xf32>
  %z = linalg.fill ins(%f : f32) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%t = %z) -> (tensor<?xf32>) {
    %s = tensor.insert %g into %t[%i] : tensor<?xf32>
    scf.yield %s : tensor<?xf32>
  }
  return %r : tensor<?xf32>
}

// A size that depends on data is returned; the result is the leading part of the buffer.
// CHECK-LABEL: func.func @data_dependent(
// CHECK-SAME: %[[R:[a-z0-9]+]]: memref<?xf32> {relax.result}) -> index attributes {relax.actual_dims = [array<i64: 0, 0>]}
// CHECK: linalg.fill {{.*}} outs(%[[R]] : memref<?xf32>)
// CHECK: func.return %{{.*}} : index
func.func @data_dependent(%x: tensor<?xindex>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %d = tensor.dim %x, %c0 : tensor<?xindex>
  %k = tensor.extract %x[%c0] : tensor<?xindex>
  %m = arith.minsi %k, %d : index
  %f = arith.constant 2.0 : f32
  %e = tensor.empty(%d) : tensor<?xf32>
  %z = linalg.fill ins(%f : f32) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  %r = tensor.extract_slice %z[0] [%m] [1] : tensor<?xf32> to tensor<?xf32>
  return %r : tensor<?xf32>
}

// CHECK-LABEL: func.func @twice(
// CHECK-SAME: %[[R0:[a-z0-9]+]]: memref<4xf32> {relax.result}, %[[R1:[a-z0-9]+]]: memref<4xf32> {relax.result})
// CHECK: linalg.fill {{.*}} outs(%[[R0]] : memref<4xf32>)
// CHECK: linalg.generic {{.*}} ins(%[[R0]] : memref<4xf32>) outs(%[[R1]] : memref<4xf32>)
func.func @twice(%f: f32) -> (tensor<4xf32>, tensor<4xf32>) {
  %a = tensor.splat %f : tensor<4xf32>
  return %a, %a : tensor<4xf32>, tensor<4xf32>
}

// Two parts of one buffer overlap: what is computed from both overwrites neither.
// CHECK-LABEL: func.func @neighbors(
// CHECK: %[[A:.*]] = memref.alloc() : memref<8xf32>
// CHECK: %[[HIGH:.*]] = memref.subview %[[A]][1] [7] [1]
// CHECK: %[[LOW:.*]] = memref.subview %[[A]][0] [7] [1]
// CHECK: %[[D:.*]] = memref.alloc() : memref<7xf32>
// CHECK: linalg.generic {{.*}} ins(%[[HIGH]], %[[LOW]] : {{.*}}) outs(%[[D]] : memref<7xf32>)
func.func @neighbors(%x: tensor<8xf32>) -> tensor<6xf32> {
  %e = tensor.empty() : tensor<8xf32>
  %a = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%x : tensor<8xf32>) outs(%e : tensor<8xf32>) {
  ^bb0(%0: f32, %1: f32):
    %s = arith.addf %0, %0 : f32
    linalg.yield %s : f32
  } -> tensor<8xf32>
  %high = tensor.extract_slice %a[1] [7] [1] : tensor<8xf32> to tensor<7xf32>
  %low = tensor.extract_slice %a[0] [7] [1] : tensor<8xf32> to tensor<7xf32>
  %f = tensor.empty() : tensor<7xf32>
  %d = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%high, %low : tensor<7xf32>, tensor<7xf32>) outs(%f : tensor<7xf32>) {
  ^bb0(%0: f32, %1: f32, %2: f32):
    %s = arith.subf %0, %1 : f32
    linalg.yield %s : f32
  } -> tensor<7xf32>
  %r = tensor.extract_slice %d[0] [6] [1] : tensor<7xf32> to tensor<6xf32>
  return %r : tensor<6xf32>
}

// One part that is read twice is overwritten.
// CHECK-LABEL: func.func @one_part(
// CHECK: %[[A:.*]] = memref.alloc() : memref<8xf32>
// CHECK: %[[PART:.*]] = memref.subview %[[A]][1] [7] [1]
// CHECK-NOT: memref.alloc
// CHECK: linalg.generic {{.*}} ins(%[[PART]], %[[PART]] : {{.*}}) outs(%[[PART]] : {{.*}})
func.func @one_part(%x: tensor<8xf32>) -> tensor<6xf32> {
  %e = tensor.empty() : tensor<8xf32>
  %a = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%x : tensor<8xf32>) outs(%e : tensor<8xf32>) {
  ^bb0(%0: f32, %1: f32):
    %s = arith.addf %0, %0 : f32
    linalg.yield %s : f32
  } -> tensor<8xf32>
  %part = tensor.extract_slice %a[1] [7] [1] : tensor<8xf32> to tensor<7xf32>
  %f = tensor.empty() : tensor<7xf32>
  %d = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%part, %part : tensor<7xf32>, tensor<7xf32>) outs(%f : tensor<7xf32>) {
  ^bb0(%0: f32, %1: f32, %2: f32):
    %s = arith.mulf %0, %1 : f32
    linalg.yield %s : f32
  } -> tensor<7xf32>
  %r = tensor.extract_slice %d[0] [6] [1] : tensor<7xf32> to tensor<6xf32>
  return %r : tensor<6xf32>
}

// Vectors are read and written where they lie.
// CHECK-LABEL: func.func @vectors(
// CHECK-SAME: %[[X:[a-z0-9]+]]: memref<4x8xf32>, %[[R:[a-z0-9]+]]: memref<4x8xf32> {relax.result})
// CHECK: %[[V:.*]] = vector.load %[[X]][%{{.*}}, %[[K:.*]]] : memref<4x8xf32>, vector<4xf32>
// CHECK: linalg.generic {{.*}} ins(%[[X]] : memref<4x8xf32>) outs(%[[R]] : memref<4x8xf32>)
// CHECK: vector.store %[[V]], %[[R]][%{{.*}}, %[[K]]] : memref<4x8xf32>, vector<4xf32>
func.func @vectors(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %zero = arith.constant 0.0 : f32
  %v = vector.transfer_read %x[%c0, %c4], %zero {in_bounds = [true]} : tensor<4x8xf32>, vector<4xf32>
  %y = vector.transfer_write %v, %x[%c1, %c4] {in_bounds = [true]} : vector<4xf32>, tensor<4x8xf32>
  return %y : tensor<4x8xf32>
}

// Several buffers of a type that are returned as they are share a kernel that copies; the function has no loop for the others either.
// CHECK-LABEL: func.func @returned(
// CHECK-SAME: %[[A:a]]: memref<4xf32>, %[[B:b]]: memref<4xf32>, %[[C:c]]: memref<2xf32>, %[[D:.*]]: memref<4xf32> {relax.result}, %[[E:.*]]: memref<4xf32> {relax.result}, %[[F:.*]]: memref<2xf32> {relax.result})
// CHECK-NEXT: func.call @copy(%[[A]], %[[D]])
// CHECK-NEXT: func.call @copy(%[[B]], %[[E]])
// CHECK-NEXT: func.call @copy_1(%[[C]], %[[F]])
// CHECK-NEXT: func.return
func.func @returned(%a: tensor<4xf32>, %b: tensor<4xf32>, %c: tensor<2xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<2xf32>) {
  return %a, %b, %c : tensor<4xf32>, tensor<4xf32>, tensor<2xf32>
}

// One of each type is copied in place.
// CHECK-LABEL: func.func @returned_alone(
// CHECK-SAME: %[[A:a]]: memref<4xf32>, %[[B:b]]: memref<2xf32>, %[[C:.*]]: memref<4xf32> {relax.result}, %[[D:.*]]: memref<2xf32> {relax.result})
// CHECK-NEXT: linalg.generic {{.*}} ins(%[[A]] : memref<4xf32>) outs(%[[C]] : memref<4xf32>)
// CHECK: linalg.generic {{.*}} ins(%[[B]] : memref<2xf32>) outs(%[[D]] : memref<2xf32>)
func.func @returned_alone(%a: tensor<4xf32>, %b: tensor<2xf32>) -> (tensor<4xf32>, tensor<2xf32>) {
  return %a, %b : tensor<4xf32>, tensor<2xf32>
}

// CHECK-LABEL: func.func private @copy(
// CHECK-SAME: %[[SOURCE:.*]]: memref<4xf32>, %[[TARGET:.*]]: memref<4xf32> {relax.result}) attributes {relax.primitive}
// CHECK-NEXT: linalg.generic {{.*}} ins(%[[SOURCE]] : memref<4xf32>) outs(%[[TARGET]] : memref<4xf32>)
