// RUN: relax-opt %s -p fold-views | filecheck %s

func.func private @first(%x: tensor<2x?x8xf32> {relax.dims = [2 : i64, "m", 8 : i64]}, %n: index {relax.dims = ["n"]}) -> tensor<2x?x8xf32> attributes {relax.primitive} {
  %s = tensor.extract_slice %x[0, 0, 0] [2, %n, 8] [1, 1, 1] : tensor<2x?x8xf32> to tensor<2x?x8xf32>
  return %s : tensor<2x?x8xf32>
}

func.func private @columns(%x: tensor<2x?x8xf32>) -> tensor<2x?x4xf32> attributes {relax.primitive} {
  %c = arith.constant 1 : index
  %n = tensor.dim %x, %c : tensor<2x?x8xf32>
  %s = tensor.extract_slice %x[0, 0, 0] [2, %n, 4] [1, 1, 1] : tensor<2x?x8xf32> to tensor<2x?x4xf32>
  return %s : tensor<2x?x4xf32>
}

func.func private @read(%x: tensor<2x?x8xf32>, %y: tensor<2x?x8xf32>, %i: index) -> f32 attributes {relax.primitive} {
  %a = tensor.extract %x[%i, %i, %i] : tensor<2x?x8xf32>
  %b = tensor.extract %y[%i, %i, %i] : tensor<2x?x8xf32>
  %c = arith.addf %a, %b : f32
  return %c : f32
}

// The kernels take the slices themselves; what is left of the symbols of kernels is which arguments are sizes.
// CHECK-LABEL: func.func private @fused_first_read_1(
// CHECK-LABEL: func.func private @fused_first_read(
// CHECK-SAME: %x: tensor<2x?x8xf32>, %n: index {relax.dims = [unit]}, %x_1: tensor<2x?x8xf32>, %n_1: index {relax.dims = [unit]}, %i: index)
// CHECK: tensor.extract_slice %x[0, 0, 0] [2, %n, 8]
// CHECK: tensor.extract_slice %x_1[0, 0, 0] [2, %n_1, 8]

func.func private @read_columns(%x: tensor<2x?x4xf32>, %i: index) -> f32 attributes {relax.primitive} {
  %a = tensor.extract %x[%i, %i, %i] : tensor<2x?x4xf32>
  return %a : f32
}

func.func private @update(%x: tensor<2x?x8xf32>, %f: f32, %i: index) -> tensor<2x?x8xf32> attributes {relax.primitive} {
  %r = tensor.insert %f into %x[%i, %i, %i] : tensor<2x?x8xf32>
  return %r : tensor<2x?x8xf32>
}

// One kernel for both calls; the copies are gone.
// CHECK-LABEL: func.func @twice(
// CHECK-NEXT: %{{.*}} = func.call @fused_first_read(%x, %n, %y, %n, %n)
// CHECK-NEXT: %{{.*}} = func.call @fused_first_read(%y, %n, %x, %n, %n)
// CHECK-NEXT: func.return
func.func @twice(%x: tensor<2x?x8xf32>, %y: tensor<2x?x8xf32>, %n: index) -> (f32, f32) {
  %a = call @first(%x, %n) : (tensor<2x?x8xf32>, index) -> tensor<2x?x8xf32>
  %b = call @first(%y, %n) : (tensor<2x?x8xf32>, index) -> tensor<2x?x8xf32>
  %0 = call @read(%a, %b, %n) : (tensor<2x?x8xf32>, tensor<2x?x8xf32>, index) -> f32
  %1 = call @read(%b, %a, %n) : (tensor<2x?x8xf32>, tensor<2x?x8xf32>, index) -> f32
  return %0, %1 : f32, f32
}

// What a call may overwrite before it is read is copied; so are rows that are cut, and what is returned.
// CHECK-LABEL: func.func @copies(
// CHECK: %[[A:.*]] = func.call @first(%x, %n)
// CHECK: %[[U:.*]] = func.call @update(%x, %f, %n)
// CHECK: func.call @fused_first_read_1(%[[A]], %[[U]], %n, %n)
// CHECK: %[[C:.*]] = func.call @columns(%x)
// CHECK: func.call @read_columns(%[[C]], %n)
// CHECK: func.return %{{.*}}, %{{.*}}, %[[A]]
func.func @copies(%x: tensor<2x?x8xf32>, %f: f32, %n: index) -> (f32, f32, tensor<2x?x8xf32>) {
  %a = call @first(%x, %n) : (tensor<2x?x8xf32>, index) -> tensor<2x?x8xf32>
  %u = call @update(%x, %f, %n) : (tensor<2x?x8xf32>, f32, index) -> tensor<2x?x8xf32>
  %b = call @first(%u, %n) : (tensor<2x?x8xf32>, index) -> tensor<2x?x8xf32>
  %0 = call @read(%a, %b, %n) : (tensor<2x?x8xf32>, tensor<2x?x8xf32>, index) -> f32
  %c = call @columns(%x) : (tensor<2x?x8xf32>) -> tensor<2x?x4xf32>
  %1 = call @read_columns(%c, %n) : (tensor<2x?x4xf32>, index) -> f32
  return %0, %1, %a : f32, f32, tensor<2x?x8xf32>
}

