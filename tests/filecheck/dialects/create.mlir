// RUN: relax-opt %s | relax-opt | filecheck %s
// RUN: relax-opt %s --print-op-generic | relax-opt | filecheck %s

// CHECK-LABEL: func.func @zeros(
// CHECK:         %[[A:.*]] = relax.shape : () -> !relax.shape<[n, 4]>
// CHECK:         = relax.zeros %[[A]] {dtype = bf16} : (!relax.shape<[n, 4]>) -> tensor<?x4xbf16, #relax.sym<n>>
func.func @zeros(%x: !relax.shape<[n]>) -> tensor<?x4xbf16, #relax.sym<n>> {
  %a = relax.shape : () -> !relax.shape<[n, 4]>
  %r = relax.zeros %a {dtype = bf16} : (!relax.shape<[n, 4]>) -> tensor<?x4xbf16, #relax.sym<n>>
  return %r : tensor<?x4xbf16, #relax.sym<n>>
}

// CHECK-LABEL: func.func @ones(
// CHECK:         %[[A:.*]] = relax.shape : () -> !relax.shape<[n, 4]>
// CHECK:         = relax.ones %[[A]] {dtype = i1} : (!relax.shape<[n, 4]>) -> tensor<?x4xi1, #relax.sym<n>>
func.func @ones(%x: !relax.shape<[n]>) -> tensor<?x4xi1, #relax.sym<n>> {
  %a = relax.shape : () -> !relax.shape<[n, 4]>
  %r = relax.ones %a {dtype = i1} : (!relax.shape<[n, 4]>) -> tensor<?x4xi1, #relax.sym<n>>
  return %r : tensor<?x4xi1, #relax.sym<n>>
}

// CHECK-LABEL: func.func @full(
// CHECK-SAME:    %[[B:[a-z0-9]+]]: {{.*}}, %[[X:[a-z0-9]+]]: {{.*}}
// CHECK:         %[[A:.*]] = relax.shape : () -> !relax.shape<[n, 4]>
// CHECK:         = relax.full %[[A]], %[[B]] : (!relax.shape<[n, 4]>, tensor<f32>) -> tensor<?x4xf32, #relax.sym<n>>
func.func @full(%b: tensor<f32>, %x: !relax.shape<[n]>) -> tensor<?x4xf32, #relax.sym<n>> {
  %a = relax.shape : () -> !relax.shape<[n, 4]>
  %r = relax.full %a, %b : (!relax.shape<[n, 4]>, tensor<f32>) -> tensor<?x4xf32, #relax.sym<n>>
  return %r : tensor<?x4xf32, #relax.sym<n>>
}

// CHECK-LABEL: func.func @full_2(
// CHECK-SAME:    %[[B:[a-z0-9]+]]: {{.*}}, %[[X:[a-z0-9]+]]: {{.*}}
// CHECK:         %[[A:.*]] = relax.shape : () -> !relax.shape<[n, 4]>
// CHECK:         = relax.full %[[A]], %[[B]] {dtype = i32} : (!relax.shape<[n, 4]>, tensor<f32>) -> tensor<?x4xi32, #relax.sym<n>>
func.func @full_2(%b: tensor<f32>, %x: !relax.shape<[n]>) -> tensor<?x4xi32, #relax.sym<n>> {
  %a = relax.shape : () -> !relax.shape<[n, 4]>
  %r = relax.full %a, %b {dtype = i32} : (!relax.shape<[n, 4]>, tensor<f32>) -> tensor<?x4xi32, #relax.sym<n>>
  return %r : tensor<?x4xi32, #relax.sym<n>>
}

