// RUN: relax-opt %s | relax-opt | filecheck %s
// RUN: relax-opt %s --print-op-generic | relax-opt | filecheck %s

// CHECK-LABEL: func.func @add(
// CHECK-SAME:    %[[A:[a-z0-9]+]]: {{.*}}, %[[B:[a-z0-9]+]]: {{.*}}
// CHECK:         = relax.add %[[A]], %[[B]] : (tensor<?x4xf32, #relax.sym<n>>, tensor<4xf32>) -> tensor<?x4xf32, #relax.sym<n>>
func.func @add(%a: tensor<?x4xf32, #relax.sym<n>>, %b: tensor<4xf32>) -> tensor<?x4xf32, #relax.sym<n>> {
  %r = relax.add %a, %b : (tensor<?x4xf32, #relax.sym<n>>, tensor<4xf32>) -> tensor<?x4xf32, #relax.sym<n>>
  return %r : tensor<?x4xf32, #relax.sym<n>>
}

// CHECK-LABEL: func.func @subtract(
// CHECK-SAME:    %[[A:[a-z0-9]+]]: {{.*}}, %[[B:[a-z0-9]+]]: {{.*}}
// CHECK:         = relax.subtract %[[A]], %[[B]] : (tensor<?x4xf32, #relax.sym<n>>, tensor<4xf32>) -> tensor<?x4xf32, #relax.sym<n>>
func.func @subtract(%a: tensor<?x4xf32, #relax.sym<n>>, %b: tensor<4xf32>) -> tensor<?x4xf32, #relax.sym<n>> {
  %r = relax.subtract %a, %b : (tensor<?x4xf32, #relax.sym<n>>, tensor<4xf32>) -> tensor<?x4xf32, #relax.sym<n>>
  return %r : tensor<?x4xf32, #relax.sym<n>>
}

// CHECK-LABEL: func.func @multiply(
// CHECK-SAME:    %[[A:[a-z0-9]+]]: {{.*}}, %[[B:[a-z0-9]+]]: {{.*}}
// CHECK:         = relax.multiply %[[A]], %[[B]] : (tensor<?x4xf32, #relax.sym<n>>, tensor<4xf32>) -> tensor<?x4xf32, #relax.sym<n>>
func.func @multiply(%a: tensor<?x4xf32, #relax.sym<n>>, %b: tensor<4xf32>) -> tensor<?x4xf32, #relax.sym<n>> {
  %r = relax.multiply %a, %b : (tensor<?x4xf32, #relax.sym<n>>, tensor<4xf32>) -> tensor<?x4xf32, #relax.sym<n>>
  return %r : tensor<?x4xf32, #relax.sym<n>>
}

// CHECK-LABEL: func.func @divide(
// CHECK-SAME:    %[[A:[a-z0-9]+]]: {{.*}}, %[[B:[a-z0-9]+]]: {{.*}}
// CHECK:         = relax.divide %[[A]], %[[B]] : (tensor<?x4xf32, #relax.sym<n>>, tensor<4xf32>) -> tensor<?x4xf32, #relax.sym<n>>
func.func @divide(%a: tensor<?x4xf32, #relax.sym<n>>, %b: tensor<4xf32>) -> tensor<?x4xf32, #relax.sym<n>> {
  %r = relax.divide %a, %b : (tensor<?x4xf32, #relax.sym<n>>, tensor<4xf32>) -> tensor<?x4xf32, #relax.sym<n>>
  return %r : tensor<?x4xf32, #relax.sym<n>>
}

// CHECK-LABEL: func.func @floor_divide(
// CHECK-SAME:    %[[A:[a-z0-9]+]]: {{.*}}, %[[B:[a-z0-9]+]]: {{.*}}
// CHECK:         = relax.floor_divide %[[A]], %[[B]] : (tensor<?x4xf32, #relax.sym<n>>, tensor<4xf32>) -> tensor<?x4xf32, #relax.sym<n>>
func.func @floor_divide(%a: tensor<?x4xf32, #relax.sym<n>>, %b: tensor<4xf32>) -> tensor<?x4xf32, #relax.sym<n>> {
  %r = relax.floor_divide %a, %b : (tensor<?x4xf32, #relax.sym<n>>, tensor<4xf32>) -> tensor<?x4xf32, #relax.sym<n>>
  return %r : tensor<?x4xf32, #relax.sym<n>>
}

// CHECK-LABEL: func.func @power(
// CHECK-SAME:    %[[A:[a-z0-9]+]]: {{.*}}, %[[B:[a-z0-9]+]]: {{.*}}
// CHECK:         = relax.power %[[A]], %[[B]] : (tensor<?x4xf32, #relax.sym<n>>, tensor<4xf32>) -> tensor<?x4xf32, #relax.sym<n>>
func.func @power(%a: tensor<?x4xf32, #relax.sym<n>>, %b: tensor<4xf32>) -> tensor<?x4xf32, #relax.sym<n>> {
  %r = relax.power %a, %b : (tensor<?x4xf32, #relax.sym<n>>, tensor<4xf32>) -> tensor<?x4xf32, #relax.sym<n>>
  return %r : tensor<?x4xf32, #relax.sym<n>>
}

// CHECK-LABEL: func.func @mod(
// CHECK-SAME:    %[[A:[a-z0-9]+]]: {{.*}}, %[[B:[a-z0-9]+]]: {{.*}}
// CHECK:         = relax.mod %[[A]], %[[B]] : (tensor<?x4xf32, #relax.sym<n>>, tensor<4xf32>) -> tensor<?x4xf32, #relax.sym<n>>
func.func @mod(%a: tensor<?x4xf32, #relax.sym<n>>, %b: tensor<4xf32>) -> tensor<?x4xf32, #relax.sym<n>> {
  %r = relax.mod %a, %b : (tensor<?x4xf32, #relax.sym<n>>, tensor<4xf32>) -> tensor<?x4xf32, #relax.sym<n>>
  return %r : tensor<?x4xf32, #relax.sym<n>>
}

// CHECK-LABEL: func.func @floor_mod(
// CHECK-SAME:    %[[A:[a-z0-9]+]]: {{.*}}, %[[B:[a-z0-9]+]]: {{.*}}
// CHECK:         = relax.floor_mod %[[A]], %[[B]] : (tensor<?x4xf32, #relax.sym<n>>, tensor<4xf32>) -> tensor<?x4xf32, #relax.sym<n>>
func.func @floor_mod(%a: tensor<?x4xf32, #relax.sym<n>>, %b: tensor<4xf32>) -> tensor<?x4xf32, #relax.sym<n>> {
  %r = relax.floor_mod %a, %b : (tensor<?x4xf32, #relax.sym<n>>, tensor<4xf32>) -> tensor<?x4xf32, #relax.sym<n>>
  return %r : tensor<?x4xf32, #relax.sym<n>>
}

// CHECK-LABEL: func.func @maximum(
// CHECK-SAME:    %[[A:[a-z0-9]+]]: {{.*}}, %[[B:[a-z0-9]+]]: {{.*}}
// CHECK:         = relax.maximum %[[A]], %[[B]] : (tensor<?x4xf32, #relax.sym<n>>, tensor<4xf32>) -> tensor<?x4xf32, #relax.sym<n>>
func.func @maximum(%a: tensor<?x4xf32, #relax.sym<n>>, %b: tensor<4xf32>) -> tensor<?x4xf32, #relax.sym<n>> {
  %r = relax.maximum %a, %b : (tensor<?x4xf32, #relax.sym<n>>, tensor<4xf32>) -> tensor<?x4xf32, #relax.sym<n>>
  return %r : tensor<?x4xf32, #relax.sym<n>>
}

// CHECK-LABEL: func.func @minimum(
// CHECK-SAME:    %[[A:[a-z0-9]+]]: {{.*}}, %[[B:[a-z0-9]+]]: {{.*}}
// CHECK:         = relax.minimum %[[A]], %[[B]] : (tensor<?x4xf32, #relax.sym<n>>, tensor<4xf32>) -> tensor<?x4xf32, #relax.sym<n>>
func.func @minimum(%a: tensor<?x4xf32, #relax.sym<n>>, %b: tensor<4xf32>) -> tensor<?x4xf32, #relax.sym<n>> {
  %r = relax.minimum %a, %b : (tensor<?x4xf32, #relax.sym<n>>, tensor<4xf32>) -> tensor<?x4xf32, #relax.sym<n>>
  return %r : tensor<?x4xf32, #relax.sym<n>>
}

// CHECK-LABEL: func.func @log_add_exp(
// CHECK-SAME:    %[[A:[a-z0-9]+]]: {{.*}}, %[[B:[a-z0-9]+]]: {{.*}}
// CHECK:         = relax.log_add_exp %[[A]], %[[B]] : (tensor<?x4xf32, #relax.sym<n>>, tensor<4xf32>) -> tensor<?x4xf32, #relax.sym<n>>
func.func @log_add_exp(%a: tensor<?x4xf32, #relax.sym<n>>, %b: tensor<4xf32>) -> tensor<?x4xf32, #relax.sym<n>> {
  %r = relax.log_add_exp %a, %b : (tensor<?x4xf32, #relax.sym<n>>, tensor<4xf32>) -> tensor<?x4xf32, #relax.sym<n>>
  return %r : tensor<?x4xf32, #relax.sym<n>>
}

// CHECK-LABEL: func.func @equal(
// CHECK-SAME:    %[[A:[a-z0-9]+]]: {{.*}}, %[[B:[a-z0-9]+]]: {{.*}}
// CHECK:         = relax.equal %[[A]], %[[B]] : (tensor<?x4xf32, #relax.sym<n>>, tensor<f32>) -> tensor<?x4xi1, #relax.sym<n>>
func.func @equal(%a: tensor<?x4xf32, #relax.sym<n>>, %b: tensor<f32>) -> tensor<?x4xi1, #relax.sym<n>> {
  %r = relax.equal %a, %b : (tensor<?x4xf32, #relax.sym<n>>, tensor<f32>) -> tensor<?x4xi1, #relax.sym<n>>
  return %r : tensor<?x4xi1, #relax.sym<n>>
}

// CHECK-LABEL: func.func @not_equal(
// CHECK-SAME:    %[[A:[a-z0-9]+]]: {{.*}}, %[[B:[a-z0-9]+]]: {{.*}}
// CHECK:         = relax.not_equal %[[A]], %[[B]] : (tensor<?x4xf32, #relax.sym<n>>, tensor<f32>) -> tensor<?x4xi1, #relax.sym<n>>
func.func @not_equal(%a: tensor<?x4xf32, #relax.sym<n>>, %b: tensor<f32>) -> tensor<?x4xi1, #relax.sym<n>> {
  %r = relax.not_equal %a, %b : (tensor<?x4xf32, #relax.sym<n>>, tensor<f32>) -> tensor<?x4xi1, #relax.sym<n>>
  return %r : tensor<?x4xi1, #relax.sym<n>>
}

// CHECK-LABEL: func.func @less(
// CHECK-SAME:    %[[A:[a-z0-9]+]]: {{.*}}, %[[B:[a-z0-9]+]]: {{.*}}
// CHECK:         = relax.less %[[A]], %[[B]] : (tensor<?x4xf32, #relax.sym<n>>, tensor<f32>) -> tensor<?x4xi1, #relax.sym<n>>
func.func @less(%a: tensor<?x4xf32, #relax.sym<n>>, %b: tensor<f32>) -> tensor<?x4xi1, #relax.sym<n>> {
  %r = relax.less %a, %b : (tensor<?x4xf32, #relax.sym<n>>, tensor<f32>) -> tensor<?x4xi1, #relax.sym<n>>
  return %r : tensor<?x4xi1, #relax.sym<n>>
}

// CHECK-LABEL: func.func @less_equal(
// CHECK-SAME:    %[[A:[a-z0-9]+]]: {{.*}}, %[[B:[a-z0-9]+]]: {{.*}}
// CHECK:         = relax.less_equal %[[A]], %[[B]] : (tensor<?x4xf32, #relax.sym<n>>, tensor<f32>) -> tensor<?x4xi1, #relax.sym<n>>
func.func @less_equal(%a: tensor<?x4xf32, #relax.sym<n>>, %b: tensor<f32>) -> tensor<?x4xi1, #relax.sym<n>> {
  %r = relax.less_equal %a, %b : (tensor<?x4xf32, #relax.sym<n>>, tensor<f32>) -> tensor<?x4xi1, #relax.sym<n>>
  return %r : tensor<?x4xi1, #relax.sym<n>>
}

// CHECK-LABEL: func.func @greater(
// CHECK-SAME:    %[[A:[a-z0-9]+]]: {{.*}}, %[[B:[a-z0-9]+]]: {{.*}}
// CHECK:         = relax.greater %[[A]], %[[B]] : (tensor<?x4xf32, #relax.sym<n>>, tensor<f32>) -> tensor<?x4xi1, #relax.sym<n>>
func.func @greater(%a: tensor<?x4xf32, #relax.sym<n>>, %b: tensor<f32>) -> tensor<?x4xi1, #relax.sym<n>> {
  %r = relax.greater %a, %b : (tensor<?x4xf32, #relax.sym<n>>, tensor<f32>) -> tensor<?x4xi1, #relax.sym<n>>
  return %r : tensor<?x4xi1, #relax.sym<n>>
}

// CHECK-LABEL: func.func @greater_equal(
// CHECK-SAME:    %[[A:[a-z0-9]+]]: {{.*}}, %[[B:[a-z0-9]+]]: {{.*}}
// CHECK:         = relax.greater_equal %[[A]], %[[B]] : (tensor<?x4xf32, #relax.sym<n>>, tensor<f32>) -> tensor<?x4xi1, #relax.sym<n>>
func.func @greater_equal(%a: tensor<?x4xf32, #relax.sym<n>>, %b: tensor<f32>) -> tensor<?x4xi1, #relax.sym<n>> {
  %r = relax.greater_equal %a, %b : (tensor<?x4xf32, #relax.sym<n>>, tensor<f32>) -> tensor<?x4xi1, #relax.sym<n>>
  return %r : tensor<?x4xi1, #relax.sym<n>>
}

// CHECK-LABEL: func.func @logical_and(
// CHECK-SAME:    %[[A:[a-z0-9]+]]: {{.*}}, %[[B:[a-z0-9]+]]: {{.*}}
// CHECK:         = relax.logical_and %[[A]], %[[B]] : (tensor<?x4xi1, #relax.sym<n>>, tensor<?x4xi1, #relax.sym<n>>) -> tensor<?x4xi1, #relax.sym<n>>
func.func @logical_and(%a: tensor<?x4xi1, #relax.sym<n>>, %b: tensor<?x4xi1, #relax.sym<n>>) -> tensor<?x4xi1, #relax.sym<n>> {
  %r = relax.logical_and %a, %b : (tensor<?x4xi1, #relax.sym<n>>, tensor<?x4xi1, #relax.sym<n>>) -> tensor<?x4xi1, #relax.sym<n>>
  return %r : tensor<?x4xi1, #relax.sym<n>>
}

// CHECK-LABEL: func.func @logical_or(
// CHECK-SAME:    %[[A:[a-z0-9]+]]: {{.*}}, %[[B:[a-z0-9]+]]: {{.*}}
// CHECK:         = relax.logical_or %[[A]], %[[B]] : (tensor<?x4xi1, #relax.sym<n>>, tensor<?x4xi1, #relax.sym<n>>) -> tensor<?x4xi1, #relax.sym<n>>
func.func @logical_or(%a: tensor<?x4xi1, #relax.sym<n>>, %b: tensor<?x4xi1, #relax.sym<n>>) -> tensor<?x4xi1, #relax.sym<n>> {
  %r = relax.logical_or %a, %b : (tensor<?x4xi1, #relax.sym<n>>, tensor<?x4xi1, #relax.sym<n>>) -> tensor<?x4xi1, #relax.sym<n>>
  return %r : tensor<?x4xi1, #relax.sym<n>>
}

// CHECK-LABEL: func.func @logical_xor(
// CHECK-SAME:    %[[A:[a-z0-9]+]]: {{.*}}, %[[B:[a-z0-9]+]]: {{.*}}
// CHECK:         = relax.logical_xor %[[A]], %[[B]] : (tensor<?x4xi1, #relax.sym<n>>, tensor<?x4xi1, #relax.sym<n>>) -> tensor<?x4xi1, #relax.sym<n>>
func.func @logical_xor(%a: tensor<?x4xi1, #relax.sym<n>>, %b: tensor<?x4xi1, #relax.sym<n>>) -> tensor<?x4xi1, #relax.sym<n>> {
  %r = relax.logical_xor %a, %b : (tensor<?x4xi1, #relax.sym<n>>, tensor<?x4xi1, #relax.sym<n>>) -> tensor<?x4xi1, #relax.sym<n>>
  return %r : tensor<?x4xi1, #relax.sym<n>>
}

// CHECK-LABEL: func.func @bitwise_and(
// CHECK-SAME:    %[[A:[a-z0-9]+]]: {{.*}}, %[[B:[a-z0-9]+]]: {{.*}}
// CHECK:         = relax.bitwise_and %[[A]], %[[B]] : (tensor<?x4xui8, #relax.sym<n>>, tensor<1x4xui8>) -> tensor<?x4xui8, #relax.sym<n>>
func.func @bitwise_and(%a: tensor<?x4xui8, #relax.sym<n>>, %b: tensor<1x4xui8>) -> tensor<?x4xui8, #relax.sym<n>> {
  %r = relax.bitwise_and %a, %b : (tensor<?x4xui8, #relax.sym<n>>, tensor<1x4xui8>) -> tensor<?x4xui8, #relax.sym<n>>
  return %r : tensor<?x4xui8, #relax.sym<n>>
}

// CHECK-LABEL: func.func @bitwise_or(
// CHECK-SAME:    %[[A:[a-z0-9]+]]: {{.*}}, %[[B:[a-z0-9]+]]: {{.*}}
// CHECK:         = relax.bitwise_or %[[A]], %[[B]] : (tensor<?x4xui8, #relax.sym<n>>, tensor<1x4xui8>) -> tensor<?x4xui8, #relax.sym<n>>
func.func @bitwise_or(%a: tensor<?x4xui8, #relax.sym<n>>, %b: tensor<1x4xui8>) -> tensor<?x4xui8, #relax.sym<n>> {
  %r = relax.bitwise_or %a, %b : (tensor<?x4xui8, #relax.sym<n>>, tensor<1x4xui8>) -> tensor<?x4xui8, #relax.sym<n>>
  return %r : tensor<?x4xui8, #relax.sym<n>>
}

// CHECK-LABEL: func.func @bitwise_xor(
// CHECK-SAME:    %[[A:[a-z0-9]+]]: {{.*}}, %[[B:[a-z0-9]+]]: {{.*}}
// CHECK:         = relax.bitwise_xor %[[A]], %[[B]] : (tensor<?x4xui8, #relax.sym<n>>, tensor<1x4xui8>) -> tensor<?x4xui8, #relax.sym<n>>
func.func @bitwise_xor(%a: tensor<?x4xui8, #relax.sym<n>>, %b: tensor<1x4xui8>) -> tensor<?x4xui8, #relax.sym<n>> {
  %r = relax.bitwise_xor %a, %b : (tensor<?x4xui8, #relax.sym<n>>, tensor<1x4xui8>) -> tensor<?x4xui8, #relax.sym<n>>
  return %r : tensor<?x4xui8, #relax.sym<n>>
}

// CHECK-LABEL: func.func @left_shift(
// CHECK-SAME:    %[[A:[a-z0-9]+]]: {{.*}}, %[[B:[a-z0-9]+]]: {{.*}}
// CHECK:         = relax.left_shift %[[A]], %[[B]] : (tensor<?x4xui8, #relax.sym<n>>, tensor<1x4xui8>) -> tensor<?x4xui8, #relax.sym<n>>
func.func @left_shift(%a: tensor<?x4xui8, #relax.sym<n>>, %b: tensor<1x4xui8>) -> tensor<?x4xui8, #relax.sym<n>> {
  %r = relax.left_shift %a, %b : (tensor<?x4xui8, #relax.sym<n>>, tensor<1x4xui8>) -> tensor<?x4xui8, #relax.sym<n>>
  return %r : tensor<?x4xui8, #relax.sym<n>>
}

// CHECK-LABEL: func.func @right_shift(
// CHECK-SAME:    %[[A:[a-z0-9]+]]: {{.*}}, %[[B:[a-z0-9]+]]: {{.*}}
// CHECK:         = relax.right_shift %[[A]], %[[B]] : (tensor<?x4xui8, #relax.sym<n>>, tensor<1x4xui8>) -> tensor<?x4xui8, #relax.sym<n>>
func.func @right_shift(%a: tensor<?x4xui8, #relax.sym<n>>, %b: tensor<1x4xui8>) -> tensor<?x4xui8, #relax.sym<n>> {
  %r = relax.right_shift %a, %b : (tensor<?x4xui8, #relax.sym<n>>, tensor<1x4xui8>) -> tensor<?x4xui8, #relax.sym<n>>
  return %r : tensor<?x4xui8, #relax.sym<n>>
}

// CHECK-LABEL: func.func @where(
// CHECK-SAME:    %[[A:[a-z0-9]+]]: {{.*}}, %[[B:[a-z0-9]+]]: {{.*}}, %[[C:[a-z0-9]+]]: {{.*}}
// CHECK:         = relax.where %[[A]], %[[B]], %[[C]] : (tensor<?x4xi1, #relax.sym<n>>, tensor<?x4xf32, #relax.sym<n>>, tensor<f32>) -> tensor<?x4xf32, #relax.sym<n>>
func.func @where(%a: tensor<?x4xi1, #relax.sym<n>>, %b: tensor<?x4xf32, #relax.sym<n>>, %c: tensor<f32>) -> tensor<?x4xf32, #relax.sym<n>> {
  %r = relax.where %a, %b, %c : (tensor<?x4xi1, #relax.sym<n>>, tensor<?x4xf32, #relax.sym<n>>, tensor<f32>) -> tensor<?x4xf32, #relax.sym<n>>
  return %r : tensor<?x4xf32, #relax.sym<n>>
}

// CHECK-LABEL: func.func @add_2(
// CHECK-SAME:    %[[A:[a-z0-9]+]]: {{.*}}, %[[B:[a-z0-9]+]]: {{.*}}
// CHECK:         = relax.add %[[A]], %[[B]] : (tensor<*xf32>, tensor<?x4xf32, #relax.sym<n>>) -> tensor<*xf32>
func.func @add_2(%a: tensor<*xf32>, %b: tensor<?x4xf32, #relax.sym<n>>) -> tensor<*xf32> {
  %r = relax.add %a, %b : (tensor<*xf32>, tensor<?x4xf32, #relax.sym<n>>) -> tensor<*xf32>
  return %r : tensor<*xf32>
}
