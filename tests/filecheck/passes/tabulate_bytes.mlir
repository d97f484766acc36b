// RUN: relax-opt %s -p relax-tabulate-bytes | filecheck %s
// RUN: relax-opt %s -p relax-tabulate-bytes,relax-fold-constant | filecheck %s --check-prefix FOLDED
// RUN: relax-opt %s -p 'relax-tabulate-bytes{least=14}' | filecheck %s --check-prefix SHORT

// The chain is computed of all bytes, and looked up at those of the tensor.
// CHECK-LABEL: func.func @activation
// CHECK: %[[ALL:.*]] = relax.constant {value = dense<"0x000102{{.*}}FDFEFF"> : tensor<256xui8>}
// CHECK: %[[X:.*]] = relax.dequantize %[[ALL]], %{{.*}}, %{{.*}} : (tensor<256xui8>, tensor<f32>, tensor<ui8>) -> tensor<256xf32>
// CHECK: %[[Y:.*]] = relax.nn.gelu %[[X]] : (tensor<256xf32>) -> tensor<256xf32>
// CHECK: %[[TABLE:.*]] = relax.quantize %[[Y]], %{{.*}}, %{{.*}} {out_dtype = i8} : (tensor<256xf32>, tensor<f32>, tensor<i8>) -> tensor<256xi8>
// CHECK: %[[R:.*]] = relax.take %[[TABLE]], %q {axis = 0 : i64} : (tensor<256xi8>, tensor<?x3xui8, #relax.sym<n>>) -> tensor<?x3xi8, #relax.sym<n>>
// CHECK-NEXT: return %[[R]]
// FOLDED-LABEL: func.func @activation
// FOLDED-NEXT: %[[TABLE:.*]] = relax.constant {value = {{.*}} : tensor<256xi8>}
// FOLDED-NEXT: relax.take %[[TABLE]], %q
func.func @activation(%q: tensor<?x3xui8, #relax.sym<n>>) -> tensor<?x3xi8, #relax.sym<n>> {
  %s = relax.constant {value = dense<0.5> : tensor<f32>} : () -> tensor<f32>
  %z = relax.constant {value = dense<7> : tensor<ui8>} : () -> tensor<ui8>
  %zy = relax.constant {value = dense<-3> : tensor<i8>} : () -> tensor<i8>
  %x = relax.dequantize %q, %s, %z : (tensor<?x3xui8, #relax.sym<n>>, tensor<f32>, tensor<ui8>) -> tensor<?x3xf32, #relax.sym<n>>
  %y = relax.nn.gelu %x : (tensor<?x3xf32, #relax.sym<n>>) -> tensor<?x3xf32, #relax.sym<n>>
  %r = relax.quantize %y, %s, %zy {out_dtype = i8} : (tensor<?x3xf32, #relax.sym<n>>, tensor<f32>, tensor<i8>) -> tensor<?x3xi8, #relax.sym<n>>
  return %r : tensor<?x3xi8, #relax.sym<n>>
}

// Signed bytes lie as the take finds them: those that count from the end come last.
// CHECK-LABEL: func.func @signed
// CHECK: relax.constant {value = dense<"0x000102{{.*}}7D7E7F808182{{.*}}FDFEFF"> : tensor<256xi8>}
// CHECK: relax.take %{{.*}}, %q {axis = 0 : i64} : (tensor<256xi8>, tensor<5xi8>) -> tensor<5xi8>
func.func @signed(%q: tensor<5xi8>) -> tensor<5xi8> {
  %s = relax.constant {value = dense<0.5> : tensor<f32>} : () -> tensor<f32>
  %z = relax.constant {value = dense<7> : tensor<i8>} : () -> tensor<i8>
  %x = relax.dequantize %q, %s, %z : (tensor<5xi8>, tensor<f32>, tensor<i8>) -> tensor<5xf32>
  %y = relax.tanh %x : (tensor<5xf32>) -> tensor<5xf32>
  %r = relax.quantize %y, %s, %z {out_dtype = i8} : (tensor<5xf32>, tensor<f32>, tensor<i8>) -> tensor<5xi8>
  return %r : tensor<5xi8>
}

// Scales that are parameters: the table is too, and is lifted.
// CHECK-LABEL: func.func @parameters
// CHECK: %[[S1:.*]] = relax.squeeze %s2 {axis = array<i64: 0>} : (tensor<1x1xf32>) -> tensor<1xf32>
// CHECK: %[[W:.*]] = relax.multiply %{{.*}}, %[[S1]]
// CHECK: %[[TABLE:.*]] = relax.quantize %[[W]], %s, %z
// CHECK: relax.take %[[TABLE]], %q
func.func @parameters(%q: tensor<2x5xi8>, %s: tensor<f32>, %s2: tensor<1x1xf32>, %z: tensor<i8>) -> tensor<2x5xi8> attributes {relax.num_input = 1 : i64} {
  %x = relax.dequantize %q, %s, %z : (tensor<2x5xi8>, tensor<f32>, tensor<i8>) -> tensor<2x5xf32>
  %y = relax.sigmoid %x : (tensor<2x5xf32>) -> tensor<2x5xf32>
  %w = relax.multiply %y, %s2 : (tensor<2x5xf32>, tensor<1x1xf32>) -> tensor<2x5xf32>
  %r = relax.quantize %w, %s, %z {out_dtype = i8} : (tensor<2x5xf32>, tensor<f32>, tensor<i8>) -> tensor<2x5xi8>
  return %r : tensor<2x5xi8>
}

// What moves elements moves the bytes, and quantizations on the way belong to the table: x * sigmoid(x), as quantizers write it.
// CHECK-LABEL: func.func @moved_and_quantized_again
// CHECK: %[[MOVED:.*]] = relax.reshape %q, %shape : (tensor<4x6xui8>, !relax.shape<[24]>) -> tensor<24xui8>
// CHECK-COUNT-2: relax.quantize {{.*}} -> tensor<256xui8>
// CHECK-NOT: tensor<24xf32>
// CHECK: relax.take %{{.*}}, %[[MOVED]] {axis = 0 : i64} : (tensor<256xui8>, tensor<24xui8>) -> tensor<24xui8>
// CHECK-NEXT: return
func.func @moved_and_quantized_again(%q: tensor<4x6xui8>) -> tensor<24xui8> {
  %s = relax.constant {value = dense<0.5> : tensor<f32>} : () -> tensor<f32>
  %z = relax.constant {value = dense<7> : tensor<ui8>} : () -> tensor<ui8>
  %shape = relax.shape : () -> !relax.shape<[24]>
  %x = relax.dequantize %q, %s, %z {axis = -1 : i64} : (tensor<4x6xui8>, tensor<f32>, tensor<ui8>) -> tensor<4x6xf32>
  %y = relax.sigmoid %x : (tensor<4x6xf32>) -> tensor<4x6xf32>
  %q1 = relax.quantize %y, %s, %z {axis = 1 : i64, out_dtype = ui8} : (tensor<4x6xf32>, tensor<f32>, tensor<ui8>) -> tensor<4x6xui8>
  %y1 = relax.dequantize %q1, %s, %z : (tensor<4x6xui8>, tensor<f32>, tensor<ui8>) -> tensor<4x6xf32>
  %p = relax.multiply %x, %y1 : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x6xf32>
  %moved = relax.reshape %p, %shape : (tensor<4x6xf32>, !relax.shape<[24]>) -> tensor<24xf32>
  %r = relax.quantize %moved, %s, %z {out_dtype = ui8} : (tensor<24xf32>, tensor<f32>, tensor<ui8>) -> tensor<24xui8>
  return %r : tensor<24xui8>
}

// Bytes that others read begin a table of their own; what only dequantizes them may stay for others.
// CHECK-LABEL: func.func @read_in_between
// CHECK: %[[X:.*]] = relax.dequantize %q
// CHECK: %[[Q1:.*]] = relax.take %{{.*}}, %q
// CHECK: %[[Q2:.*]] = relax.take %{{.*}}, %[[Q1]]
// CHECK: return %[[X]], %[[Q1]], %[[Q2]]
func.func @read_in_between(%q: tensor<6xui8>) -> (tensor<6xf32>, tensor<6xui8>, tensor<6xui8>) {
  %s = relax.constant {value = dense<0.5> : tensor<f32>} : () -> tensor<f32>
  %z = relax.constant {value = dense<7> : tensor<ui8>} : () -> tensor<ui8>
  %x = relax.dequantize %q, %s, %z : (tensor<6xui8>, tensor<f32>, tensor<ui8>) -> tensor<6xf32>
  %y = relax.exp %x : (tensor<6xf32>) -> tensor<6xf32>
  %q1 = relax.quantize %y, %s, %z {out_dtype = ui8} : (tensor<6xf32>, tensor<f32>, tensor<ui8>) -> tensor<6xui8>
  %x1 = relax.dequantize %q1, %s, %z : (tensor<6xui8>, tensor<f32>, tensor<ui8>) -> tensor<6xf32>
  %y1 = relax.exp %x1 : (tensor<6xf32>) -> tensor<6xf32>
  %q2 = relax.quantize %y1, %s, %z {out_dtype = ui8} : (tensor<6xf32>, tensor<f32>, tensor<ui8>) -> tensor<6xui8>
  return %x, %q1, %q2 : tensor<6xf32>, tensor<6xui8>, tensor<6xui8>
}

// So do bytes that one op dequantizes for several.
// CHECK-LABEL: func.func @dequantized_for_two
// CHECK: %[[Q1:.*]] = relax.take %{{.*}}, %q
// CHECK: relax.take %{{.*}}, %[[Q1]]
// CHECK: relax.take %{{.*}}, %[[Q1]]
// CHECK-NEXT: return
func.func @dequantized_for_two(%q: tensor<6xui8>) -> (tensor<6xui8>, tensor<6xui8>) {
  %s = relax.constant {value = dense<0.5> : tensor<f32>} : () -> tensor<f32>
  %z = relax.constant {value = dense<7> : tensor<ui8>} : () -> tensor<ui8>
  %x = relax.dequantize %q, %s, %z : (tensor<6xui8>, tensor<f32>, tensor<ui8>) -> tensor<6xf32>
  %y = relax.exp %x : (tensor<6xf32>) -> tensor<6xf32>
  %q1 = relax.quantize %y, %s, %z {out_dtype = ui8} : (tensor<6xf32>, tensor<f32>, tensor<ui8>) -> tensor<6xui8>
  %x1 = relax.dequantize %q1, %s, %z : (tensor<6xui8>, tensor<f32>, tensor<ui8>) -> tensor<6xf32>
  %y1 = relax.exp %x1 : (tensor<6xf32>) -> tensor<6xf32>
  %q2 = relax.quantize %y1, %s, %z {out_dtype = ui8} : (tensor<6xf32>, tensor<f32>, tensor<ui8>) -> tensor<6xui8>
  %y2 = relax.tanh %x1 : (tensor<6xf32>) -> tensor<6xf32>
  %q3 = relax.quantize %y2, %s, %z {out_dtype = ui8} : (tensor<6xf32>, tensor<f32>, tensor<ui8>) -> tensor<6xui8>
  return %q2, %q3 : tensor<6xui8>, tensor<6xui8>
}

// Slopes that are all equal are one number.
// CHECK-LABEL: func.func @equal_slopes
// CHECK: %[[A:.*]] = relax.constant {value = dense<2.500000e-01> : tensor<1xf32>}
// CHECK: relax.nn.prelu %{{.*}}, %[[A]] {axis = 0 : i64} : (tensor<256xf32>, tensor<1xf32>) -> tensor<256xf32>
// CHECK: relax.take
func.func @equal_slopes(%q: tensor<2x3x4xi8>) -> tensor<2x3x4xi8> {
  %s = relax.constant {value = dense<0.5> : tensor<f32>} : () -> tensor<f32>
  %z = relax.constant {value = dense<7> : tensor<i8>} : () -> tensor<i8>
  %a = relax.constant {value = dense<0.25> : tensor<3xf32>} : () -> tensor<3xf32>
  %x = relax.dequantize %q, %s, %z : (tensor<2x3x4xi8>, tensor<f32>, tensor<i8>) -> tensor<2x3x4xf32>
  %e = relax.exp %x : (tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
  %y = relax.nn.prelu %e, %a {axis = 1 : i64} : (tensor<2x3x4xf32>, tensor<3xf32>) -> tensor<2x3x4xf32>
  %r = relax.quantize %y, %s, %z {out_dtype = i8} : (tensor<2x3x4xf32>, tensor<f32>, tensor<i8>) -> tensor<2x3x4xi8>
  return %r : tensor<2x3x4xi8>
}

// A few operations pay where an instruction looks up.
// CHECK-LABEL: func.func @few_operations
// CHECK-NOT: relax.take
// SHORT-LABEL: func.func @few_operations
// SHORT: relax.take
func.func @few_operations(%q: tensor<6xui8>) -> tensor<6xui8> {
  %s = relax.constant {value = dense<0.5> : tensor<f32>} : () -> tensor<f32>
  %z = relax.constant {value = dense<7> : tensor<ui8>} : () -> tensor<ui8>
  %three = relax.constant {value = dense<3.0> : tensor<f32>} : () -> tensor<f32>
  %x = relax.dequantize %q, %s, %z : (tensor<6xui8>, tensor<f32>, tensor<ui8>) -> tensor<6xf32>
  %a = relax.add %x, %three : (tensor<6xf32>, tensor<f32>) -> tensor<6xf32>
  %b = relax.clip %a {min = 0.0 : f64, max = 6.0 : f64} : (tensor<6xf32>) -> tensor<6xf32>
  %c = relax.multiply %x, %b : (tensor<6xf32>, tensor<6xf32>) -> tensor<6xf32>
  %d = relax.multiply %c, %s : (tensor<6xf32>, tensor<f32>) -> tensor<6xf32>
  %r = relax.quantize %d, %s, %z {out_dtype = ui8} : (tensor<6xf32>, tensor<f32>, tensor<ui8>) -> tensor<6xui8>
  return %r : tensor<6xui8>
}

// The scale of another tensor: nothing else than a requantization, which may be the epilogue of a product.
// CHECK-LABEL: func.func @declines_requantization
// CHECK-NOT: relax.take
// SHORT-LABEL: func.func @declines_requantization
// SHORT-NOT: relax.take
func.func @declines_requantization(%q: tensor<6xui8>) -> tensor<6xui8> {
  %s = relax.constant {value = dense<0.5> : tensor<f32>} : () -> tensor<f32>
  %t = relax.constant {value = dense<0.25> : tensor<f32>} : () -> tensor<f32>
  %z = relax.constant {value = dense<7> : tensor<ui8>} : () -> tensor<ui8>
  %x = relax.dequantize %q, %s, %z : (tensor<6xui8>, tensor<f32>, tensor<ui8>) -> tensor<6xf32>
  %y = relax.multiply %x, %s : (tensor<6xf32>, tensor<f32>) -> tensor<6xf32>
  %r = relax.quantize %y, %t, %z {out_dtype = ui8} : (tensor<6xf32>, tensor<f32>, tensor<ui8>) -> tensor<6xui8>
  return %r : tensor<6xui8>
}

// A scale for each channel: not a function of the byte alone.
// CHECK-LABEL: func.func @declines_channels
// CHECK-NOT: relax.take
func.func @declines_channels(%q: tensor<4x2xi8>) -> tensor<4x2xi8> {
  %s = relax.constant {value = dense<[0.5, 0.25]> : tensor<2xf32>} : () -> tensor<2xf32>
  %t = relax.constant {value = dense<0.25> : tensor<f32>} : () -> tensor<f32>
  %z = relax.constant {value = dense<7> : tensor<i8>} : () -> tensor<i8>
  %x = relax.dequantize %q, %s, %z {axis = 1 : i64} : (tensor<4x2xi8>, tensor<2xf32>, tensor<i8>) -> tensor<4x2xf32>
  %y = relax.exp %x : (tensor<4x2xf32>) -> tensor<4x2xf32>
  %r = relax.quantize %y, %t, %z : (tensor<4x2xf32>, tensor<f32>, tensor<i8>) -> tensor<4x2xi8>
  return %r : tensor<4x2xi8>
}

// A scale that is an input: the table would be computed in each call.
// CHECK-LABEL: func.func @declines_inputs
// CHECK-NOT: relax.take
func.func @declines_inputs(%q: tensor<4x2xi8>, %s: tensor<f32>, %z: tensor<i8>) -> tensor<4x2xi8> {
  %x = relax.dequantize %q, %s, %z : (tensor<4x2xi8>, tensor<f32>, tensor<i8>) -> tensor<4x2xf32>
  %y = relax.exp %x : (tensor<4x2xf32>) -> tensor<4x2xf32>
  %r = relax.quantize %y, %s, %z : (tensor<4x2xf32>, tensor<f32>, tensor<i8>) -> tensor<4x2xi8>
  return %r : tensor<4x2xi8>
}

// The function is needed in f32 as well.
// CHECK-LABEL: func.func @declines_other_readers
// CHECK-NOT: relax.take
func.func @declines_other_readers(%q: tensor<6xui8>) -> (tensor<6xf32>, tensor<6xui8>) {
  %s = relax.constant {value = dense<0.5> : tensor<f32>} : () -> tensor<f32>
  %z = relax.constant {value = dense<7> : tensor<ui8>} : () -> tensor<ui8>
  %x = relax.dequantize %q, %s, %z : (tensor<6xui8>, tensor<f32>, tensor<ui8>) -> tensor<6xf32>
  %y = relax.exp %x : (tensor<6xf32>) -> tensor<6xf32>
  %r = relax.quantize %y, %s, %z {out_dtype = ui8} : (tensor<6xf32>, tensor<f32>, tensor<ui8>) -> tensor<6xui8>
  return %y, %r : tensor<6xf32>, tensor<6xui8>
}

// Functions of two bytes.
// CHECK-LABEL: func.func @declines_two_tensors
// CHECK-NOT: relax.take
func.func @declines_two_tensors(%p: tensor<6xui8>, %q: tensor<6xui8>) -> tensor<6xui8> {
  %s = relax.constant {value = dense<0.5> : tensor<f32>} : () -> tensor<f32>
  %z = relax.constant {value = dense<7> : tensor<ui8>} : () -> tensor<ui8>
  %x = relax.dequantize %q, %s, %z : (tensor<6xui8>, tensor<f32>, tensor<ui8>) -> tensor<6xf32>
  %w = relax.dequantize %p, %s, %z : (tensor<6xui8>, tensor<f32>, tensor<ui8>) -> tensor<6xf32>
  %t = relax.add %x, %w : (tensor<6xf32>, tensor<6xf32>) -> tensor<6xf32>
  %y = relax.exp %t : (tensor<6xf32>) -> tensor<6xf32>
  %r = relax.quantize %y, %s, %z {out_dtype = ui8} : (tensor<6xf32>, tensor<f32>, tensor<ui8>) -> tensor<6xui8>
  return %r : tensor<6xui8>
}

// A number with more dims than the bytes makes another shape.
// CHECK-LABEL: func.func @declines_another_shape
// CHECK-NOT: relax.take
func.func @declines_another_shape(%q: tensor<6xui8>) -> tensor<1x6xui8> {
  %s = relax.constant {value = dense<0.5> : tensor<f32>} : () -> tensor<f32>
  %z = relax.constant {value = dense<7> : tensor<ui8>} : () -> tensor<ui8>
  %one = relax.constant {value = dense<1.0> : tensor<1x1xf32>} : () -> tensor<1x1xf32>
  %x = relax.dequantize %q, %s, %z : (tensor<6xui8>, tensor<f32>, tensor<ui8>) -> tensor<6xf32>
  %y = relax.exp %x : (tensor<6xf32>) -> tensor<6xf32>
  %t = relax.add %y, %one : (tensor<6xf32>, tensor<1x1xf32>) -> tensor<1x6xf32>
  %r = relax.quantize %t, %s, %z {out_dtype = ui8} : (tensor<1x6xf32>, tensor<f32>, tensor<ui8>) -> tensor<1x6xui8>
  return %r : tensor<1x6xui8>
}
