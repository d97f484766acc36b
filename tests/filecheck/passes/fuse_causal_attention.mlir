// RUN: relax-opt %s -p relax-fuse-attention,relax-dead-code-elimination | filecheck %s
// RUN: relax-opt %s -p 'linalg,fuse-linalg,tile-attention{cache=64}' | filecheck %s --check-prefix BLOCKS

// The mask of causal attention as torch writes it to ONNX: a triangle of ones, of which zeros hide. A condition takes its place, which
// kernels compute of where an element is; columns that no row of a block sees are left out.
// BLOCKS-LABEL: func.func private @fused_matmul_ones_tril_where_softmax_matmul(
// BLOCKS:       %[[OWN:.*]] = arith.addi %[[I:.*]], %{{.*}} : index
// BLOCKS:       %[[END:.*]] = arith.minsi %[[OWN]]
// BLOCKS:       %[[SEEN:.*]] = arith.maxsi %[[END]]
// BLOCKS:       tensor.extract_slice %k[%{{.*}}, 0, 0] [1, 8, %[[SEEN]]]
// BLOCKS:       arith.cmpi sle
// BLOCKS:       arith.select {{.*}} {relax.weightless}
// BLOCKS:       tensor.extract_slice %v[%{{.*}}, 0, 0] [1, %[[SEEN]], 8]
// CHECK-LABEL: func.func @added(
// CHECK-NOT:   relax.tril
// CHECK:       func.call @fused_matmul_ones_tril_where_softmax_matmul(%q, %k, %v)
func.func @added(%q: tensor<2x5x8xf32>, %k: tensor<2x8x5xf32>, %v: tensor<2x5x8xf32>) -> tensor<2x5x8xf32> {
  %r = relax.dataflow {
    %one = relax.constant {value = dense<1.0> : tensor<f32>} : () -> tensor<f32>
    %zero = relax.constant {value = dense<0.0> : tensor<f32>} : () -> tensor<f32>
    %lowest = relax.constant {value = dense<-3.40282347e+38> : tensor<f32>} : () -> tensor<f32>
    %infinity = relax.constant {value = dense<0xff800000> : tensor<f32>} : () -> tensor<f32>
    %d = relax.shape : () -> !relax.shape<[5, 5]>
    %ones = relax.broadcast_to %one, %d : (tensor<f32>, !relax.shape<[5, 5]>) -> tensor<5x5xf32>
    %t = relax.tril %ones {k = 0 : i64} : (tensor<5x5xf32>) -> tensor<5x5xf32>
    %b = relax.equal %t, %zero : (tensor<5x5xf32>, tensor<f32>) -> tensor<5x5xi1>
    %h = relax.where %b, %lowest, %zero : (tensor<5x5xi1>, tensor<f32>, tensor<f32>) -> tensor<5x5xf32>
    %s = relax.matmul %q, %k : (tensor<2x5x8xf32>, tensor<2x8x5xf32>) -> tensor<2x5x5xf32>
    %m = relax.add %s, %h : (tensor<2x5x5xf32>, tensor<5x5xf32>) -> tensor<2x5x5xf32>
    %p = relax.nn.softmax %m : (tensor<2x5x5xf32>) -> tensor<2x5x5xf32>
    %o = relax.matmul %p, %v : (tensor<2x5x5xf32>, tensor<2x5x8xf32>) -> tensor<2x5x8xf32>
    relax.output %o : tensor<2x5x8xf32>
  } : tensor<2x5x8xf32>
  return %r : tensor<2x5x8xf32>
}

