// RUN: relax-opt %s | relax-opt | filecheck %s
// RUN: relax-opt %s --print-op-generic | relax-opt | filecheck %s

// CHECK-LABEL: func.func @resize2d(
// CHECK-SAME:    %[[A:[a-z0-9]+]]: {{.*}}, %[[B:[a-z0-9]+]]: {{.*}}
// CHECK:         = relax.image.resize2d %[[A]], %[[B]] : (tensor<?x3x?x?xf32, #relax.sym<n, h, w>>, !relax.shape<[h, 2 * w]>) -> tensor<?x3x?x?xf32, #relax.sym<n, h, 2 * w>>
func.func @resize2d(%a: tensor<?x3x?x?xf32, #relax.sym<n, h, w>>, %b: !relax.shape<[h, 2 * w]>) -> (tensor<?x3x?x?xf32, #relax.sym<n, h, 2 * w>>) {
  %r = relax.image.resize2d %a, %b : (tensor<?x3x?x?xf32, #relax.sym<n, h, w>>, !relax.shape<[h, 2 * w]>) -> tensor<?x3x?x?xf32, #relax.sym<n, h, 2 * w>>
  return %r : tensor<?x3x?x?xf32, #relax.sym<n, h, 2 * w>>
}

// CHECK-LABEL: func.func @resize2d_2(
// CHECK-SAME:    %[[A:[a-z0-9]+]]: {{.*}}, %[[B:[a-z0-9]+]]: {{.*}}
// CHECK:         = relax.image.resize2d %[[A]], %[[B]] {layout = "NHWC", method = "cubic", coordinate_transformation_mode = "align_corners", cubic_alpha = -5.000000e-01 : f64, cubic_exclude = 1 : i64, out_dtype = f32} : (tensor<2x8x8x3xui8>, !relax.shape<[16, 16]>) -> tensor<2x16x16x3xf32>
func.func @resize2d_2(%a: tensor<2x8x8x3xui8>, %b: !relax.shape<[16, 16]>) -> (tensor<2x16x16x3xf32>) {
  %r = relax.image.resize2d %a, %b {layout = "NHWC", method = "cubic", coordinate_transformation_mode = "align_corners", cubic_alpha = -5.000000e-01 : f64, cubic_exclude = 1 : i64, out_dtype = f32} : (tensor<2x8x8x3xui8>, !relax.shape<[16, 16]>) -> tensor<2x16x16x3xf32>
  return %r : tensor<2x16x16x3xf32>
}

// CHECK-LABEL: func.func @resize2d_3(
// CHECK-SAME:    %[[A:[a-z0-9]+]]: {{.*}}, %[[B:[a-z0-9]+]]: {{.*}}
// CHECK:         = relax.image.resize2d %[[A]], %[[B]] {method = "nearest_neighbor", rounding_method = "floor"} : (tensor<2x3x8x8xf32>, !relax.shape<[16, 16]>) -> tensor<2x3x16x16xf32>
func.func @resize2d_3(%a: tensor<2x3x8x8xf32>, %b: !relax.shape<[16, 16]>) -> (tensor<2x3x16x16xf32>) {
  %r = relax.image.resize2d %a, %b {method = "nearest_neighbor", rounding_method = "floor"} : (tensor<2x3x8x8xf32>, !relax.shape<[16, 16]>) -> tensor<2x3x16x16xf32>
  return %r : tensor<2x3x16x16xf32>
}

// CHECK-LABEL: func.func @resize2d_4(
// CHECK-SAME:    %[[A:[a-z0-9]+]]: {{.*}}, %[[B:[a-z0-9]+]]: {{.*}}
// CHECK:         = relax.image.resize2d %[[A]], %[[B]] {roi = array<f64: 0.000000e+00, 0.000000e+00, 5.000000e-01, 1.000000e+00>, coordinate_transformation_mode = "tf_crop_and_resize", extrapolation_value = 1.000000e+00 : f64} : (tensor<2x3x8x8xf32>, !relax.shape<[16, 16]>) -> tensor<2x3x16x16xf32>
func.func @resize2d_4(%a: tensor<2x3x8x8xf32>, %b: !relax.shape<[16, 16]>) -> (tensor<2x3x16x16xf32>) {
  %r = relax.image.resize2d %a, %b {roi = array<f64: 0.000000e+00, 0.000000e+00, 5.000000e-01, 1.000000e+00>, coordinate_transformation_mode = "tf_crop_and_resize", extrapolation_value = 1.000000e+00 : f64} : (tensor<2x3x8x8xf32>, !relax.shape<[16, 16]>) -> tensor<2x3x16x16xf32>
  return %r : tensor<2x3x16x16xf32>
}
