// RUN: relax-opt %s -p relax-recognize-norms | filecheck %s

// CHECK-LABEL: func.func @rms_norm
// CHECK-NEXT: %[[Y:.*]] = relax.nn.rms_norm %x, %w {axes = array<i64: 1>, epsilon = 1.000000e-05 : f64}
// CHECK-NEXT: return %[[Y]]
func.func @rms_norm(%x: tensor<?x16xf64, #relax.sym<n>>, %w: tensor<16xf64>) -> tensor<?x16xf64, #relax.sym<n>> {
  %two = relax.constant {value = dense<2.0> : tensor<f64>} : () -> tensor<f64>
  %epsilon = relax.constant {value = dense<1.0e-05> : tensor<f64>} : () -> tensor<f64>
  %squares = relax.power %x, %two : (tensor<?x16xf64, #relax.sym<n>>, tensor<f64>) -> tensor<?x16xf64, #relax.sym<n>>
  %mean = relax.mean %squares {axis = array<i64: -1>, keepdims = true} : (tensor<?x16xf64, #relax.sym<n>>) -> tensor<?x1xf64, #relax.sym<n>>
  %shifted = relax.add %mean, %epsilon : (tensor<?x1xf64, #relax.sym<n>>, tensor<f64>) -> tensor<?x1xf64, #relax.sym<n>>
  %factor = relax.rsqrt %shifted : (tensor<?x1xf64, #relax.sym<n>>) -> tensor<?x1xf64, #relax.sym<n>>
  %normal = relax.multiply %x, %factor : (tensor<?x16xf64, #relax.sym<n>>, tensor<?x1xf64, #relax.sym<n>>) -> tensor<?x16xf64, #relax.sym<n>>
  %y = relax.multiply %w, %normal : (tensor<16xf64>, tensor<?x16xf64, #relax.sym<n>>) -> tensor<?x16xf64, #relax.sym<n>>
  return %y : tensor<?x16xf64, #relax.sym<n>>
}

// Over two axes, with a quotient of one and the root, and the square as a product.
// CHECK-LABEL: func.func @layer_norm
// CHECK-NEXT: %[[Y:.*]] = relax.nn.layer_norm %x, %g, %b {axes = array<i64: 1, 2>, epsilon = 1.000000e-03 : f64}
// CHECK-NEXT: return %[[Y]]
func.func @layer_norm(%x: tensor<2x3x4xf64>, %g: tensor<3x4xf64>, %b: tensor<3x4xf64>) -> tensor<2x3x4xf64> {
  %one = relax.constant {value = dense<1.0> : tensor<f64>} : () -> tensor<f64>
  %epsilon = relax.constant {value = dense<1.0e-03> : tensor<1xf64>} : () -> tensor<1xf64>
  %mean = relax.mean %x {axis = array<i64: 1, 2>, keepdims = true} : (tensor<2x3x4xf64>) -> tensor<2x1x1xf64>
  %centered = relax.subtract %x, %mean : (tensor<2x3x4xf64>, tensor<2x1x1xf64>) -> tensor<2x3x4xf64>
  %squares = relax.multiply %centered, %centered : (tensor<2x3x4xf64>, tensor<2x3x4xf64>) -> tensor<2x3x4xf64>
  %variance = relax.mean %squares {axis = array<i64: 1, 2>, keepdims = true} : (tensor<2x3x4xf64>) -> tensor<2x1x1xf64>
  %shifted = relax.add %epsilon, %variance : (tensor<1xf64>, tensor<2x1x1xf64>) -> tensor<2x1x1xf64>
  %root = relax.sqrt %shifted : (tensor<2x1x1xf64>) -> tensor<2x1x1xf64>
  %inverse = relax.divide %one, %root : (tensor<f64>, tensor<2x1x1xf64>) -> tensor<2x1x1xf64>
  %normal = relax.multiply %inverse, %centered : (tensor<2x1x1xf64>, tensor<2x3x4xf64>) -> tensor<2x3x4xf64>
  %scaled = relax.multiply %normal, %g : (tensor<2x3x4xf64>, tensor<3x4xf64>) -> tensor<2x3x4xf64>
  %y = relax.add %b, %scaled : (tensor<3x4xf64>, tensor<2x3x4xf64>) -> tensor<2x3x4xf64>
  return %y : tensor<2x3x4xf64>
}

// Data that are centered, without a sum behind: the norm of what is centered.
// CHECK-LABEL: func.func @rms_norm_of_centered
// CHECK: %[[CENTERED:.*]] = relax.subtract
// CHECK-NEXT: relax.nn.rms_norm %[[CENTERED]], %g
func.func @rms_norm_of_centered(%x: tensor<2x4xf64>, %g: tensor<4xf64>) -> tensor<2x4xf64> {
  %epsilon = relax.constant {value = dense<1.0e-03> : tensor<f64>} : () -> tensor<f64>
  %mean = relax.mean %x {axis = array<i64: 1>, keepdims = true} : (tensor<2x4xf64>) -> tensor<2x1xf64>
  %centered = relax.subtract %x, %mean : (tensor<2x4xf64>, tensor<2x1xf64>) -> tensor<2x4xf64>
  %squares = relax.multiply %centered, %centered : (tensor<2x4xf64>, tensor<2x4xf64>) -> tensor<2x4xf64>
  %variance = relax.mean %squares {axis = array<i64: 1>, keepdims = true} : (tensor<2x4xf64>) -> tensor<2x1xf64>
  %shifted = relax.add %variance, %epsilon : (tensor<2x1xf64>, tensor<f64>) -> tensor<2x1xf64>
  %root = relax.sqrt %shifted : (tensor<2x1xf64>) -> tensor<2x1xf64>
  %normal = relax.divide %centered, %root : (tensor<2x4xf64>, tensor<2x1xf64>) -> tensor<2x4xf64>
  %y = relax.multiply %normal, %g : (tensor<2x4xf64>, tensor<4xf64>) -> tensor<2x4xf64>
  return %y : tensor<2x4xf64>
}

// The mean of the squares is a result too, so that the norm would compute it again.
// CHECK-LABEL: func.func @mean_is_read
// CHECK-NOT: rms_norm
// CHECK: return
func.func @mean_is_read(%x: tensor<2x4xf64>, %w: tensor<4xf64>) -> (tensor<2x4xf64>, tensor<2x1xf64>) {
  %epsilon = relax.constant {value = dense<1.0e-03> : tensor<f64>} : () -> tensor<f64>
  %squares = relax.multiply %x, %x : (tensor<2x4xf64>, tensor<2x4xf64>) -> tensor<2x4xf64>
  %mean = relax.mean %squares {axis = array<i64: 1>, keepdims = true} : (tensor<2x4xf64>) -> tensor<2x1xf64>
  %shifted = relax.add %mean, %epsilon : (tensor<2x1xf64>, tensor<f64>) -> tensor<2x1xf64>
  %root = relax.sqrt %shifted : (tensor<2x1xf64>) -> tensor<2x1xf64>
  %normal = relax.divide %x, %root : (tensor<2x4xf64>, tensor<2x1xf64>) -> tensor<2x4xf64>
  %y = relax.multiply %normal, %w : (tensor<2x4xf64>, tensor<4xf64>) -> tensor<2x4xf64>
  return %y, %mean : tensor<2x4xf64>, tensor<2x1xf64>
}

// A weight for each row, and a mean over the rows.
// CHECK-LABEL: func.func @other_axes
// CHECK-NOT: rms_norm
// CHECK: return
func.func @other_axes(%x: tensor<4x4xf64>, %w: tensor<4x1xf64>, %v: tensor<4xf64>) -> (tensor<4x4xf64>, tensor<4x4xf64>) {
  %epsilon = relax.constant {value = dense<1.0e-03> : tensor<f64>} : () -> tensor<f64>
  %squares = relax.multiply %x, %x : (tensor<4x4xf64>, tensor<4x4xf64>) -> tensor<4x4xf64>
  %mean = relax.mean %squares {axis = array<i64: 1>, keepdims = true} : (tensor<4x4xf64>) -> tensor<4x1xf64>
  %shifted = relax.add %mean, %epsilon : (tensor<4x1xf64>, tensor<f64>) -> tensor<4x1xf64>
  %root = relax.sqrt %shifted : (tensor<4x1xf64>) -> tensor<4x1xf64>
  %normal = relax.divide %x, %root : (tensor<4x4xf64>, tensor<4x1xf64>) -> tensor<4x4xf64>
  %y = relax.multiply %normal, %w : (tensor<4x4xf64>, tensor<4x1xf64>) -> tensor<4x4xf64>
  %squares1 = relax.multiply %y, %y : (tensor<4x4xf64>, tensor<4x4xf64>) -> tensor<4x4xf64>
  %mean1 = relax.mean %squares1 {axis = array<i64: 0>, keepdims = true} : (tensor<4x4xf64>) -> tensor<1x4xf64>
  %shifted1 = relax.add %mean1, %epsilon : (tensor<1x4xf64>, tensor<f64>) -> tensor<1x4xf64>
  %root1 = relax.sqrt %shifted1 : (tensor<1x4xf64>) -> tensor<1x4xf64>
  %normal1 = relax.divide %y, %root1 : (tensor<4x4xf64>, tensor<1x4xf64>) -> tensor<4x4xf64>
  %z = relax.multiply %normal1, %v : (tensor<4x4xf64>, tensor<4xf64>) -> tensor<4x4xf64>
  return %y, %z : tensor<4x4xf64>, tensor<4x4xf64>
}

// CHECK-LABEL: func.func @powers
// CHECK: %[[SQUARE:.*]] = relax.multiply %x, %x
// CHECK-NEXT: %[[TWICE:.*]] = relax.multiply %x, %x
// CHECK-NEXT: %[[CUBE:.*]] = relax.multiply %[[TWICE]], %x
// CHECK: %[[INVERSE:.*]] = relax.divide %{{.*}}, %x
// CHECK: %[[ROOT:.*]] = relax.power %x
// CHECK: return %[[SQUARE]], %[[CUBE]], %[[INVERSE]], %[[ROOT]]
func.func @powers(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %two = relax.constant {value = dense<2.0> : tensor<f32>} : () -> tensor<f32>
  %three = relax.constant {value = dense<3.0> : tensor<4xf32>} : () -> tensor<4xf32>
  %minus_one = relax.constant {value = dense<-1.0> : tensor<f32>} : () -> tensor<f32>
  %half = relax.constant {value = dense<0.5> : tensor<f32>} : () -> tensor<f32>
  %square = relax.power %x, %two : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %cube = relax.power %x, %three : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %inverse = relax.power %x, %minus_one : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  // The root of -0 is -0, its power is 0.
  %root = relax.power %x, %half : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  return %square, %cube, %inverse, %root : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// CHECK-LABEL: func.func @other_powers
// CHECK: relax.power
// CHECK: relax.power
// CHECK: relax.power
func.func @other_powers(%h: tensor<4xf16>, %i: tensor<4xi32>, %x: tensor<1xf32>) -> (tensor<4xf16>, tensor<4xi32>, tensor<4xf32>) {
  %three = relax.constant {value = dense<3.0> : tensor<f16>} : () -> tensor<f16>
  %two = relax.constant {value = dense<2> : tensor<i32>} : () -> tensor<i32>
  %twos = relax.constant {value = dense<2.0> : tensor<4xf32>} : () -> tensor<4xf32>
  %cube = relax.power %h, %three : (tensor<4xf16>, tensor<f16>) -> tensor<4xf16>
  %square = relax.power %i, %two : (tensor<4xi32>, tensor<i32>) -> tensor<4xi32>
  %wide = relax.power %x, %twos : (tensor<1xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %cube, %square, %wide : tensor<4xf16>, tensor<4xi32>, tensor<4xf32>
}