// Infinity above the diagonal, in a sum whose operands are in the other order. The triangle begins behind the diagonal.
// CHECK-LABEL: func.func @upper(
// CHECK:       func.call @fused_matmul_multiply_ones_tril_where_softmax_matmul(%q, %k, %v)
func.func @upper(%q: tensor<2x5x8xf32>, %k: tensor<2x8x5xf32>, %v: tensor<2x5x8xf32>) -> tensor<2x5x8xf32> {
  %r = relax.dataflow {
    %one = relax.constant {value = dense<1.0> : tensor<f32>} : () -> tensor<f32>
    %zero = relax.constant {value = dense<0.0> : tensor<f32>} : () -> tensor<f32>
    %lowest = relax.constant {value = dense<-3.40282347e+38> : tensor<f32>} : () -> tensor<f32>
    %infinity = relax.constant {value = dense<0xff800000> : tensor<f32>} : () -> tensor<f32>
    %d = relax.shape : () -> !relax.shape<[5, 5]>
    %full = relax.full %d, %infinity : (!relax.shape<[5, 5]>, tensor<f32>) -> tensor<5x5xf32>
    %h = relax.triu %full {k = 1 : i64} : (tensor<5x5xf32>) -> tensor<5x5xf32>
    %s = relax.matmul %q, %k : (tensor<2x5x8xf32>, tensor<2x8x5xf32>) -> tensor<2x5x5xf32>
    %s2 = relax.multiply %s, %one : (tensor<2x5x5xf32>, tensor<f32>) -> tensor<2x5x5xf32>
    %m = relax.add %h, %s2 : (tensor<5x5xf32>, tensor<2x5x5xf32>) -> tensor<2x5x5xf32>
    %p = relax.nn.softmax %m : (tensor<2x5x5xf32>) -> tensor<2x5x5xf32>
    %o = relax.matmul %p, %v : (tensor<2x5x5xf32>, tensor<2x5x8xf32>) -> tensor<2x5x8xf32>
    relax.output %o : tensor<2x5x8xf32>
  } : tensor<2x5x8xf32>
  return %r : tensor<2x5x8xf32>
}

// Scores that are picked, where a row sees two columns more than its own.
// CHECK-LABEL: func.func @picked(
// CHECK:       func.call @fused_matmul_ones_tril_where_softmax_matmul1(%q, %k, %v)
func.func @picked(%q: tensor<2x5x8xf32>, %k: tensor<2x8x5xf32>, %v: tensor<2x5x8xf32>) -> tensor<2x5x8xf32> {
  %r = relax.dataflow {
    %one = relax.constant {value = dense<1.0> : tensor<f32>} : () -> tensor<f32>
    %zero = relax.constant {value = dense<0.0> : tensor<f32>} : () -> tensor<f32>
    %lowest = relax.constant {value = dense<-3.40282347e+38> : tensor<f32>} : () -> tensor<f32>
    %infinity = relax.constant {value = dense<0xff800000> : tensor<f32>} : () -> tensor<f32>
    %d = relax.shape : () -> !relax.shape<[5, 5]>
    %ones = relax.broadcast_to %one, %d : (tensor<f32>, !relax.shape<[5, 5]>) -> tensor<5x5xf32>
    %t = relax.tril %ones {k = 2 : i64} : (tensor<5x5xf32>) -> tensor<5x5xf32>
    %b = relax.equal %t, %zero : (tensor<5x5xf32>, tensor<f32>) -> tensor<5x5xi1>
    %s = relax.matmul %q, %k : (tensor<2x5x8xf32>, tensor<2x8x5xf32>) -> tensor<2x5x5xf32>
    %m = relax.where %b, %infinity, %s : (tensor<5x5xi1>, tensor<f32>, tensor<2x5x5xf32>) -> tensor<2x5x5xf32>
    %p = relax.nn.softmax %m : (tensor<2x5x5xf32>) -> tensor<2x5x5xf32>
    %o = relax.matmul %p, %v : (tensor<2x5x5xf32>, tensor<2x5x8xf32>) -> tensor<2x5x8xf32>
    relax.output %o : tensor<2x5x8xf32>
  } : tensor<2x5x8xf32>
  return %r : tensor<2x5x8xf32>
}

