// RUN: relax-opt %s | relax-opt | filecheck %s
// RUN: relax-opt %s --print-op-generic | relax-opt | filecheck %s

// CHECK-LABEL: func.func @attention(
// CHECK-SAME:    %[[A:[a-z0-9]+]]: {{.*}}, %[[B:[a-z0-9]+]]: {{.*}}, %[[C:[a-z0-9]+]]: {{.*}}
// CHECK:         = relax.nn.attention %[[A]], %[[B]], %[[C]] : (tensor<?x?x8x64xf32, #relax.sym<b, s>>, tensor<?x?x2x64xf32, #relax.sym<b, t>>, tensor<?x?x2x64xf32, #relax.sym<b, t>>) -> tensor<?x?x8x64xf32, #relax.sym<b, s>>
func.func @attention(%a: tensor<?x?x8x64xf32, #relax.sym<b, s>>, %b: tensor<?x?x2x64xf32, #relax.sym<b, t>>, %c: tensor<?x?x2x64xf32, #relax.sym<b, t>>) -> (tensor<?x?x8x64xf32, #relax.sym<b, s>>) {
  %r = relax.nn.attention %a, %b, %c : (tensor<?x?x8x64xf32, #relax.sym<b, s>>, tensor<?x?x2x64xf32, #relax.sym<b, t>>, tensor<?x?x2x64xf32, #relax.sym<b, t>>) -> tensor<?x?x8x64xf32, #relax.sym<b, s>>
  return %r : tensor<?x?x8x64xf32, #relax.sym<b, s>>
}

// CHECK-LABEL: func.func @attention_2(
// CHECK-SAME:    %[[A:[a-z0-9]+]]: {{.*}}, %[[B:[a-z0-9]+]]: {{.*}}, %[[C:[a-z0-9]+]]: {{.*}}
// CHECK:         = relax.nn.attention %[[A]], %[[B]], %[[C]] {scale = 2.500000e-01 : f64, causal_mask = "BottomRight", window_size = 4 : i64} : (tensor<2x5x4x8xf32>, tensor<2x7x4x8xf32>, tensor<2x7x4x8xf32>) -> tensor<2x5x4x8xf32>
func.func @attention_2(%a: tensor<2x5x4x8xf32>, %b: tensor<2x7x4x8xf32>, %c: tensor<2x7x4x8xf32>) -> (tensor<2x5x4x8xf32>) {
  %r = relax.nn.attention %a, %b, %c {scale = 2.500000e-01 : f64, causal_mask = "BottomRight", window_size = 4 : i64} : (tensor<2x5x4x8xf32>, tensor<2x7x4x8xf32>, tensor<2x7x4x8xf32>) -> tensor<2x5x4x8xf32>
  return %r : tensor<2x5x4x8xf32>
}

// CHECK-LABEL: func.func @attention_bias(
// CHECK-SAME:    %[[A:[a-z0-9]+]]: {{.*}}, %[[B:[a-z0-9]+]]: {{.*}}, %[[C:[a-z0-9]+]]: {{.*}}, %[[D:[a-z0-9]+]]: {{.*}}
// CHECK:         = relax.nn.attention_bias %[[A]], %[[B]], %[[C]], %[[D]] {causal_mask = "TopLeft"} : (tensor<?x?x8x64xf32, #relax.sym<b, s>>, tensor<?x?x2x64xf32, #relax.sym<b, t>>, tensor<?x?x2x64xf32, #relax.sym<b, t>>, tensor<?x1x?x?xf32, #relax.sym<b, s, t>>) -> tensor<?x?x8x64xf32, #relax.sym<b, s>>
func.func @attention_bias(%a: tensor<?x?x8x64xf32, #relax.sym<b, s>>, %b: tensor<?x?x2x64xf32, #relax.sym<b, t>>, %c: tensor<?x?x2x64xf32, #relax.sym<b, t>>, %d: tensor<?x1x?x?xf32, #relax.sym<b, s, t>>) -> (tensor<?x?x8x64xf32, #relax.sym<b, s>>) {
  %r = relax.nn.attention_bias %a, %b, %c, %d {causal_mask = "TopLeft"} : (tensor<?x?x8x64xf32, #relax.sym<b, s>>, tensor<?x?x2x64xf32, #relax.sym<b, t>>, tensor<?x?x2x64xf32, #relax.sym<b, t>>, tensor<?x1x?x?xf32, #relax.sym<b, s, t>>) -> tensor<?x?x8x64xf32, #relax.sym<b, s>>
  return %r : tensor<?x?x8x64xf32, #relax.sym<b, s>>
}
