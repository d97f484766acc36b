// RUN: relax-opt %s --split-input-file -p relax-lift-transform-params | filecheck %s
// RUN: relax-opt %s --split-input-file -p 'relax-lift-transform-params{shared=true}' | filecheck %s --check-prefix=SHARED
// RUN: relax-opt %s --split-input-file -p 'relax-lift-transform-params{shared=true private=true}' | filecheck %s --check-prefix=PRIVATE

// A size that only a weight told, and that is still needed, is passed on in a shape value before all other outputs.
// CHECK-LABEL: func.func @size_transform_params(
// CHECK-SAME: %[[W:[^:]+]]: tensor<?x4xf32, #relax.sym<n>>) -> (!relax.shape<[n]> {{.*}}, tensor<4xf32> {relax.name = "v"})
// CHECK: %[[V:.*]] = relax.sum
// CHECK: %[[S:.*]] = relax.shape : () -> !relax.shape<[n]>
// CHECK-NEXT: relax.output %[[S]], %[[V]]
// CHECK-LABEL: func.func @size(
// CHECK-SAME: %{{.*}}: !relax.shape<[n]> {relax.name = "vars_from_compile_time_params"}, %{{.*}}: tensor<4xf32> {relax.name = "v"})
// SHARED-LABEL: func.func @transform_params(
// SHARED-SAME: -> (!relax.shape<[n]> {{.*}}, tensor<4xf32> {relax.name = "v"})
func.func @size(%x: tensor<4xf32>, %w: tensor<?x4xf32, #relax.sym<n>>) -> tensor<?x4xf32, #relax.sym<n>> attributes {relax.num_input = 1 : i64} {
  %r = relax.dataflow {
    %v = relax.sum %w {axis = array<i64: 0>} : (tensor<?x4xf32, #relax.sym<n>>) -> tensor<4xf32>
    %s = relax.shape : () -> !relax.shape<[n, 4]>
    %a = relax.add %x, %v : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %b = relax.broadcast_to %a, %s : (tensor<4xf32>, !relax.shape<[n, 4]>) -> tensor<?x4xf32, #relax.sym<n>>
    relax.output %b : tensor<?x4xf32, #relax.sym<n>>
  } : tensor<?x4xf32, #relax.sym<n>>
  return %r : tensor<?x4xf32, #relax.sym<n>>
}

// -----

// A size that an input or another output tells is not.
// CHECK-LABEL: func.func @known_size_transform_params(
// CHECK-NOT: relax.shape
// CHECK-LABEL: func.func @known_size(
// CHECK-SAME: %{{[^:]+}}: tensor<?xf32, #relax.sym<n>>, %{{[^:]+}}: tensor<?xf32, #relax.sym<n>> {relax.name = "v"})
func.func @known_size(%x: tensor<?xf32, #relax.sym<n>>, %w: tensor<?xf32, #relax.sym<n>>) -> tensor<?xf32, #relax.sym<n>>
    attributes {relax.num_input = 1 : i64} {
  %r = relax.dataflow {
    %v = relax.negative %w : (tensor<?xf32, #relax.sym<n>>) -> tensor<?xf32, #relax.sym<n>>
    %a = relax.add %x, %v : (tensor<?xf32, #relax.sym<n>>, tensor<?xf32, #relax.sym<n>>) -> tensor<?xf32, #relax.sym<n>>
    relax.output %a : tensor<?xf32, #relax.sym<n>>
  } : tensor<?xf32, #relax.sym<n>>
  return %r : tensor<?xf32, #relax.sym<n>>
}

// -----

// What uses a size that only an input tells stays.
// CHECK-LABEL: func.func @run_time_size_transform_params(
// CHECK-NOT: relax.broadcast_to
// CHECK-LABEL: func.func @run_time_size(
// CHECK: relax.broadcast_to
func.func @run_time_size(%x: tensor<?xf32, #relax.sym<n>>, %w: tensor<1xf32>) -> tensor<?xf32, #relax.sym<n>>
    attributes {relax.num_input = 1 : i64} {
  %r = relax.dataflow {
    %s = relax.shape : () -> !relax.shape<[n]>
    %b = relax.broadcast_to %w, %s : (tensor<1xf32>, !relax.shape<[n]>) -> tensor<?xf32, #relax.sym<n>>
    relax.output %b : tensor<?xf32, #relax.sym<n>>
  } : tensor<?xf32, #relax.sym<n>>
  return %r : tensor<?xf32, #relax.sym<n>>
}

// -----

// Where the type of a weight only uses a symbol (of an input), the transform sees a size of its own; the function still checks.
// CHECK-LABEL: func.func @used_symbol_transform_params(
// CHECK-SAME: %[[W:[^:]+]]: tensor<4x?xf32, #relax.sym<[[D:.*]]>>) -> (tensor<?x4xf32, #relax.sym<[[D]]>> {relax.name = "w_t"})
// CHECK: relax.permute_dims %[[W]]
// CHECK-LABEL: func.func @used_symbol(
// CHECK-SAME: %{{[^:]+}}: tensor<?xf32, #relax.sym<n>>, %{{[^:]+}}: tensor<?x4xf32, #relax.sym<2 * n>> {relax.name = "w_t"})
// CHECK-NOT: relax.permute_dims
// CHECK: return
func.func @used_symbol(%x: tensor<?xf32, #relax.sym<n>>, %w: tensor<4x?xf32, #relax.sym<2 * n>>) -> tensor<?x4xf32, #relax.sym<2 * n>>
    attributes {relax.num_input = 1 : i64} {
  %r = relax.dataflow {
    %w_t = relax.permute_dims %w : (tensor<4x?xf32, #relax.sym<2 * n>>) -> tensor<?x4xf32, #relax.sym<2 * n>>
    relax.output %w_t : tensor<?x4xf32, #relax.sym<2 * n>>
  } : tensor<?x4xf32, #relax.sym<2 * n>>
  return %r : tensor<?x4xf32, #relax.sym<2 * n>>
}

// -----

// A cast to what is known is lifted; one that defines a symbol is not, except in a private plan. The function's
// result type says less than the parameter that it becomes.
// CHECK-LABEL: func.func @cast_transform_params(
// CHECK: relax.match_cast %{{.*}} : (tensor<?x?xf32>) -> tensor<4x8xf32>
// CHECK-NOT: relax.match_cast
// CHECK-LABEL: func.func @cast(
// CHECK: relax.match_cast %{{.*}} : (tensor<?xf32>) -> tensor<?xf32, #relax.sym<k>>
// SHARED-LABEL: func.func @cast(
// SHARED: relax.match_cast
// PRIVATE-LABEL: func.func @cast(
// PRIVATE-SAME: %{{[^:]+}}: tensor<4x8xf32> {relax.name = "c"}, %{{[^:]+}}: tensor<?xf32, #relax.sym<k>> {relax.name = "e"})
// PRIVATE-NEXT: %[[C:.*]] = relax.match_cast %{{.*}} : (tensor<?xf32, #relax.sym<k>>) -> tensor<?xf32>
// PRIVATE-NOT: relax.match_cast
// PRIVATE: return %{{.*}}, %[[C]] :
func.func @cast(%x: tensor<4x8xf32>, %w: tensor<?x?xf32>, %v: tensor<?xf32>) -> (tensor<4x8xf32>, tensor<?xf32>)
    attributes {relax.num_input = 1 : i64} {
  %r, %q = relax.dataflow {
    %c = relax.match_cast %w : (tensor<?x?xf32>) -> tensor<4x8xf32>
    %y = relax.add %x, %c : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
    %d = relax.match_cast %v : (tensor<?xf32>) -> tensor<?xf32, #relax.sym<k>>
    %e = relax.negative %d : (tensor<?xf32, #relax.sym<k>>) -> tensor<?xf32, #relax.sym<k>>
    relax.output %y, %e : tensor<4x8xf32>, tensor<?xf32, #relax.sym<k>>
  } : tensor<4x8xf32>, tensor<?xf32>
  return %r, %q : tensor<4x8xf32>, tensor<?xf32>
}

// -----

// Equal bindings unify whatever the functions call their symbols; each keeps its own names.
// SHARED-LABEL: func.func @transform_params(
// SHARED-SAME: tensor<?x4xf32, #relax.sym<n>>) -> (tensor<4x?xf32, #relax.sym<n>> {relax.name = "a"})
// SHARED-LABEL: func.func @f(
// SHARED-SAME: tensor<4x?xf32, #relax.sym<n>> {relax.name = "a"})
// SHARED-LABEL: func.func @g(
// SHARED-SAME: tensor<4x?xf32, #relax.sym<k>> {relax.name = "a"})
// SHARED-NOT: relax.permute_dims
func.func @f(%x: tensor<2x4xf32>, %w: tensor<?x4xf32, #relax.sym<n>>) -> tensor<2x?xf32, #relax.sym<n>> attributes {relax.num_input = 1 : i64} {
  %r = relax.dataflow {
    %a = relax.permute_dims %w : (tensor<?x4xf32, #relax.sym<n>>) -> tensor<4x?xf32, #relax.sym<n>>
    %y = relax.matmul %x, %a : (tensor<2x4xf32>, tensor<4x?xf32, #relax.sym<n>>) -> tensor<2x?xf32, #relax.sym<n>>
    relax.output %y : tensor<2x?xf32, #relax.sym<n>>
  } : tensor<2x?xf32, #relax.sym<n>>
  return %r : tensor<2x?xf32, #relax.sym<n>>
}
func.func @g(%x: tensor<?x4xf32, #relax.sym<n>>, %w: tensor<?x4xf32, #relax.sym<k>>) -> tensor<?x?xf32, #relax.sym<n, k>>
    attributes {relax.num_input = 1 : i64} {
  %r = relax.dataflow {
    %a = relax.permute_dims %w : (tensor<?x4xf32, #relax.sym<k>>) -> tensor<4x?xf32, #relax.sym<k>>
    %y = relax.matmul %x, %a : (tensor<?x4xf32, #relax.sym<n>>, tensor<4x?xf32, #relax.sym<k>>) -> tensor<?x?xf32, #relax.sym<n, k>>
    relax.output %y : tensor<?x?xf32, #relax.sym<n, k>>
  } : tensor<?x?xf32, #relax.sym<n, k>>
  return %r : tensor<?x?xf32, #relax.sym<n, k>>
}

// -----

// A size that only types have, and an input tells, is not passed on, though functions share a transform;
// SHARED-LABEL: func.func @transform_params(
// SHARED-SAME: -> (tensor<4xf32> {relax.name = "v"})
// SHARED-LABEL: func.func @types(
// SHARED-SAME: %x: tensor<?xf32, #relax.sym<n>>, %v: tensor<4xf32> {relax.name = "v"})
func.func @types(%x: tensor<?xf32, #relax.sym<n>>, %w: tensor<?xf32, #relax.sym<n>>, %v: tensor<4xf32>) -> (tensor<?xf32, #relax.sym<n>>, tensor<4xf32>)
    attributes {relax.num_input = 1 : i64} {
  %r = relax.abs %x : (tensor<?xf32, #relax.sym<n>>) -> tensor<?xf32, #relax.sym<n>>
  %s = relax.abs %v : (tensor<4xf32>) -> tensor<4xf32>
  return %r, %s : tensor<?xf32, #relax.sym<n>>, tensor<4xf32>
}

// -----

// one that a value has is.
// SHARED-LABEL: func.func @transform_params(
// SHARED-SAME: -> (!relax.shape<[n]> {relax.name = "vars_from_compile_time_params"})
func.func @values(%x: tensor<?xf32, #relax.sym<n>>, %w: tensor<?xf32, #relax.sym<n>>) -> tensor<?xf32, #relax.sym<n>> attributes {relax.num_input = 1 : i64} {
  %r = relax.dataflow {
    %s = relax.shape : () -> !relax.shape<[n]>
    %o = relax.ones %s {dtype = f32} : (!relax.shape<[n]>) -> tensor<?xf32, #relax.sym<n>>
    %0 = relax.add %x, %o : (tensor<?xf32, #relax.sym<n>>, tensor<?xf32, #relax.sym<n>>) -> tensor<?xf32, #relax.sym<n>>
    relax.output %0 : tensor<?xf32, #relax.sym<n>>
  } : tensor<?xf32, #relax.sym<n>>
  return %r : tensor<?xf32, #relax.sym<n>>
}
