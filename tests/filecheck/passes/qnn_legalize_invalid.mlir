// RUN: not relax-opt %s -p relax-qnn-legalize 2>&1 | filecheck %s
// RUN: not relax-opt %s -p 'relax-qnn-legalize{target=riscv}' 2>&1 | filecheck %s --check-prefix=TARGET

// In fixed point the ratio of the scales must be known.
// CHECK: relax.qnn.requantize cannot be legalized: its scales must be constants for compute_dtype i64
// TARGET: relax-qnn-legalize: target must be one of plain, int16, x86-vnni, cuda-dp4a, arm-dotprod, got riscv
func.func @argument_scale(%x: tensor<4x6xi8>, %s: tensor<f32>, %z: tensor<i32>) -> tensor<4x6xi8> {
  %y = relax.qnn.requantize %x, %s, %z, %s, %z : (tensor<4x6xi8>, tensor<f32>, tensor<i32>, tensor<f32>, tensor<i32>) -> tensor<4x6xi8>
  %w = relax.constant {value = dense<0.3> : tensor<f32>} : () -> tensor<f32>
  %v = relax.qnn.requantize %y, %s, %z, %w, %z : (tensor<4x6xi8>, tensor<f32>, tensor<i32>, tensor<f32>, tensor<i32>) -> tensor<4x6xi8>
  return %v : tensor<4x6xi8>
}
