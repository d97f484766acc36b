// RUN: relax-opt %s --verify-diagnostics --split-input-file

func.func @alloc_tensor_c1_builtin(%s: !relax.shape<[?, 4]>) {
  // expected-error@+1 {{alloc_tensor_c1: every size must be known, got !relax.shape<[?, 4]>}}
  %0 = relax.builtin.alloc_tensor %s {dtype = f32} : (!relax.shape<[?, 4]>) -> tensor<?x4xf32>
  return
}

// -----

func.func @alloc_tensor_result_type() {
  %s = relax.shape : () -> !relax.shape<[2, 4]>
  // expected-error@+1 {{result 0 has type tensor<2x5xf32>, but the op yields tensor<2x4xf32>}}
  %0 = relax.builtin.alloc_tensor %s {dtype = f32} : (!relax.shape<[2, 4]>) -> tensor<2x5xf32>
  return
}

// -----

func.func @alloc_storage_c1_two_dims() {
  %s = relax.shape : () -> !relax.shape<[2, 4]>
  // expected-error@+1 {{alloc_storage_c1: the size must be one known dim, got !relax.shape<[2, 4]>}}
  %0 = relax.memory.alloc_storage %s {dtype = f32} : (!relax.shape<[2, 4]>) -> !relax.object
  return
}

// -----

func.func @alloc_storage_c1_unknown(%s: !relax.shape<[?]>) {
  // expected-error@+1 {{alloc_storage_c1: the size must be one known dim, got !relax.shape<[?]>}}
  %0 = relax.memory.alloc_storage %s {dtype = f32} : (!relax.shape<[?]>) -> !relax.object
  return
}

// -----

func.func @alloc_tensor_c1_dtype() {
  %s = relax.shape : () -> !relax.shape<[2, 4]>
  // expected-error@+1 {{alloc_tensor_c1: element type must be one of f64, f32, f16, bf16, i8, i16, i32, i64, ui8, ui16, ui32, ui64, i1, got i4}}
  %0 = relax.builtin.alloc_tensor %s {dtype = i4} : (!relax.shape<[2, 4]>) -> tensor<2x4xi4>
  return
}

// -----

func.func @alloc_storage_c2_dtype() {
  %s = relax.shape : () -> !relax.shape<[8]>
  // expected-error@+1 {{alloc_storage_c2: element type must be one of f64, f32, f16, bf16, i8, i16, i32, i64, ui8, ui16, ui32, ui64, i1, got index}}
  %0 = relax.memory.alloc_storage %s {dtype = index} : (!relax.shape<[8]>) -> !relax.object
  return
}

// -----

func.func @alloc_tensor_c2_no_storage(%o: !relax.object) {
  %s = relax.shape : () -> !relax.shape<[4]>
  // expected-error@+1 {{alloc_tensor_c2: the storage must be the result of relax.memory.alloc_storage}}
  %0 = relax.memory.alloc_tensor %o, %s {dtype = f32} : (!relax.object, !relax.shape<[4]>) -> tensor<4xf32>
  return
}

// -----

func.func @alloc_tensor_c3_too_large() {
  %b = relax.shape : () -> !relax.shape<[16]>
  %s = relax.shape : () -> !relax.shape<[4]>
  %o = relax.memory.alloc_storage %b {dtype = f32} : (!relax.shape<[16]>) -> !relax.object
  // expected-error@+1 {{alloc_tensor_c3: the tensor ends at byte 20, the storage has 16 bytes}}
  %0 = relax.memory.alloc_tensor %o, %s {dtype = f32, offset = 4 : i64} : (!relax.object, !relax.shape<[4]>) -> tensor<4xf32>
  return
}

// -----

func.func @alloc_tensor_c3_negative() {
  %b = relax.shape : () -> !relax.shape<[16]>
  %s = relax.shape : () -> !relax.shape<[2]>
  %o = relax.memory.alloc_storage %b {dtype = f32} : (!relax.shape<[16]>) -> !relax.object
  // expected-error@+1 {{alloc_tensor_c3: the offset must not be negative, got -4}}
  %0 = relax.memory.alloc_tensor %o, %s {dtype = f32, offset = -4 : i64} : (!relax.object, !relax.shape<[2]>) -> tensor<2xf32>
  return
}

// -----

func.func @kill_storage_c1(%o: !relax.object) {
  // expected-error@+1 {{kill_storage_c1: the storage must be the result of relax.memory.alloc_storage}}
  relax.memory.kill_storage %o : (!relax.object) -> ()
  return
}

// -----

func.func @call_dps_c1(%x: tensor<4xf32>) {
  // expected-error@+1 {{call_dps_c1: there is no function @exp}}
  relax.call_dps %x, %x {callee = @exp} : (tensor<4xf32>, tensor<4xf32>) -> ()
  return
}

// -----

func.func private @exp(%x: tensor<4xf32>) -> tensor<4xf32>
func.func @call_dps_c2_count(%x: tensor<4xf32>) {
  // expected-error@+1 {{call_dps_c2: call of @exp: expected 1 operands, got 0}}
  relax.call_dps %x {callee = @exp} : (tensor<4xf32>) -> ()
  return
}

// -----

func.func private @exp(%x: tensor<4xf32>) -> tensor<4xf32>
func.func @call_dps_c2_output(%x: tensor<4xf32>, %y: tensor<5xf32>) {
  // expected-error@+1 {{call_dps_c2: call of @exp: result 0: expected tensor<4xf32>, got tensor<5xf32>}}
  relax.call_dps %x, %y {callee = @exp} : (tensor<4xf32>, tensor<5xf32>) -> ()
  return
}

// -----

func.func @dataflow_c2_allocation() {
  relax.dataflow {
    %s = relax.shape : () -> !relax.shape<[4]>
    // expected-error@+1 {{dataflow_c2: relax.builtin.alloc_tensor has side effects, move it out}}
    %0 = relax.builtin.alloc_tensor %s {dtype = f32} : (!relax.shape<[4]>) -> tensor<4xf32>
    relax.output
  }
  return
}