// The first row sees no column, so that the scores themselves count.
// CHECK-LABEL: func.func @declines_empty_rows(
// CHECK:       func.call @fused_matmul_add_softmax_matmul
func.func @declines_empty_rows(%q: tensor<2x5x8xf32>, %k: tensor<2x8x5xf32>, %v: tensor<2x5x8xf32>) -> tensor<2x5x8xf32> {
  %r = relax.dataflow {
    %one = relax.constant {value = dense<1.0> : tensor<f32>} : () -> tensor<f32>
    %zero = relax.constant {value = dense<0.0> : tensor<f32>} : () -> tensor<f32>
    %lowest = relax.constant {value = dense<-3.40282347e+38> : tensor<f32>} : () -> tensor<f32>
    %infinity = relax.constant {value = dense<0xff800000> : tensor<f32>} : () -> tensor<f32>
    %d = relax.shape : () -> !relax.shape<[5, 5]>
    %ones = relax.broadcast_to %one, %d : (tensor<f32>, !relax.shape<[5, 5]>) -> tensor<5x5xf32>
    %t = relax.tril %ones {k = -1 : i64} : (tensor<5x5xf32>) -> tensor<5x5xf32>
    %b = relax.equal %t, %zero : (tensor<5x5xf32>, tensor<f32>) -> tensor<5x5xi1>
    %h = relax.where %b, %lowest, %zero : (tensor<5x5xi1>, tensor<f32>, tensor<f32>) -> tensor<5x5xf32>
    %s = relax.matmul %q, %k : (tensor<2x5x8xf32>, tensor<2x8x5xf32>) -> tensor<2x5x5xf32>
    %m = relax.add %s, %h : (tensor<2x5x5xf32>, tensor<5x5xf32>) -> tensor<2x5x5xf32>
    %p = relax.nn.softmax %m : (tensor<2x5x5xf32>) -> tensor<2x5x5xf32>
    %o = relax.matmul %p, %v : (tensor<2x5x5xf32>, tensor<2x5x8xf32>) -> tensor<2x5x8xf32>
    relax.output %o : tensor<2x5x8xf32>
  } : tensor<2x5x8xf32>
  return %r : tensor<2x5x8xf32>
}

// What is hidden may be among the scores: a weight that is small, and not nothing.
// CHECK-LABEL: func.func @declines_number_among_scores(
// CHECK:       func.call @fused_matmul_add_softmax_matmul
func.func @declines_number_among_scores(%q: tensor<2x5x8xf32>, %k: tensor<2x8x5xf32>, %v: tensor<2x5x8xf32>) -> tensor<2x5x8xf32> {
  %r = relax.dataflow {
    %one = relax.constant {value = dense<1.0> : tensor<f32>} : () -> tensor<f32>
    %zero = relax.constant {value = dense<0.0> : tensor<f32>} : () -> tensor<f32>
    %lowest = relax.constant {value = dense<-3.40282347e+38> : tensor<f32>} : () -> tensor<f32>
    %infinity = relax.constant {value = dense<0xff800000> : tensor<f32>} : () -> tensor<f32>
    %d = relax.shape : () -> !relax.shape<[5, 5]>
    %few = relax.constant {value = dense<-1.0e4> : tensor<f32>} : () -> tensor<f32>
    %ones = relax.broadcast_to %one, %d : (tensor<f32>, !relax.shape<[5, 5]>) -> tensor<5x5xf32>
    %t = relax.tril %ones {k = 0 : i64} : (tensor<5x5xf32>) -> tensor<5x5xf32>
    %b = relax.equal %t, %zero : (tensor<5x5xf32>, tensor<f32>) -> tensor<5x5xi1>
    %h = relax.where %b, %few, %zero : (tensor<5x5xi1>, tensor<f32>, tensor<f32>) -> tensor<5x5xf32>
    %s = relax.matmul %q, %k : (tensor<2x5x8xf32>, tensor<2x8x5xf32>) -> tensor<2x5x5xf32>
    %m = relax.add %s, %h : (tensor<2x5x5xf32>, tensor<5x5xf32>) -> tensor<2x5x5xf32>
    %p = relax.nn.softmax %m : (tensor<2x5x5xf32>) -> tensor<2x5x5xf32>
    %o = relax.matmul %p, %v : (tensor<2x5x5xf32>, tensor<2x5x8xf32>) -> tensor<2x5x8xf32>
    relax.output %o : tensor<2x5x8xf32>
  } : tensor<2x5x8xf32>
  return %r : tensor<2x5x8xf32>
}

