// RUN: relax-opt %s -p relax-computable-at-compile-time | filecheck %s
// RUN: relax-opt %s -p 'relax-computable-at-compile-time{with_parameters=true}' | filecheck %s --check-prefix=WITH

// CHECK-LABEL: func.func @main(
// CHECK: relax.constant {{.*}}relax.compile_time
// CHECK: relax.negative %{{.*}} {relax.compile_time}
// CHECK: relax.multiply %{{.*}} {relax.compile_time}
// CHECK-NEXT: relax.add %{{.*}}, %{{.*}} : (
// WITH-LABEL: func.func @main(
// WITH: relax.constant {value = dense<1.000000e+00> : tensor<4xf32>} : ()
// WITH: relax.negative %{{.*}} {relax.compile_time}
func.func @main(%x: tensor<4xf32>, %w: tensor<4xf32>) -> tensor<4xf32> attributes {relax.num_input = 1 : i64} {
  %r = relax.dataflow {
    %c = relax.constant {value = dense<1.0> : tensor<4xf32>} : () -> tensor<4xf32>
    %n = relax.negative %w : (tensor<4xf32>) -> tensor<4xf32>
    %m = relax.multiply %n, %c : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %y = relax.add %x, %m : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    relax.output %y : tensor<4xf32>
  } : tensor<4xf32>
  return %r : tensor<4xf32>
}

// A function that does not say what its parameters are has none.
// CHECK-LABEL: func.func @no_num_input(
// CHECK-NOT: relax.compile_time
func.func @no_num_input(%w: tensor<4xf32>) -> tensor<4xf32> {
  %r = relax.dataflow {
    %n = relax.negative %w : (tensor<4xf32>) -> tensor<4xf32>
    relax.output %n : tensor<4xf32>
  } : tensor<4xf32>
  return %r : tensor<4xf32>
}
