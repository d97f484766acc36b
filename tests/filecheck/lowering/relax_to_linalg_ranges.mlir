// RUN: relax-opt %s -p relax-to-linalg --split-input-file | filecheck %s

// What the ranges prove is not asserted.
// CHECK-LABEL: @proved
// CHECK-NOT:     cf.assert
// CHECK:         return
func.func @proved(%x: tensor<512x4xf32>, %i: tensor<?x4xi64, #relax.sym<s>>) -> tensor<?x4xf32, #relax.sym<s>>
    attributes {relax.sym_upper_bounds = {s = 512 : i64}} {
  %r = relax.gather_elements %x, %i {axis = 1 : i64} : (tensor<512x4xf32>, tensor<?x4xi64, #relax.sym<s>>) -> tensor<?x4xf32, #relax.sym<s>>
  return %r : tensor<?x4xf32, #relax.sym<s>>
}

// -----

// CHECK-LABEL: @not_proved
// CHECK:         cf.assert %{{.*}}, "{{.*}}relax.gather_elements: expected 512 >= s"
func.func @not_proved(%x: tensor<512x4xf32>, %i: tensor<?x4xi64, #relax.sym<s>>) -> tensor<?x4xf32, #relax.sym<s>>
    attributes {relax.sym_upper_bounds = {s = 513 : i64}} {
  %r = relax.gather_elements %x, %i {axis = 1 : i64} : (tensor<512x4xf32>, tensor<?x4xi64, #relax.sym<s>>) -> tensor<?x4xf32, #relax.sym<s>>
  return %r : tensor<?x4xf32, #relax.sym<s>>
}

// -----

// A divisor that is never below 1 is not checked.
// CHECK-LABEL: @divisor
// CHECK-NOT:     cf.assert
// CHECK:         arith.floordivsi
// CHECK-NOT:     cf.assert
// CHECK:         return
func.func @divisor(%x: tensor<?xf32, #relax.sym<n>>, %y: tensor<?xf32, #relax.sym<m>>) -> tensor<?xf32, #relax.sym<n floordiv m>>
    attributes {relax.sym_lower_bounds = {m = 2 : i64}} {
  %s = relax.shape : () -> !relax.shape<[n floordiv m]>
  %v = arith.constant dense<1.0> : tensor<f32>
  %r = relax.full %s, %v : (!relax.shape<[n floordiv m]>, tensor<f32>) -> tensor<?xf32, #relax.sym<n floordiv m>>
  return %r : tensor<?xf32, #relax.sym<n floordiv m>>
}

// -----

// The caller's range proves that of the callee, another caller's does not.
// CHECK-LABEL: @main
// CHECK-NOT:     cf.assert
// CHECK:         call @callee
// CHECK-LABEL: @wider
// CHECK:         %[[MOST:.*]] = arith.constant 8 : index
// CHECK:         cf.assert %{{.*}}, "{{.*}}call of @callee: expected 8 >= m"
// CHECK-NEXT:    call @callee
func.func @main(%x: tensor<?xf32, #relax.sym<n>>) -> tensor<?xf32, #relax.sym<n>> attributes {relax.sym_upper_bounds = {n = 4 : i64}} {
  %r = call @callee(%x) : (tensor<?xf32, #relax.sym<n>>) -> tensor<?xf32, #relax.sym<n>>
  return %r : tensor<?xf32, #relax.sym<n>>
}
func.func @wider(%x: tensor<?xf32, #relax.sym<m>>) -> tensor<?xf32, #relax.sym<m>> attributes {relax.sym_upper_bounds = {m = 9 : i64}} {
  %r = call @callee(%x) : (tensor<?xf32, #relax.sym<m>>) -> tensor<?xf32, #relax.sym<m>>
  return %r : tensor<?xf32, #relax.sym<m>>
}
func.func private @callee(%x: tensor<?xf32, #relax.sym<k>>) -> tensor<?xf32, #relax.sym<k>> attributes {relax.sym_upper_bounds = {k = 8 : i64}} {
  %r = relax.nn.relu %x : (tensor<?xf32, #relax.sym<k>>) -> tensor<?xf32, #relax.sym<k>>
  return %r : tensor<?xf32, #relax.sym<k>>
}