// What is before the diagonal is hidden.
// CHECK-LABEL: func.func @declines_hidden_triangle(
// CHECK:       func.call @fused_matmul_add_softmax_matmul
func.func @declines_hidden_triangle(%q: tensor<2x5x8xf32>, %k: tensor<2x8x5xf32>, %v: tensor<2x5x8xf32>) -> tensor<2x5x8xf32> {
  %r = relax.dataflow {
    %one = relax.constant {value = dense<1.0> : tensor<f32>} : () -> tensor<f32>
    %zero = relax.constant {value = dense<0.0> : tensor<f32>} : () -> tensor<f32>
    %lowest = relax.constant {value = dense<-3.40282347e+38> : tensor<f32>} : () -> tensor<f32>
    %infinity = relax.constant {value = dense<0xff800000> : tensor<f32>} : () -> tensor<f32>
    %d = relax.shape : () -> !relax.shape<[5, 5]>
    %ones = relax.broadcast_to %one, %d : (tensor<f32>, !relax.shape<[5, 5]>) -> tensor<5x5xf32>
    %t = relax.triu %ones {k = 1 : i64} : (tensor<5x5xf32>) -> tensor<5x5xf32>
    %b = relax.equal %t, %zero : (tensor<5x5xf32>, tensor<f32>) -> tensor<5x5xi1>
    %h = relax.where %b, %lowest, %zero : (tensor<5x5xi1>, tensor<f32>, tensor<f32>) -> tensor<5x5xf32>
    %s = relax.matmul %q, %k : (tensor<2x5x8xf32>, tensor<2x8x5xf32>) -> tensor<2x5x5xf32>
    %m = relax.add %s, %h : (tensor<2x5x5xf32>, tensor<5x5xf32>) -> tensor<2x5x5xf32>
    %p = relax.nn.softmax %m : (tensor<2x5x5xf32>) -> tensor<2x5x5xf32>
    %o = relax.matmul %p, %v : (tensor<2x5x5xf32>, tensor<2x5x8xf32>) -> tensor<2x5x8xf32>
    relax.output %o : tensor<2x5x8xf32>
  } : tensor<2x5x8xf32>
  return %r : tensor<2x5x8xf32>
}

// Another mask may hide all that a row sees.
// CHECK-LABEL: func.func @declines_two_masks(
// CHECK:       func.call @fused_matmul_add_add_softmax_matmul
func.func @declines_two_masks(%q: tensor<2x5x8xf32>, %k: tensor<2x8x5xf32>, %v: tensor<2x5x8xf32>, %n: tensor<2x1x5xf32>) -> tensor<2x5x8xf32> {
  %r = relax.dataflow {
    %one = relax.constant {value = dense<1.0> : tensor<f32>} : () -> tensor<f32>
    %zero = relax.constant {value = dense<0.0> : tensor<f32>} : () -> tensor<f32>
    %lowest = relax.constant {value = dense<-3.40282347e+38> : tensor<f32>} : () -> tensor<f32>
    %infinity = relax.constant {value = dense<0xff800000> : tensor<f32>} : () -> tensor<f32>
    %d = relax.shape : () -> !relax.shape<[5, 5]>
    %ones = relax.broadcast_to %one, %d : (tensor<f32>, !relax.shape<[5, 5]>) -> tensor<5x5xf32>
    %t = relax.tril %ones {k = 0 : i64} : (tensor<5x5xf32>) -> tensor<5x5xf32>
    %b = relax.equal %t, %zero : (tensor<5x5xf32>, tensor<f32>) -> tensor<5x5xi1>
    %h = relax.where %b, %lowest, %zero : (tensor<5x5xi1>, tensor<f32>, tensor<f32>) -> tensor<5x5xf32>
    %s = relax.matmul %q, %k : (tensor<2x5x8xf32>, tensor<2x8x5xf32>) -> tensor<2x5x5xf32>
    %s2 = relax.add %s, %n : (tensor<2x5x5xf32>, tensor<2x1x5xf32>) -> tensor<2x5x5xf32>
    %m = relax.add %s2, %h : (tensor<2x5x5xf32>, tensor<5x5xf32>) -> tensor<2x5x5xf32>
    %p = relax.nn.softmax %m : (tensor<2x5x5xf32>) -> tensor<2x5x5xf32>
    %o = relax.matmul %p, %v : (tensor<2x5x5xf32>, tensor<2x5x8xf32>) -> tensor<2x5x8xf32>
    relax.output %o : tensor<2x5x8xf32>
  } : tensor<2x5x8xf32>
  return %r : tensor<2x5x8xf32>
}