// CHECK-LABEL: func.func @zeros_like(
// CHECK-SAME:    %[[A:[a-z0-9]+]]: {{.*}}
// CHECK:         = relax.zeros_like %[[A]] : (tensor<?x4xf32, #relax.sym<n>>) -> tensor<?x4xf32, #relax.sym<n>>
func.func @zeros_like(%a: tensor<?x4xf32, #relax.sym<n>>) -> tensor<?x4xf32, #relax.sym<n>> {
  %r = relax.zeros_like %a : (tensor<?x4xf32, #relax.sym<n>>) -> tensor<?x4xf32, #relax.sym<n>>
  return %r : tensor<?x4xf32, #relax.sym<n>>
}

// CHECK-LABEL: func.func @ones_like(
// CHECK-SAME:    %[[A:[a-z0-9]+]]: {{.*}}
// CHECK:         = relax.ones_like %[[A]] {dtype = i32} : (tensor<?x4xf32, #relax.sym<n>>) -> tensor<?x4xi32, #relax.sym<n>>
func.func @ones_like(%a: tensor<?x4xf32, #relax.sym<n>>) -> tensor<?x4xi32, #relax.sym<n>> {
  %r = relax.ones_like %a {dtype = i32} : (tensor<?x4xf32, #relax.sym<n>>) -> tensor<?x4xi32, #relax.sym<n>>
  return %r : tensor<?x4xi32, #relax.sym<n>>
}

// CHECK-LABEL: func.func @full_like(
// CHECK-SAME:    %[[A:[a-z0-9]+]]: {{.*}}, %[[B:[a-z0-9]+]]: {{.*}}
// CHECK:         = relax.full_like %[[A]], %[[B]] : (tensor<?x4xf32, #relax.sym<n>>, tensor<i32>) -> tensor<?x4xf32, #relax.sym<n>>
func.func @full_like(%a: tensor<?x4xf32, #relax.sym<n>>, %b: tensor<i32>) -> tensor<?x4xf32, #relax.sym<n>> {
  %r = relax.full_like %a, %b : (tensor<?x4xf32, #relax.sym<n>>, tensor<i32>) -> tensor<?x4xf32, #relax.sym<n>>
  return %r : tensor<?x4xf32, #relax.sym<n>>
}

// CHECK-LABEL: func.func @arange(
// CHECK:         = relax.arange {start = 2 : i64, end = 9 : i64, step = 3 : i64} : () -> tensor<3xi64>
func.func @arange() -> tensor<3xi64> {
  %r = relax.arange {start = 2 : i64, end = 9 : i64, step = 3 : i64} : () -> tensor<3xi64>
  return %r : tensor<3xi64>
}

// CHECK-LABEL: func.func @arange_2(
// CHECK:         = relax.arange {end = 1.000000e+00 : f64, step = 2.500000e-01 : f64} : () -> tensor<4xf32>
func.func @arange_2() -> tensor<4xf32> {
  %r = relax.arange {end = 1.000000e+00 : f64, step = 2.500000e-01 : f64} : () -> tensor<4xf32>
  return %r : tensor<4xf32>
}

// CHECK-LABEL: func.func @arange_3(
// CHECK:         %[[A:.*]] = relax.shape : () -> !relax.shape<[0, n, 2]>
// CHECK:         = relax.arange %[[A]] {dtype = f16} : (!relax.shape<[0, n, 2]>) -> tensor<?xf16, #relax.sym<(n + 1) floordiv 2>>
func.func @arange_3(%x: !relax.shape<[n]>) -> tensor<?xf16, #relax.sym<(n + 1) floordiv 2>> {
  %a = relax.shape : () -> !relax.shape<[0, n, 2]>
  %r = relax.arange %a {dtype = f16} : (!relax.shape<[0, n, 2]>) -> tensor<?xf16, #relax.sym<(n + 1) floordiv 2>>
  return %r : tensor<?xf16, #relax.sym<(n + 1) floordiv 2>>
}

// CHECK-LABEL: func.func @eye(
// CHECK:         %[[A:.*]] = relax.shape : () -> !relax.shape<[n, 4]>
// CHECK:         = relax.eye %[[A]] {k = 1 : i64, dtype = i8} : (!relax.shape<[n, 4]>) -> tensor<?x4xi8, #relax.sym<n>>
func.func @eye(%x: !relax.shape<[n]>) -> tensor<?x4xi8, #relax.sym<n>> {
  %a = relax.shape : () -> !relax.shape<[n, 4]>
  %r = relax.eye %a {k = 1 : i64, dtype = i8} : (!relax.shape<[n, 4]>) -> tensor<?x4xi8, #relax.sym<n>>
  return %r : tensor<?x4xi8, #relax.sym<n>>
}

// CHECK-LABEL: func.func @eye_2(
// CHECK:         %[[A:.*]] = relax.shape : () -> !relax.shape<[n, 4]>
// CHECK:         = relax.eye %[[A]] : (!relax.shape<[n, 4]>) -> tensor<?x4xf32, #relax.sym<n>>
func.func @eye_2(%x: !relax.shape<[n]>) -> tensor<?x4xf32, #relax.sym<n>> {
  %a = relax.shape : () -> !relax.shape<[n, 4]>
  %r = relax.eye %a : (!relax.shape<[n, 4]>) -> tensor<?x4xf32, #relax.sym<n>>
  return %r : tensor<?x4xf32, #relax.sym<n>>
}

