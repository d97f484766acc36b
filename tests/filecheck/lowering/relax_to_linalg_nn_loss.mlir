// RUN: relax-opt %s -p relax-to-linalg | filecheck %s

// CHECK-LABEL: func.func @cross_entropy(
// CHECK-SAME:    %[[X:[a-z0-9]+]]: tensor<?x5xf16> {{.*}}, %[[Y:[a-z0-9]+]]: tensor<?x5xf16>
// CHECK:         %[[SUM:.*]] = linalg.generic {{.*}}iterator_types = ["reduction", "reduction"]} ins(%[[X]], %[[Y]] : tensor<?x5xf16>, tensor<?x5xf16>) outs(%{{.*}} : tensor<f32>)
// CHECK:         linalg.generic {{.*}}iterator_types = []} ins(%[[SUM]] : tensor<f32>) outs(%{{.*}} : tensor<f16>)
// CHECK:           arith.negf
func.func @cross_entropy(%x: tensor<?x5xf16, #relax.sym<n>>, %y: tensor<?x5xf16, #relax.sym<n>>) -> tensor<f16> {
  %r = relax.nn.cross_entropy_with_logits %x, %y : (tensor<?x5xf16, #relax.sym<n>>, tensor<?x5xf16, #relax.sym<n>>) -> tensor<f16>
  return %r : tensor<f16>
}

// A target that is no class is read at a place inside, and gives NaN.
// CHECK-LABEL: func.func @nll_loss(
// CHECK-SAME:    %[[P:.*]]: tensor<4x5xf32>, %[[T:.*]]: tensor<4xi64>, %[[W:.*]]: tensor<5xf32>)
// CHECK:         %[[LOSSES:.*]] = linalg.generic {{.*}}iterator_types = ["parallel"]} ins(%[[T]] :
// CHECK:           %[[LOW:.*]] = arith.maxsi
// CHECK:           %[[C:.*]] = arith.minsi %[[LOW]]
// CHECK:           tensor.extract %[[W]][%[[C]]]
// CHECK:           arith.constant 0x7fc00000 : f32
// CHECK:           tensor.extract %[[P]][%{{.*}}, %[[C]]]
// CHECK:         linalg.generic {{.*}}iterator_types = ["reduction"]} ins(%[[LOSSES]] :
// CHECK:         linalg.generic {{.*}}iterator_types = ["reduction"]}
// CHECK:         arith.divf
func.func @nll_loss(%p: tensor<4x5xf32>, %t: tensor<4xi64>, %w: tensor<5xf32>) -> tensor<f32> {
  %r = relax.nn.nll_loss %p, %t, %w : (tensor<4x5xf32>, tensor<4xi64>, tensor<5xf32>) -> tensor<f32>
  return %r : tensor<f32>
}