// Behind the mask scores are turned around.
// CHECK-LABEL: func.func @declines_ops_behind(
// CHECK:       func.call @fused_matmul_add_multiply_softmax_matmul
func.func @declines_ops_behind(%q: tensor<2x5x8xf32>, %k: tensor<2x8x5xf32>, %v: tensor<2x5x8xf32>) -> tensor<2x5x8xf32> {
  %r = relax.dataflow {
    %one = relax.constant {value = dense<1.0> : tensor<f32>} : () -> tensor<f32>
    %zero = relax.constant {value = dense<0.0> : tensor<f32>} : () -> tensor<f32>
    %lowest = relax.constant {value = dense<-3.40282347e+38> : tensor<f32>} : () -> tensor<f32>
    %infinity = relax.constant {value = dense<0xff800000> : tensor<f32>} : () -> tensor<f32>
    %d = relax.shape : () -> !relax.shape<[5, 5]>
    %minus = relax.constant {value = dense<-1.0> : tensor<f32>} : () -> tensor<f32>
    %ones = relax.broadcast_to %one, %d : (tensor<f32>, !relax.shape<[5, 5]>) -> tensor<5x5xf32>
    %t = relax.tril %ones {k = 0 : i64} : (tensor<5x5xf32>) -> tensor<5x5xf32>
    %b = relax.equal %t, %zero : (tensor<5x5xf32>, tensor<f32>) -> tensor<5x5xi1>
    %h = relax.where %b, %lowest, %zero : (tensor<5x5xi1>, tensor<f32>, tensor<f32>) -> tensor<5x5xf32>
    %s = relax.matmul %q, %k : (tensor<2x5x8xf32>, tensor<2x8x5xf32>) -> tensor<2x5x5xf32>
    %m2 = relax.add %s, %h : (tensor<2x5x5xf32>, tensor<5x5xf32>) -> tensor<2x5x5xf32>
    %m = relax.multiply %m2, %minus : (tensor<2x5x5xf32>, tensor<f32>) -> tensor<2x5x5xf32>
    %p = relax.nn.softmax %m : (tensor<2x5x5xf32>) -> tensor<2x5x5xf32>
    %o = relax.matmul %p, %v : (tensor<2x5x5xf32>, tensor<2x5x8xf32>) -> tensor<2x5x8xf32>
    relax.output %o : tensor<2x5x8xf32>
  } : tensor<2x5x8xf32>
  return %r : tensor<2x5x8xf32>
}

