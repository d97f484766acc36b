// RUN: relax-opt %s -p relax-remove-unused-parameters | filecheck %s

// An argument that nothing reads goes, at all calls.
// CHECK-LABEL: func.func @main(
// CHECK-SAME: %[[A:[^:]+]]: tensor<4xf32>, %{{[^:]+}}: tensor<8xf32>)
// CHECK-NEXT: func.call @f(%[[A]]) : (tensor<4xf32>) -> tensor<4xf32>
func.func @main(%a: tensor<4xf32>, %b: tensor<8xf32>) -> tensor<4xf32> {
  %r = func.call @f(%b, %a) : (tensor<8xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}
// CHECK-LABEL: func.func private @f(
// CHECK-SAME: %{{[^:]+}}: tensor<4xf32>) -> tensor<4xf32>
func.func private @f(%unused: tensor<8xf32>, %x: tensor<4xf32>) -> tensor<4xf32> {
  %y = relax.negative %x : (tensor<4xf32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// One that is needed for a size is replaced by the size,
// CHECK-LABEL: func.func @sizes(
// CHECK-SAME: %{{[^:]+}}: tensor<?xf32, #relax.sym<n>>, %[[B:[^:]+]]: tensor<1xf32>)
// CHECK-NEXT: %[[S:.*]] = relax.shape : () -> !relax.shape<[n]>
// CHECK-NEXT: func.call @g(%[[B]], %[[S]])
func.func @sizes(%a: tensor<?xf32, #relax.sym<n>>, %b: tensor<1xf32>) -> tensor<?xf32, #relax.sym<n>> {
  %r = func.call @g(%a, %b) : (tensor<?xf32, #relax.sym<n>>, tensor<1xf32>) -> tensor<?xf32, #relax.sym<n>>
  return %r : tensor<?xf32, #relax.sym<n>>
}
// CHECK-LABEL: func.func private @g(
// CHECK-SAME: %{{[^:]+}}: tensor<1xf32>, %{{[^:]+}}: !relax.shape<[n]>)
func.func private @g(%like: tensor<?xf32, #relax.sym<n>>, %x: tensor<1xf32>) -> tensor<?xf32, #relax.sym<n>> {
  %s = relax.shape : () -> !relax.shape<[n]>
  %y = relax.broadcast_to %x, %s : (tensor<1xf32>, !relax.shape<[n]>) -> tensor<?xf32, #relax.sym<n>>
  return %y : tensor<?xf32, #relax.sym<n>>
}

// each size by itself,
// CHECK-LABEL: func.func @two_sizes(
// CHECK: %[[N:.*]] = relax.shape : () -> !relax.shape<[a]>
// CHECK-NEXT: %[[M:.*]] = relax.shape : () -> !relax.shape<[2 * b]>
// CHECK-NEXT: func.call @two(%[[N]], %[[M]])
func.func @two_sizes(%x: tensor<?x?xf32, #relax.sym<a, 2 * b>>, %y: tensor<?xf32, #relax.sym<b>>) -> tensor<?x?xf32, #relax.sym<2 * b, a>> {
  %r = func.call @two(%x) : (tensor<?x?xf32, #relax.sym<a, 2 * b>>) -> tensor<?x?xf32, #relax.sym<2 * b, a>>
  return %r : tensor<?x?xf32, #relax.sym<2 * b, a>>
}
// CHECK-LABEL: func.func private @two(
// CHECK-SAME: %{{[^:]+}}: !relax.shape<[n]>, %{{[^:]+}}: !relax.shape<[m]>)
func.func private @two(%like: tensor<?x?xf32, #relax.sym<n, m>>) -> tensor<?x?xf32, #relax.sym<m, n>> {
  %s = relax.shape : () -> !relax.shape<[m, n]>
  %y = relax.ones %s {dtype = f32} : (!relax.shape<[m, n]>) -> tensor<?x?xf32, #relax.sym<m, n>>
  return %y : tensor<?x?xf32, #relax.sym<m, n>>
}

// and a shape that repeats what another argument says goes.
// CHECK-LABEL: func.func private @h(
// CHECK-SAME: %{{[^:]+}}: tensor<?xf32, #relax.sym<n>>) -> tensor<?xf32, #relax.sym<n>>
func.func private @h(%x: tensor<?xf32, #relax.sym<n>>, %s: !relax.shape<[n]>) -> tensor<?xf32, #relax.sym<n>> {
  %y = relax.negative %x : (tensor<?xf32, #relax.sym<n>>) -> tensor<?xf32, #relax.sym<n>>
  return %y : tensor<?xf32, #relax.sym<n>>
}

// A public function keeps its arguments.
// CHECK-LABEL: func.func @public(
// CHECK-SAME: %{{[^:]+}}: tensor<8xf32>, %{{[^:]+}}: tensor<4xf32>)
func.func @public(%unused: tensor<8xf32>, %x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}
