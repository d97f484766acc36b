// RUN: relax-opt %s | relax-opt | filecheck %s
// RUN: relax-opt %s --print-op-generic | relax-opt | filecheck %s

// CHECK-LABEL: func.func @cross_entropy_with_logits(
// CHECK-SAME:    %[[A:[a-z0-9]+]]: {{.*}}, %[[B:[a-z0-9]+]]: {{.*}}
// CHECK:         = relax.nn.cross_entropy_with_logits %[[A]], %[[B]] : (tensor<?x16xf32, #relax.sym<n>>, tensor<?x16xf32, #relax.sym<n>>) -> tensor<f32>
func.func @cross_entropy_with_logits(%a: tensor<?x16xf32, #relax.sym<n>>, %b: tensor<?x16xf32, #relax.sym<n>>) -> (tensor<f32>) {
  %r = relax.nn.cross_entropy_with_logits %a, %b : (tensor<?x16xf32, #relax.sym<n>>, tensor<?x16xf32, #relax.sym<n>>) -> tensor<f32>
  return %r : tensor<f32>
}

// CHECK-LABEL: func.func @nll_loss(
// CHECK-SAME:    %[[A:[a-z0-9]+]]: {{.*}}, %[[B:[a-z0-9]+]]: {{.*}}
// CHECK:         = relax.nn.nll_loss %[[A]], %[[B]] : (tensor<?x16xf32, #relax.sym<n>>, tensor<?xi64, #relax.sym<n>>) -> tensor<f32>
func.func @nll_loss(%a: tensor<?x16xf32, #relax.sym<n>>, %b: tensor<?xi64, #relax.sym<n>>) -> (tensor<f32>) {
  %r = relax.nn.nll_loss %a, %b : (tensor<?x16xf32, #relax.sym<n>>, tensor<?xi64, #relax.sym<n>>) -> tensor<f32>
  return %r : tensor<f32>
}

// CHECK-LABEL: func.func @nll_loss_2(
// CHECK-SAME:    %[[A:[a-z0-9]+]]: {{.*}}, %[[B:[a-z0-9]+]]: {{.*}}, %[[C:[a-z0-9]+]]: {{.*}}
// CHECK:         = relax.nn.nll_loss %[[A]], %[[B]], %[[C]] {reduction = "none", ignore_index = 1 : i64} : (tensor<2x5x3xf32>, tensor<2x3xi32>, tensor<5xf32>) -> tensor<2x3xf32>
func.func @nll_loss_2(%a: tensor<2x5x3xf32>, %b: tensor<2x3xi32>, %c: tensor<5xf32>) -> (tensor<2x3xf32>) {
  %r = relax.nn.nll_loss %a, %b, %c {reduction = "none", ignore_index = 1 : i64} : (tensor<2x5x3xf32>, tensor<2x3xi32>, tensor<5xf32>) -> tensor<2x3xf32>
  return %r : tensor<2x3xf32>
}

// CHECK-LABEL: func.func @nll_loss_3(
// CHECK-SAME:    %[[A:[a-z0-9]+]]: {{.*}}, %[[B:[a-z0-9]+]]: {{.*}}
// CHECK:         = relax.nn.nll_loss %[[A]], %[[B]] {reduction = "sum"} : (tensor<5xf16>, tensor<ui8>) -> tensor<f16>
func.func @nll_loss_3(%a: tensor<5xf16>, %b: tensor<ui8>) -> (tensor<f16>) {
  %r = relax.nn.nll_loss %a, %b {reduction = "sum"} : (tensor<5xf16>, tensor<ui8>) -> tensor<f16>
  return %r : tensor<f16>
}
