// RUN: relax-opt %s | relax-opt | filecheck %s
// RUN: relax-opt %s --print-op-generic | relax-opt | filecheck %s

// CHECK-LABEL: func.func @permute_dims(
// CHECK-SAME:    %[[A:[a-z0-9]+]]: {{.*}}
// CHECK:         = relax.permute_dims %[[A]] {axes = array<i64: 2, 0, 1>} : (tensor<?x4x8xf32, #relax.sym<n>>) -> tensor<8x?x4xf32, #relax.sym<n>>
func.func @permute_dims(%a: tensor<?x4x8xf32, #relax.sym<n>>) -> (tensor<8x?x4xf32, #relax.sym<n>>) {
  %r = relax.permute_dims %a {axes = array<i64: 2, 0, 1>} : (tensor<?x4x8xf32, #relax.sym<n>>) -> tensor<8x?x4xf32, #relax.sym<n>>
  return %r : tensor<8x?x4xf32, #relax.sym<n>>
}

// CHECK-LABEL: func.func @permute_dims_2(
// CHECK-SAME:    %[[A:[a-z0-9]+]]: {{.*}}
// CHECK:         = relax.permute_dims %[[A]] : (tensor<?x4x8xf32, #relax.sym<n>>) -> tensor<8x4x?xf32, #relax.sym<n>>
func.func @permute_dims_2(%a: tensor<?x4x8xf32, #relax.sym<n>>) -> (tensor<8x4x?xf32, #relax.sym<n>>) {
  %r = relax.permute_dims %a : (tensor<?x4x8xf32, #relax.sym<n>>) -> tensor<8x4x?xf32, #relax.sym<n>>
  return %r : tensor<8x4x?xf32, #relax.sym<n>>
}

// CHECK-LABEL: func.func @reshape(
// CHECK-SAME:    %[[A:[a-z0-9]+]]: {{.*}}, %[[B:[a-z0-9]+]]: {{.*}}
// CHECK:         = relax.reshape %[[A]], %[[B]] : (tensor<?x4x8xf32, #relax.sym<n>>, !relax.shape<[n, 32]>) -> tensor<?x32xf32, #relax.sym<n>>
func.func @reshape(%a: tensor<?x4x8xf32, #relax.sym<n>>, %b: !relax.shape<[n, 32]>) -> (tensor<?x32xf32, #relax.sym<n>>) {
  %r = relax.reshape %a, %b : (tensor<?x4x8xf32, #relax.sym<n>>, !relax.shape<[n, 32]>) -> tensor<?x32xf32, #relax.sym<n>>
  return %r : tensor<?x32xf32, #relax.sym<n>>
}

// CHECK-LABEL: func.func @reshape_2(
// CHECK-SAME:    %[[A:[a-z0-9]+]]: {{.*}}, %[[B:[a-z0-9]+]]: {{.*}}
// CHECK:         = relax.reshape %[[A]], %[[B]] : (tensor<?x4x8xf32, #relax.sym<n>>, !relax.shape<[-1, 8]>) -> tensor<?x8xf32, #relax.sym<4 * n>>
func.func @reshape_2(%a: tensor<?x4x8xf32, #relax.sym<n>>, %b: !relax.shape<[-1, 8]>) -> (tensor<?x8xf32, #relax.sym<4 * n>>) {
  %r = relax.reshape %a, %b : (tensor<?x4x8xf32, #relax.sym<n>>, !relax.shape<[-1, 8]>) -> tensor<?x8xf32, #relax.sym<4 * n>>
  return %r : tensor<?x8xf32, #relax.sym<4 * n>>
}

// CHECK-LABEL: func.func @flatten(
// CHECK-SAME:    %[[A:[a-z0-9]+]]: {{.*}}
// CHECK:         = relax.flatten %[[A]] : (tensor<?x4x8xf32, #relax.sym<n>>) -> tensor<?xf32, #relax.sym<32 * n>>
func.func @flatten(%a: tensor<?x4x8xf32, #relax.sym<n>>) -> (tensor<?xf32, #relax.sym<32 * n>>) {
  %r = relax.flatten %a : (tensor<?x4x8xf32, #relax.sym<n>>) -> tensor<?xf32, #relax.sym<32 * n>>
  return %r : tensor<?xf32, #relax.sym<32 * n>>
}

// CHECK-LABEL: func.func @expand_dims(
// CHECK-SAME:    %[[A:[a-z0-9]+]]: {{.*}}
// CHECK:         = relax.expand_dims %[[A]] {axis = array<i64: 0, -1>} : (tensor<?x4x8xf32, #relax.sym<n>>) -> tensor<1x?x4x8x1xf32, #relax.sym<n>>
func.func @expand_dims(%a: tensor<?x4x8xf32, #relax.sym<n>>) -> (tensor<1x?x4x8x1xf32, #relax.sym<n>>) {
  %r = relax.expand_dims %a {axis = array<i64: 0, -1>} : (tensor<?x4x8xf32, #relax.sym<n>>) -> tensor<1x?x4x8x1xf32, #relax.sym<n>>
  return %r : tensor<1x?x4x8x1xf32, #relax.sym<n>>
}

// CHECK-LABEL: func.func @squeeze(
// CHECK-SAME:    %[[A:[a-z0-9]+]]: {{.*}}
// CHECK:         = relax.squeeze %[[A]] {axis = array<i64: 0, 2>} : (tensor<1x?x1xf32, #relax.sym<n>>) -> tensor<?xf32, #relax.sym<n>>
func.func @squeeze(%a: tensor<1x?x1xf32, #relax.sym<n>>) -> (tensor<?xf32, #relax.sym<n>>) {
  %r = relax.squeeze %a : (tensor<1x?x1xf32, #relax.sym<n>>) -> tensor<?xf32, #relax.sym<n>>
  return %r : tensor<?xf32, #relax.sym<n>>
}

// CHECK-LABEL: func.func @squeeze_2(
// CHECK-SAME:    %[[A:[a-z0-9]+]]: {{.*}}
// CHECK:         = relax.squeeze %[[A]] {axis = array<i64: -1>} : (tensor<1x?x1xf32, #relax.sym<n>>) -> tensor<1x?xf32, #relax.sym<n>>
func.func @squeeze_2(%a: tensor<1x?x1xf32, #relax.sym<n>>) -> (tensor<1x?xf32, #relax.sym<n>>) {
  %r = relax.squeeze %a {axis = array<i64: -1>} : (tensor<1x?x1xf32, #relax.sym<n>>) -> tensor<1x?xf32, #relax.sym<n>>
  return %r : tensor<1x?xf32, #relax.sym<n>>
}

// CHECK-LABEL: func.func @concat(
// CHECK-SAME:    %[[A:[a-z0-9]+]]: {{.*}}, %[[B:[a-z0-9]+]]: {{.*}}, %[[C:[a-z0-9]+]]: {{.*}}
// CHECK:         = relax.concat %[[A]], %[[B]], %[[C]] {axis = 0 : i64} : (tensor<?x4xi8, #relax.sym<n>>, tensor<?x4xi8, #relax.sym<m>>, tensor<2x4xi8>) -> tensor<?x4xi8, #relax.sym<m + n + 2>>
func.func @concat(%a: tensor<?x4xi8, #relax.sym<n>>, %b: tensor<?x4xi8, #relax.sym<m>>, %c: tensor<2x4xi8>) -> (tensor<?x4xi8, #relax.sym<m + n + 2>>) {
  %r = relax.concat %a, %b, %c {axis = 0 : i64} : (tensor<?x4xi8, #relax.sym<n>>, tensor<?x4xi8, #relax.sym<m>>, tensor<2x4xi8>) -> tensor<?x4xi8, #relax.sym<m + n + 2>>
  return %r : tensor<?x4xi8, #relax.sym<m + n + 2>>
}

// CHECK-LABEL: func.func @stack(
// CHECK-SAME:    %[[A:[a-z0-9]+]]: {{.*}}, %[[B:[a-z0-9]+]]: {{.*}}
// CHECK:         = relax.stack %[[A]], %[[B]] {axis = -1 : i64} : (tensor<?xf16, #relax.sym<n>>, tensor<?xf16, #relax.sym<n>>) -> tensor<?x2xf16, #relax.sym<n>>
func.func @stack(%a: tensor<?xf16, #relax.sym<n>>, %b: tensor<?xf16, #relax.sym<n>>) -> (tensor<?x2xf16, #relax.sym<n>>) {
  %r = relax.stack %a, %b {axis = -1 : i64} : (tensor<?xf16, #relax.sym<n>>, tensor<?xf16, #relax.sym<n>>) -> tensor<?x2xf16, #relax.sym<n>>
  return %r : tensor<?x2xf16, #relax.sym<n>>
}

// CHECK-LABEL: func.func @split(
// CHECK-SAME:    %[[A:[a-z0-9]+]]: {{.*}}
// CHECK:         = relax.split %[[A]] {sections = 2 : i64, axis = 1 : i64} : (tensor<?x6xf32, #relax.sym<n>>) -> (tensor<?x3xf32, #relax.sym<n>>, tensor<?x3xf32, #relax.sym<n>>)
func.func @split(%a: tensor<?x6xf32, #relax.sym<n>>) -> (tensor<?x3xf32, #relax.sym<n>>, tensor<?x3xf32, #relax.sym<n>>) {
  %r:2 = relax.split %a {sections = 2 : i64, axis = 1 : i64} : (tensor<?x6xf32, #relax.sym<n>>) -> (tensor<?x3xf32, #relax.sym<n>>, tensor<?x3xf32, #relax.sym<n>>)
  return %r#0, %r#1 : tensor<?x3xf32, #relax.sym<n>>, tensor<?x3xf32, #relax.sym<n>>
}

// CHECK-LABEL: func.func @split_2(
// CHECK-SAME:    %[[A:[a-z0-9]+]]: {{.*}}
// CHECK:         = relax.split %[[A]] {indices = array<i64: 1, 4>} : (tensor<6xf32>) -> (tensor<1xf32>, tensor<3xf32>, tensor<2xf32>)
func.func @split_2(%a: tensor<6xf32>) -> (tensor<1xf32>, tensor<3xf32>, tensor<2xf32>) {
  %r:3 = relax.split %a {indices = array<i64: 1, 4>} : (tensor<6xf32>) -> (tensor<1xf32>, tensor<3xf32>, tensor<2xf32>)
  return %r#0, %r#1, %r#2 : tensor<1xf32>, tensor<3xf32>, tensor<2xf32>
}

// CHECK-LABEL: func.func @split_3(
// CHECK-SAME:    %[[A:[a-z0-9]+]]: {{.*}}
// CHECK:         = relax.split %[[A]] {sections = 2 : i64, axis = 1 : i64} : (tensor<?x?xf32, #relax.sym<n, 2 * n>>) -> (tensor<?x?xf32, #relax.sym<n, n>>, tensor<?x?xf32, #relax.sym<n, n>>)
func.func @split_3(%a: tensor<?x?xf32, #relax.sym<n, 2 * n>>) -> (tensor<?x?xf32, #relax.sym<n, n>>, tensor<?x?xf32, #relax.sym<n, n>>) {
  %r:2 = relax.split %a {sections = 2 : i64, axis = 1 : i64} : (tensor<?x?xf32, #relax.sym<n, 2 * n>>) -> (tensor<?x?xf32, #relax.sym<n, n>>, tensor<?x?xf32, #relax.sym<n, n>>)
  return %r#0, %r#1 : tensor<?x?xf32, #relax.sym<n, n>>, tensor<?x?xf32, #relax.sym<n, n>>
}

// CHECK-LABEL: func.func @broadcast_to(
// CHECK-SAME:    %[[A:[a-z0-9]+]]: {{.*}}, %[[B:[a-z0-9]+]]: {{.*}}
// CHECK:         = relax.broadcast_to %[[A]], %[[B]] : (tensor<?x1xf32, #relax.sym<n>>, !relax.shape<[2, n, 3]>) -> tensor<2x?x3xf32, #relax.sym<n>>
func.func @broadcast_to(%a: tensor<?x1xf32, #relax.sym<n>>, %b: !relax.shape<[2, n, 3]>) -> (tensor<2x?x3xf32, #relax.sym<n>>) {
  %r = relax.broadcast_to %a, %b : (tensor<?x1xf32, #relax.sym<n>>, !relax.shape<[2, n, 3]>) -> tensor<2x?x3xf32, #relax.sym<n>>
  return %r : tensor<2x?x3xf32, #relax.sym<n>>
}

// CHECK-LABEL: func.func @collapse_sum_to(
// CHECK-SAME:    %[[A:[a-z0-9]+]]: {{.*}}, %[[B:[a-z0-9]+]]: {{.*}}
// CHECK:         = relax.collapse_sum_to %[[A]], %[[B]] : (tensor<2x?x3xf32, #relax.sym<n>>, !relax.shape<[n, 1]>) -> tensor<?x1xf32, #relax.sym<n>>
func.func @collapse_sum_to(%a: tensor<2x?x3xf32, #relax.sym<n>>, %b: !relax.shape<[n, 1]>) -> (tensor<?x1xf32, #relax.sym<n>>) {
  %r = relax.collapse_sum_to %a, %b : (tensor<2x?x3xf32, #relax.sym<n>>, !relax.shape<[n, 1]>) -> tensor<?x1xf32, #relax.sym<n>>
  return %r : tensor<?x1xf32, #relax.sym<n>>
}

// CHECK-LABEL: func.func @repeat(
// CHECK-SAME:    %[[A:[a-z0-9]+]]: {{.*}}
// CHECK:         = relax.repeat %[[A]] {repeats = 2 : i64, axis = 0 : i64} : (tensor<?x3xf32, #relax.sym<n>>) -> tensor<?x3xf32, #relax.sym<2 * n>>
func.func @repeat(%a: tensor<?x3xf32, #relax.sym<n>>) -> (tensor<?x3xf32, #relax.sym<2 * n>>) {
  %r = relax.repeat %a {repeats = 2 : i64, axis = 0 : i64} : (tensor<?x3xf32, #relax.sym<n>>) -> tensor<?x3xf32, #relax.sym<2 * n>>
  return %r : tensor<?x3xf32, #relax.sym<2 * n>>
}

// CHECK-LABEL: func.func @repeat_2(
// CHECK-SAME:    %[[A:[a-z0-9]+]]: {{.*}}
// CHECK:         = relax.repeat %[[A]] {repeats = 2 : i64} : (tensor<?x3xf32, #relax.sym<n>>) -> tensor<?xf32, #relax.sym<6 * n>>
func.func @repeat_2(%a: tensor<?x3xf32, #relax.sym<n>>) -> (tensor<?xf32, #relax.sym<6 * n>>) {
  %r = relax.repeat %a {repeats = 2 : i64} : (tensor<?x3xf32, #relax.sym<n>>) -> tensor<?xf32, #relax.sym<6 * n>>
  return %r : tensor<?xf32, #relax.sym<6 * n>>
}

// CHECK-LABEL: func.func @tile(
// CHECK-SAME:    %[[A:[a-z0-9]+]]: {{.*}}
// CHECK:         = relax.tile %[[A]] {repeats = array<i64: 2, 3, 1>} : (tensor<?x3xf32, #relax.sym<n>>) -> tensor<2x?x3xf32, #relax.sym<3 * n>>
func.func @tile(%a: tensor<?x3xf32, #relax.sym<n>>) -> (tensor<2x?x3xf32, #relax.sym<3 * n>>) {
  %r = relax.tile %a {repeats = array<i64: 2, 3, 1>} : (tensor<?x3xf32, #relax.sym<n>>) -> tensor<2x?x3xf32, #relax.sym<3 * n>>
  return %r : tensor<2x?x3xf32, #relax.sym<3 * n>>
}

// CHECK-LABEL: func.func @flip(
// CHECK-SAME:    %[[A:[a-z0-9]+]]: {{.*}}
// CHECK:         = relax.flip %[[A]] {axis = 1 : i64} : (tensor<?x4x8xf32, #relax.sym<n>>) -> tensor<?x4x8xf32, #relax.sym<n>>
func.func @flip(%a: tensor<?x4x8xf32, #relax.sym<n>>) -> (tensor<?x4x8xf32, #relax.sym<n>>) {
  %r = relax.flip %a {axis = 1 : i64} : (tensor<?x4x8xf32, #relax.sym<n>>) -> tensor<?x4x8xf32, #relax.sym<n>>
  return %r : tensor<?x4x8xf32, #relax.sym<n>>
}

// CHECK-LABEL: func.func @meshgrid(
// CHECK-SAME:    %[[A:[a-z0-9]+]]: {{.*}}, %[[B:[a-z0-9]+]]: {{.*}}
// CHECK:         = relax.meshgrid %[[A]], %[[B]] {indexing = "xy"} : (tensor<?xf32, #relax.sym<n>>, tensor<3xf32>) -> (tensor<3x?xf32, #relax.sym<n>>, tensor<3x?xf32, #relax.sym<n>>)
func.func @meshgrid(%a: tensor<?xf32, #relax.sym<n>>, %b: tensor<3xf32>) -> (tensor<3x?xf32, #relax.sym<n>>, tensor<3x?xf32, #relax.sym<n>>) {
  %r:2 = relax.meshgrid %a, %b {indexing = "xy"} : (tensor<?xf32, #relax.sym<n>>, tensor<3xf32>) -> (tensor<3x?xf32, #relax.sym<n>>, tensor<3x?xf32, #relax.sym<n>>)
  return %r#0, %r#1 : tensor<3x?xf32, #relax.sym<n>>, tensor<3x?xf32, #relax.sym<n>>
}

// CHECK-LABEL: func.func @nn_pad(
// CHECK-SAME:    %[[A:[a-z0-9]+]]: {{.*}}
// CHECK:         = relax.nn.pad %[[A]] {pad_width = array<i64: 1, 2, 0, 0>, pad_mode = "reflect"} : (tensor<?x3xf32, #relax.sym<n>>) -> tensor<?x3xf32, #relax.sym<n + 3>>
func.func @nn_pad(%a: tensor<?x3xf32, #relax.sym<n>>) -> (tensor<?x3xf32, #relax.sym<n + 3>>) {
  %r = relax.nn.pad %a {pad_width = array<i64: 1, 2, 0, 0>, pad_mode = "reflect"} : (tensor<?x3xf32, #relax.sym<n>>) -> tensor<?x3xf32, #relax.sym<n + 3>>
  return %r : tensor<?x3xf32, #relax.sym<n + 3>>
}

// CHECK-LABEL: func.func @nn_pad_2(
// CHECK-SAME:    %[[A:[a-z0-9]+]]: {{.*}}
// CHECK:         = relax.nn.pad %[[A]] {pad_width = array<i64: 1, 0>, pad_value = 1.500000e+00 : f64} : (tensor<2xf32>) -> tensor<3xf32>
func.func @nn_pad_2(%a: tensor<2xf32>) -> (tensor<3xf32>) {
  %r = relax.nn.pad %a {pad_width = array<i64: 1, 0>, pad_value = 1.500000e+00 : f64} : (tensor<2xf32>) -> tensor<3xf32>
  return %r : tensor<3xf32>
}
