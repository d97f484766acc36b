// RUN: relax-opt %s | relax-opt | filecheck %s
// RUN: relax-opt %s --print-op-generic | relax-opt | filecheck %s

// CHECK-LABEL: func.func @take(
// CHECK-SAME:    %[[A:[a-z0-9]+]]: {{.*}}, %[[B:[a-z0-9]+]]: {{.*}}
// CHECK:         = relax.take %[[A]], %[[B]] {axis = 1 : i64, mode = "wrap"} : (tensor<?x4x8xf32, #relax.sym<n>>, tensor<2x?xi32, #relax.sym<m>>) -> tensor<?x2x?x8xf32, #relax.sym<n, m>>
func.func @take(%a: tensor<?x4x8xf32, #relax.sym<n>>, %b: tensor<2x?xi32, #relax.sym<m>>) -> (tensor<?x2x?x8xf32, #relax.sym<n, m>>) {
  %r = relax.take %a, %b {axis = 1 : i64, mode = "wrap"} : (tensor<?x4x8xf32, #relax.sym<n>>, tensor<2x?xi32, #relax.sym<m>>) -> tensor<?x2x?x8xf32, #relax.sym<n, m>>
  return %r : tensor<?x2x?x8xf32, #relax.sym<n, m>>
}

// CHECK-LABEL: func.func @take_2(
// CHECK-SAME:    %[[A:[a-z0-9]+]]: {{.*}}, %[[B:[a-z0-9]+]]: {{.*}}
// CHECK:         = relax.take %[[A]], %[[B]] : (tensor<5xf32>, tensor<i64>) -> tensor<f32>
func.func @take_2(%a: tensor<5xf32>, %b: tensor<i64>) -> (tensor<f32>) {
  %r = relax.take %a, %b : (tensor<5xf32>, tensor<i64>) -> tensor<f32>
  return %r : tensor<f32>
}

// CHECK-LABEL: func.func @strided_slice(
// CHECK-SAME:    %[[A:[a-z0-9]+]]: {{.*}}
// CHECK:         = relax.strided_slice %[[A]] {axes = array<i64: 0, 2>, begin = array<i64: 1, -3>, end = array<i64: 9223372036854775807, -1>, strides = array<i64: 1, 2>} : (tensor<?x4x8xf32, #relax.sym<n>>) -> tensor<?x4x1xf32, #relax.sym<max(0, n - 1)>>
func.func @strided_slice(%a: tensor<?x4x8xf32, #relax.sym<n>>) -> (tensor<?x4x1xf32, #relax.sym<max(0, n - 1)>>) {
  %r = relax.strided_slice %a {axes = array<i64: 0, 2>, begin = array<i64: 1, -3>, end = array<i64: 9223372036854775807, -1>, strides = array<i64: 1, 2>} : (tensor<?x4x8xf32, #relax.sym<n>>) -> tensor<?x4x1xf32, #relax.sym<max(0, n - 1)>>
  return %r : tensor<?x4x1xf32, #relax.sym<max(0, n - 1)>>
}

// CHECK-LABEL: func.func @strided_slice_2(
// CHECK-SAME:    %[[A:[a-z0-9]+]]: {{.*}}
// CHECK:         = relax.strided_slice %[[A]] {axes = array<i64: 0>, begin = array<i64: -1>, end = array<i64: -9223372036854775808>, strides = array<i64: -1>} : (tensor<?x4x8xf32, #relax.sym<n>>) -> tensor<?x4x8xf32, #relax.sym<n>>
func.func @strided_slice_2(%a: tensor<?x4x8xf32, #relax.sym<n>>) -> (tensor<?x4x8xf32, #relax.sym<n>>) {
  %r = relax.strided_slice %a {axes = array<i64: 0>, begin = array<i64: -1>, end = array<i64: -9223372036854775808>, strides = array<i64: -1>} : (tensor<?x4x8xf32, #relax.sym<n>>) -> tensor<?x4x8xf32, #relax.sym<n>>
  return %r : tensor<?x4x8xf32, #relax.sym<n>>
}

// CHECK-LABEL: func.func @strided_slice_3(
// CHECK-SAME:    %[[A:[a-z0-9]+]]: {{.*}}, %[[B:[a-z0-9]+]]: {{.*}}, %[[C:[a-z0-9]+]]: {{.*}}
// CHECK:         = relax.strided_slice %[[A]], %[[B]], %[[C]] {axes = array<i64: 0>, assume_inbound = true} : (tensor<?x8xf32, #relax.sym<m>>, !relax.shape<[0]>, !relax.shape<[n]>) -> tensor<?x8xf32, #relax.sym<n>>
func.func @strided_slice_3(%a: tensor<?x8xf32, #relax.sym<m>>, %b: !relax.shape<[0]>, %c: !relax.shape<[n]>) -> (tensor<?x8xf32, #relax.sym<n>>) {
  %r = relax.strided_slice %a, %b, %c {axes = array<i64: 0>, assume_inbound = true} : (tensor<?x8xf32, #relax.sym<m>>, !relax.shape<[0]>, !relax.shape<[n]>) -> tensor<?x8xf32, #relax.sym<n>>
  return %r : tensor<?x8xf32, #relax.sym<n>>
}

// CHECK-LABEL: func.func @dynamic_strided_slice(
// CHECK-SAME:    %[[A:[a-z0-9]+]]: {{.*}}, %[[B:[a-z0-9]+]]: {{.*}}, %[[C:[a-z0-9]+]]: {{.*}}, %[[D:[a-z0-9]+]]: {{.*}}
// CHECK:         = relax.dynamic_strided_slice %[[A]], %[[B]], %[[C]], %[[D]] : (tensor<?x3xf32, #relax.sym<n>>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) -> tensor<?x?xf32>
func.func @dynamic_strided_slice(%a: tensor<?x3xf32, #relax.sym<n>>, %b: tensor<2xi64>, %c: tensor<2xi64>, %d: tensor<2xi64>) -> (tensor<?x?xf32>) {
  %r = relax.dynamic_strided_slice %a, %b, %c, %d : (tensor<?x3xf32, #relax.sym<n>>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

// CHECK-LABEL: func.func @gather_elements(
// CHECK-SAME:    %[[A:[a-z0-9]+]]: {{.*}}, %[[B:[a-z0-9]+]]: {{.*}}
// CHECK:         = relax.gather_elements %[[A]], %[[B]] {axis = 0 : i64} : (tensor<?x4x8xf32, #relax.sym<n>>, tensor<2x4x8xi64>) -> tensor<2x4x8xf32>
func.func @gather_elements(%a: tensor<?x4x8xf32, #relax.sym<n>>, %b: tensor<2x4x8xi64>) -> (tensor<2x4x8xf32>) {
  %r = relax.gather_elements %a, %b {axis = 0 : i64} : (tensor<?x4x8xf32, #relax.sym<n>>, tensor<2x4x8xi64>) -> tensor<2x4x8xf32>
  return %r : tensor<2x4x8xf32>
}

// CHECK-LABEL: func.func @gather_nd(
// CHECK-SAME:    %[[A:[a-z0-9]+]]: {{.*}}, %[[B:[a-z0-9]+]]: {{.*}}
// CHECK:         = relax.gather_nd %[[A]], %[[B]] {batch_dims = 1 : i64} : (tensor<?x4x8xf32, #relax.sym<n>>, tensor<?x5x1xi64, #relax.sym<n>>) -> tensor<?x5x8xf32, #relax.sym<n>>
func.func @gather_nd(%a: tensor<?x4x8xf32, #relax.sym<n>>, %b: tensor<?x5x1xi64, #relax.sym<n>>) -> (tensor<?x5x8xf32, #relax.sym<n>>) {
  %r = relax.gather_nd %a, %b {batch_dims = 1 : i64} : (tensor<?x4x8xf32, #relax.sym<n>>, tensor<?x5x1xi64, #relax.sym<n>>) -> tensor<?x5x8xf32, #relax.sym<n>>
  return %r : tensor<?x5x8xf32, #relax.sym<n>>
}

// CHECK-LABEL: func.func @scatter_elements(
// CHECK-SAME:    %[[A:[a-z0-9]+]]: {{.*}}, %[[B:[a-z0-9]+]]: {{.*}}, %[[C:[a-z0-9]+]]: {{.*}}
// CHECK:         = relax.scatter_elements %[[A]], %[[B]], %[[C]] {reduction = "add"} : (tensor<?x4x8xf32, #relax.sym<n>>, tensor<2x4x8xi64>, tensor<2x4x8xf32>) -> tensor<?x4x8xf32, #relax.sym<n>>
func.func @scatter_elements(%a: tensor<?x4x8xf32, #relax.sym<n>>, %b: tensor<2x4x8xi64>, %c: tensor<2x4x8xf32>) -> (tensor<?x4x8xf32, #relax.sym<n>>) {
  %r = relax.scatter_elements %a, %b, %c {reduction = "add"} : (tensor<?x4x8xf32, #relax.sym<n>>, tensor<2x4x8xi64>, tensor<2x4x8xf32>) -> tensor<?x4x8xf32, #relax.sym<n>>
  return %r : tensor<?x4x8xf32, #relax.sym<n>>
}

// CHECK-LABEL: func.func @scatter_nd(
// CHECK-SAME:    %[[A:[a-z0-9]+]]: {{.*}}, %[[B:[a-z0-9]+]]: {{.*}}, %[[C:[a-z0-9]+]]: {{.*}}
// CHECK:         = relax.scatter_nd %[[A]], %[[B]], %[[C]] {reduction = "max"} : (tensor<?x4x8xf32, #relax.sym<n>>, tensor<?x1xi32, #relax.sym<m>>, tensor<?x4x8xf32, #relax.sym<m>>) -> tensor<?x4x8xf32, #relax.sym<n>>
func.func @scatter_nd(%a: tensor<?x4x8xf32, #relax.sym<n>>, %b: tensor<?x1xi32, #relax.sym<m>>, %c: tensor<?x4x8xf32, #relax.sym<m>>) -> (tensor<?x4x8xf32, #relax.sym<n>>) {
  %r = relax.scatter_nd %a, %b, %c {reduction = "max"} : (tensor<?x4x8xf32, #relax.sym<n>>, tensor<?x1xi32, #relax.sym<m>>, tensor<?x4x8xf32, #relax.sym<m>>) -> tensor<?x4x8xf32, #relax.sym<n>>
  return %r : tensor<?x4x8xf32, #relax.sym<n>>
}

// CHECK-LABEL: func.func @index_tensor(
// CHECK-SAME:    %[[A:[a-z0-9]+]]: {{.*}}, %[[B:[a-z0-9]+]]: {{.*}}, %[[C:[a-z0-9]+]]: {{.*}}
// CHECK:         = relax.index_tensor %[[A]], %[[B]], %[[C]] : (tensor<?x4x8xf32, #relax.sym<n>>, tensor<?x1xi64, #relax.sym<m>>, tensor<3xi64>) -> tensor<?x3x8xf32, #relax.sym<m>>
func.func @index_tensor(%a: tensor<?x4x8xf32, #relax.sym<n>>, %b: tensor<?x1xi64, #relax.sym<m>>, %c: tensor<3xi64>) -> (tensor<?x3x8xf32, #relax.sym<m>>) {
  %r = relax.index_tensor %a, %b, %c : (tensor<?x4x8xf32, #relax.sym<n>>, tensor<?x1xi64, #relax.sym<m>>, tensor<3xi64>) -> tensor<?x3x8xf32, #relax.sym<m>>
  return %r : tensor<?x3x8xf32, #relax.sym<m>>
}

// CHECK-LABEL: func.func @slice_scatter(
// CHECK-SAME:    %[[A:[a-z0-9]+]]: {{.*}}, %[[B:[a-z0-9]+]]: {{.*}}
// CHECK:         = relax.slice_scatter %[[A]], %[[B]] {axis = 1 : i64, start = 0 : i64, end = 4 : i64, step = 2 : i64} : (tensor<?x4x8xf32, #relax.sym<n>>, tensor<?x2x8xf32, #relax.sym<n>>) -> tensor<?x4x8xf32, #relax.sym<n>>
func.func @slice_scatter(%a: tensor<?x4x8xf32, #relax.sym<n>>, %b: tensor<?x2x8xf32, #relax.sym<n>>) -> (tensor<?x4x8xf32, #relax.sym<n>>) {
  %r = relax.slice_scatter %a, %b {axis = 1 : i64, start = 0 : i64, end = 4 : i64, step = 2 : i64} : (tensor<?x4x8xf32, #relax.sym<n>>, tensor<?x2x8xf32, #relax.sym<n>>) -> tensor<?x4x8xf32, #relax.sym<n>>
  return %r : tensor<?x4x8xf32, #relax.sym<n>>
}

// CHECK-LABEL: func.func @slice_scatter_2(
// CHECK-SAME:    %[[A:[a-z0-9]+]]: {{.*}}, %[[B:[a-z0-9]+]]: {{.*}}, %[[C:[a-z0-9]+]]: {{.*}}, %[[D:[a-z0-9]+]]: {{.*}}
// CHECK:         = relax.slice_scatter %[[A]], %[[B]], %[[C]], %[[D]] : (tensor<128x8xf32>, tensor<1x8xf32>, !relax.shape<[n]>, !relax.shape<[n + 1]>) -> tensor<128x8xf32>
func.func @slice_scatter_2(%a: tensor<128x8xf32>, %b: tensor<1x8xf32>, %c: !relax.shape<[n]>, %d: !relax.shape<[n + 1]>) -> (tensor<128x8xf32>) {
  %r = relax.slice_scatter %a, %b, %c, %d : (tensor<128x8xf32>, tensor<1x8xf32>, !relax.shape<[n]>, !relax.shape<[n + 1]>) -> tensor<128x8xf32>
  return %r : tensor<128x8xf32>
}

// CHECK-LABEL: func.func @one_hot(
// CHECK-SAME:    %[[A:[a-z0-9]+]]: {{.*}}
// CHECK:         = relax.one_hot %[[A]] {on_value = 1.000000e+00 : f16, off_value = 0.000000e+00 : f16, depth = 10 : i64, axis = 0 : i64} : (tensor<?xi64, #relax.sym<n>>) -> tensor<10x?xf16, #relax.sym<n>>
func.func @one_hot(%a: tensor<?xi64, #relax.sym<n>>) -> (tensor<10x?xf16, #relax.sym<n>>) {
  %r = relax.one_hot %a {on_value = 1.000000e+00 : f16, off_value = 0.000000e+00 : f16, depth = 10 : i64, axis = 0 : i64} : (tensor<?xi64, #relax.sym<n>>) -> tensor<10x?xf16, #relax.sym<n>>
  return %r : tensor<10x?xf16, #relax.sym<n>>
}