// An op that asks where an element is.
// CHECK-LABEL: func.func @declines_places(
// CHECK:       func.call @fused_matmul_add_softmax_matmul
func.func @declines_places(%q: tensor<2x5x8xf32>, %k: tensor<2x8x5xf32>, %v: tensor<2x5x8xf32>) -> tensor<2x5x8xf32> {
  %r = relax.dataflow {
    %one = relax.constant {value = dense<1.0> : tensor<f32>} : () -> tensor<f32>
    %zero = relax.constant {value = dense<0.0> : tensor<f32>} : () -> tensor<f32>
    %lowest = relax.constant {value = dense<-3.40282347e+38> : tensor<f32>} : () -> tensor<f32>
    %infinity = relax.constant {value = dense<0xff800000> : tensor<f32>} : () -> tensor<f32>
    %d = relax.shape : () -> !relax.shape<[5, 5]>
    %ones = relax.broadcast_to %one, %d : (tensor<f32>, !relax.shape<[5, 5]>) -> tensor<5x5xf32>
    %t = relax.tril %ones {k = 0 : i64} : (tensor<5x5xf32>) -> tensor<5x5xf32>
    %b = relax.equal %t, %zero : (tensor<5x5xf32>, tensor<f32>) -> tensor<5x5xi1>
    %h = relax.where %b, %lowest, %zero : (tensor<5x5xi1>, tensor<f32>, tensor<f32>) -> tensor<5x5xf32>
    %n = relax.eye_like %h : (tensor<5x5xf32>) -> tensor<5x5xf32>
    %s = relax.matmul %q, %k : (tensor<2x5x8xf32>, tensor<2x8x5xf32>) -> tensor<2x5x5xf32>
    %m = relax.add %s, %n : (tensor<2x5x5xf32>, tensor<5x5xf32>) -> tensor<2x5x5xf32>
    %p = relax.nn.softmax %m : (tensor<2x5x5xf32>) -> tensor<2x5x5xf32>
    %o = relax.matmul %p, %v : (tensor<2x5x5xf32>, tensor<2x5x8xf32>) -> tensor<2x5x8xf32>
    relax.output %o : tensor<2x5x8xf32>
  } : tensor<2x5x8xf32>
  return %r : tensor<2x5x8xf32>
}

// Along the rows, and not the columns.
// CHECK-LABEL: func.func @declines_rows_alone(
// CHECK:       func.call @fused_matmul_add_softmax_matmul
func.func @declines_rows_alone(%q: tensor<2x5x8xf32>, %k: tensor<2x8x5xf32>, %v: tensor<2x5x8xf32>) -> tensor<2x5x8xf32> {
  %r = relax.dataflow {
    %one = relax.constant {value = dense<1.0> : tensor<f32>} : () -> tensor<f32>
    %zero = relax.constant {value = dense<0.0> : tensor<f32>} : () -> tensor<f32>
    %lowest = relax.constant {value = dense<-3.40282347e+38> : tensor<f32>} : () -> tensor<f32>
    %infinity = relax.constant {value = dense<0xff800000> : tensor<f32>} : () -> tensor<f32>
    %d = relax.shape : () -> !relax.shape<[5, 5]>
    %e = relax.shape : () -> !relax.shape<[5, 1]>
    %column = relax.broadcast_to %one, %e : (tensor<f32>, !relax.shape<[5, 1]>) -> tensor<5x1xf32>
    %t1 = relax.tril %column {k = 0 : i64} : (tensor<5x1xf32>) -> tensor<5x1xf32>
    %b1 = relax.equal %t1, %zero : (tensor<5x1xf32>, tensor<f32>) -> tensor<5x1xi1>
    %h = relax.where %b1, %lowest, %zero : (tensor<5x1xi1>, tensor<f32>, tensor<f32>) -> tensor<5x1xf32>
    %s = relax.matmul %q, %k : (tensor<2x5x8xf32>, tensor<2x8x5xf32>) -> tensor<2x5x5xf32>
    %m = relax.add %s, %h : (tensor<2x5x5xf32>, tensor<5x1xf32>) -> tensor<2x5x5xf32>
    %p = relax.nn.softmax %m : (tensor<2x5x5xf32>) -> tensor<2x5x5xf32>
    %o = relax.matmul %p, %v : (tensor<2x5x5xf32>, tensor<2x5x8xf32>) -> tensor<2x5x8xf32>
    relax.output %o : tensor<2x5x8xf32>
  } : tensor<2x5x8xf32>
  return %r : tensor<2x5x8xf32>
}