// What is lent is given back behind the last kernel that reads it.
// CHECK-LABEL: func.func @lent
// CHECK-NEXT: %[[LENT:.*]] = func.call @lend
// CHECK-NEXT: func.call @fused_view_negate(%[[LENT]])
// CHECK-NEXT: func.call @fused_view_negate(%[[LENT]])
// CHECK-NEXT: func.call @release(%[[LENT]])
// CHECK-NEXT: func.return
func.func @lent(%x: tensor<4x4xf32>) -> (tensor<2x4xf32>, tensor<2x4xf32>) {
  %lent = func.call @lend(%x) {relax.borrowed} : (tensor<4x4xf32>) -> tensor<4x4xf32>
  %view = func.call @view(%lent) : (tensor<4x4xf32>) -> tensor<2x4xf32>
  func.call @release(%lent) : (tensor<4x4xf32>) -> ()
  %a = func.call @negate(%view) : (tensor<2x4xf32>) -> tensor<2x4xf32>
  %b = func.call @negate(%view) : (tensor<2x4xf32>) -> tensor<2x4xf32>
  func.return %a, %b : tensor<2x4xf32>, tensor<2x4xf32>
}
func.func private @lend(tensor<4x4xf32>) -> tensor<4x4xf32> attributes {relax.borrowed, relax.packed = "lend"}
func.func private @release(tensor<4x4xf32>) attributes {relax.runtime_function = "release"}
func.func private @view(%x: tensor<4x4xf32>) -> tensor<2x4xf32> attributes {relax.primitive} {
  %0 = tensor.extract_slice %x[0, 0] [2, 4] [1, 1] : tensor<4x4xf32> to tensor<2x4xf32>
  func.return %0 : tensor<2x4xf32>
}
func.func private @negate(%x: tensor<2x4xf32>) -> tensor<2x4xf32> attributes {relax.primitive} {
  %0 = tensor.empty() : tensor<2x4xf32>
  %1 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<2x4xf32>) outs(%0 : tensor<2x4xf32>) {
  ^bb0(%a: f32, %b: f32):
    %c = arith.negf %a : f32
    linalg.yield %c : f32
  } -> tensor<2x4xf32>
  func.return %1 : tensor<2x4xf32>
}

func.func private @inside(%x: tensor<4x6x8xf32>) -> tensor<2x4x8xf32> attributes {relax.primitive} {
  %s = tensor.extract_slice %x[1, 1, 0] [2, 4, 8] [1, 1, 1] : tensor<4x6x8xf32> to tensor<2x4x8xf32>
  return %s : tensor<2x4x8xf32>
}

func.func private @flat(%x: tensor<2x4x8xf32>) -> tensor<64xf32> attributes {relax.primitive} {
  %s = tensor.collapse_shape %x [[0, 1, 2]] : tensor<2x4x8xf32> into tensor<64xf32>
  return %s : tensor<64xf32>
}

func.func private @another(%x: tensor<4x6x8xf32>) -> tensor<4x6x8xf32> attributes {relax.primitive} {
  %e = tensor.empty() : tensor<4x6x8xf32>
  %r = linalg.copy ins(%x : tensor<4x6x8xf32>) outs(%e : tensor<4x6x8xf32>) -> tensor<4x6x8xf32>
  return %r : tensor<4x6x8xf32>
}

func.func private @sum(%x: tensor<2x4x8xf32>, %y: tensor<64xf32>, %i: index) -> f32 attributes {relax.primitive} {
  %a = tensor.extract %x[%i, %i, %i] : tensor<2x4x8xf32>
  %b = tensor.extract %y[%i] : tensor<64xf32>
  %c = arith.addf %a, %b : f32
  return %c : f32
}

// A call whose result has the type of its operand makes no copy necessary where it computes elsewhere; a reshape is a view too.
// CHECK-LABEL: func.func @elsewhere(
// CHECK-NEXT: %[[A:.*]] = func.call @another(%x)
// CHECK-NEXT: %{{.*}} = func.call @fused_inside_flat_sum(%x, %y, %i)
// CHECK-NEXT: func.return
func.func @elsewhere(%x: tensor<4x6x8xf32>, %y: tensor<2x4x8xf32>, %i: index) -> (tensor<4x6x8xf32>, f32) {
  %s = call @inside(%x) : (tensor<4x6x8xf32>) -> tensor<2x4x8xf32>
  %t = call @flat(%y) : (tensor<2x4x8xf32>) -> tensor<64xf32>
  %a = call @another(%x) : (tensor<4x6x8xf32>) -> tensor<4x6x8xf32>
  %r = call @sum(%s, %t, %i) : (tensor<2x4x8xf32>, tensor<64xf32>, index) -> f32
  return %a, %r : tensor<4x6x8xf32>, f32
}

// A caller that wants a result in the memory of its argument may have it overwritten.
// CHECK-LABEL: func.func @in_place(
// CHECK-NEXT: %[[S:.*]] = func.call @inside(%x)
// CHECK-NEXT: %[[A:.*]] = func.call @another(%x)
// CHECK-NEXT: %{{.*}} = func.call @fused_flat_sum(%[[S]], %y, %i)
func.func @in_place(%x: tensor<4x6x8xf32> {relax.donate = 0 : i64}, %y: tensor<2x4x8xf32>, %i: index) -> (tensor<4x6x8xf32>, f32) {
  %s = call @inside(%x) : (tensor<4x6x8xf32>) -> tensor<2x4x8xf32>
  %t = call @flat(%y) : (tensor<2x4x8xf32>) -> tensor<64xf32>
  %a = call @another(%x) : (tensor<4x6x8xf32>) -> tensor<4x6x8xf32>
  %r = call @sum(%s, %t, %i) : (tensor<2x4x8xf32>, tensor<64xf32>, index) -> f32
  return %a, %r : tensor<4x6x8xf32>, f32
}
