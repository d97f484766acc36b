// RUN: relax-opt %s --verify-diagnostics --split-input-file

func.func @to_vdevice_c1(%x: tensor<4xf32>) {
  // expected-error@+1 {{to_vdevice_c1: the result is on cpu:2, expected cpu:1}}
  %0 = relax.to_vdevice %x {dst_vdevice = #relax.vdevice<"cpu", 1>} : (tensor<4xf32>) -> tensor<4xf32, #relax.vdevice<"cpu", 2>>
  return
}

// -----

func.func @device_copy_c1(%x: tensor<4xf32, #relax.vdevice<"cpu", 2>>) {
  // expected-error@+1 {{device_copy_c1: the operand is on cpu:2, expected cpu:0}}
  %0 = relax.device_copy %x {src_vdevice = #relax.vdevice<"cpu">, dst_vdevice = #relax.vdevice<"cpu", 1>} : (tensor<4xf32, #relax.vdevice<"cpu", 2>>) -> tensor<4xf32, #relax.vdevice<"cpu", 1>>
  return
}

// -----

func.func @device_copy_c2(%x: tensor<4xf32>) {
  // expected-error@+1 {{device_copy_c2: the result is on cpu:1:shared, expected cpu:1}}
  %0 = relax.device_copy %x {src_vdevice = #relax.vdevice<"cpu">, dst_vdevice = #relax.vdevice<"cpu", 1>} : (tensor<4xf32>) -> tensor<4xf32, #relax.vdevice<"cpu", 1, "shared">>
  return
}

// -----

func.func @device_copy_c3(%x: tensor<4xf32>) {
  // expected-error@+1 {{device_copy_c3: src_vdevice and dst_vdevice must differ, both are cpu:1}}
  %0 = relax.device_copy %x {src_vdevice = #relax.vdevice<"cpu", 1>, dst_vdevice = #relax.vdevice<"cpu", 1>} : (tensor<4xf32>) -> tensor<4xf32, #relax.vdevice<"cpu", 1>>
  return
}

// -----

func.func @other_dims(%x: tensor<4xf32>) {
  // expected-error@+1 {{result 0 has type tensor<5xf32, #relax.vdevice<"cpu", 1, "global">>, but the op yields tensor<4xf32, #relax.vdevice<"cpu", 1, "global">>}}
  %0 = relax.to_vdevice %x {dst_vdevice = #relax.vdevice<"cpu", 1>} : (tensor<4xf32>) -> tensor<5xf32, #relax.vdevice<"cpu", 1>>
  return
}

// -----

func.func @missing(%x: tensor<4xf32>) {
  // expected-error@+1 {{relax.to_vdevice needs the attribute 'dst_vdevice', a #relax.vdevice}}
  %0 = relax.to_vdevice %x : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @kind(
  // expected-error@+1 {{string literal expected}}
  %x: tensor<4xf32, #relax.vdevice<1>>
) {
  return
}
