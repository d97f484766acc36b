// RUN: relax-opt %s --verify-diagnostics --split-input-file

func.func @resize2d_c1(%a: tensor<2x3x8x8xi1>, %b: !relax.shape<[16, 16]>) {
  // expected-error@below {{resize2d_c1: element type must be one of}}
  %0 = relax.image.resize2d %a, %b : (tensor<2x3x8x8xi1>, !relax.shape<[16, 16]>) -> tensor<2x3x8x8xi1>
  return
}

// -----

func.func @resize2d_c2(%a: tensor<2x3x8x8xf32>, %b: !relax.shape<[16, 16]>) {
  // expected-error@below {{resize2d_c2: layout must be a permutation of NCHW, got 'NCHW4c'}}
  %0 = relax.image.resize2d %a, %b {layout = "NCHW4c"} : (tensor<2x3x8x8xf32>, !relax.shape<[16, 16]>) -> tensor<2x3x8x8xf32>
  return
}

// -----

func.func @resize2d_c3(%a: tensor<8x8xf32>, %b: !relax.shape<[16, 16]>) {
  // expected-error@below {{resize2d_c3: the operand must have rank 4, got [8, 8]}}
  %0 = relax.image.resize2d %a, %b : (tensor<8x8xf32>, !relax.shape<[16, 16]>) -> tensor<8x8xf32>
  return
}

// -----

func.func @resize2d_c7(%a: tensor<2x3x0x8xf32>, %b: !relax.shape<[16, 16]>) {
  // expected-error@below {{resize2d_c7: height and width of the image must be at least 1, got [0, 8]}}
  %r = "relax.image.resize2d"(%a, %b) : (tensor<2x3x0x8xf32>, !relax.shape<[16, 16]>) -> tensor<2x3x16x16xf32>
  return
}

// -----

func.func @resize2d_c4(%a: tensor<2x3x8x8xf32>, %b: !relax.shape<[16]>) {
  // expected-error@below {{resize2d_c4: size must have 2 positive dims, got [16]}}
  %0 = relax.image.resize2d %a, %b : (tensor<2x3x8x8xf32>, !relax.shape<[16]>) -> tensor<2x3x8x8xf32>
  return
}

// -----

func.func @resize2d_c4(%a: tensor<2x3x8x8xf32>, %b: !relax.shape<[0, 4]>) {
  // expected-error@below {{resize2d_c4: size must have 2 positive dims, got [0, 4]}}
  %0 = relax.image.resize2d %a, %b : (tensor<2x3x8x8xf32>, !relax.shape<[0, 4]>) -> tensor<2x3x8x8xf32>
  return
}

// -----

func.func @resize2d_c5(%a: tensor<2x3x8x8xf32>, %b: !relax.shape<[16, 16]>) {
  // expected-error@below {{resize2d_c5: method must be one of 'nearest_neighbor', 'linear', 'cubic', got 'area'}}
  %0 = relax.image.resize2d %a, %b {method = "area"} : (tensor<2x3x8x8xf32>, !relax.shape<[16, 16]>) -> tensor<2x3x8x8xf32>
  return
}

// -----

func.func @resize2d_c5(%a: tensor<2x3x8x8xf32>, %b: !relax.shape<[16, 16]>) {
  // expected-error@below {{resize2d_c5: coordinate_transformation_mode must be one of}}
  %0 = relax.image.resize2d %a, %b {coordinate_transformation_mode = "half"} : (tensor<2x3x8x8xf32>, !relax.shape<[16, 16]>) -> tensor<2x3x8x8xf32>
  return
}

// -----

func.func @resize2d_c5(%a: tensor<2x3x8x8xf32>, %b: !relax.shape<[16, 16]>) {
  // expected-error@below {{resize2d_c5: rounding_method must be one of}}
  %0 = relax.image.resize2d %a, %b {rounding_method = "even"} : (tensor<2x3x8x8xf32>, !relax.shape<[16, 16]>) -> tensor<2x3x8x8xf32>
  return
}

// -----

func.func @resize2d_c6(%a: tensor<2x3x8x8xf32>, %b: !relax.shape<[16, 16]>) {
  // expected-error@below {{resize2d_c6: roi must have 4 values, got 0}}
  %0 = relax.image.resize2d %a, %b {coordinate_transformation_mode = "tf_crop_and_resize"} : (tensor<2x3x8x8xf32>, !relax.shape<[16, 16]>) -> tensor<2x3x8x8xf32>
  return
}

// -----

func.func @resize2d_c6(%a: tensor<2x3x8x8xf32>, %b: !relax.shape<[16, 16]>) {
  // expected-error@below {{resize2d_c6: roi must have 4 values, got 2}}
  %0 = relax.image.resize2d %a, %b {roi = array<f64: 0.000000e+00, 1.000000e+00>} : (tensor<2x3x8x8xf32>, !relax.shape<[16, 16]>) -> tensor<2x3x8x8xf32>
  return
}

// -----

func.func @resize2d_c8(%a: tensor<2x3x8x8xf32>, %b: !relax.shape<[16, 16]>) {
  // expected-error@below {{resize2d_c8: scales must have 2 positive values, got [2.0, -1.0]}}
  %0 = relax.image.resize2d %a, %b {scales = array<f64: 2.0, -1.0>} : (tensor<2x3x8x8xf32>, !relax.shape<[16, 16]>) -> tensor<2x3x16x16xf32>
  return
}