// CHECK-LABEL: func.func @eye_like(
// CHECK-SAME:    %[[A:[a-z0-9]+]]: {{.*}}
// CHECK:         = relax.eye_like %[[A]] {k = -1 : i64} : (tensor<?x4xf32, #relax.sym<n>>) -> tensor<?x4xf32, #relax.sym<n>>
func.func @eye_like(%a: tensor<?x4xf32, #relax.sym<n>>) -> tensor<?x4xf32, #relax.sym<n>> {
  %r = relax.eye_like %a {k = -1 : i64} : (tensor<?x4xf32, #relax.sym<n>>) -> tensor<?x4xf32, #relax.sym<n>>
  return %r : tensor<?x4xf32, #relax.sym<n>>
}

// CHECK-LABEL: func.func @tril(
// CHECK-SAME:    %[[A:[a-z0-9]+]]: {{.*}}
// CHECK:         = relax.tril %[[A]] {k = 2 : i64} : (tensor<?x4xf32, #relax.sym<n>>) -> tensor<?x4xf32, #relax.sym<n>>
func.func @tril(%a: tensor<?x4xf32, #relax.sym<n>>) -> tensor<?x4xf32, #relax.sym<n>> {
  %r = relax.tril %a {k = 2 : i64} : (tensor<?x4xf32, #relax.sym<n>>) -> tensor<?x4xf32, #relax.sym<n>>
  return %r : tensor<?x4xf32, #relax.sym<n>>
}

// CHECK-LABEL: func.func @triu(
// CHECK-SAME:    %[[A:[a-z0-9]+]]: {{.*}}
// CHECK:         = relax.triu %[[A]] : (tensor<?x4xf32, #relax.sym<n>>) -> tensor<?x4xf32, #relax.sym<n>>
func.func @triu(%a: tensor<?x4xf32, #relax.sym<n>>) -> tensor<?x4xf32, #relax.sym<n>> {
  %r = relax.triu %a : (tensor<?x4xf32, #relax.sym<n>>) -> tensor<?x4xf32, #relax.sym<n>>
  return %r : tensor<?x4xf32, #relax.sym<n>>
}

// CHECK-LABEL: func.func @hamming_window(
// CHECK:         %[[A:.*]] = relax.shape : () -> !relax.shape<[n]>
// CHECK:         = relax.hamming_window %[[A]] {periodic = false, alpha = 5.000000e-01 : f64, beta = 2.500000e-01 : f64, dtype = f32} : (!relax.shape<[n]>) -> tensor<?xf32, #relax.sym<n>>
func.func @hamming_window(%x: !relax.shape<[n]>) -> tensor<?xf32, #relax.sym<n>> {
  %a = relax.shape : () -> !relax.shape<[n]>
  %r = relax.hamming_window %a {periodic = false, alpha = 5.000000e-01 : f64, beta = 2.500000e-01 : f64, dtype = f32} : (!relax.shape<[n]>) -> tensor<?xf32, #relax.sym<n>>
  return %r : tensor<?xf32, #relax.sym<n>>
}
