// RUN: relax-opt %s | relax-opt | filecheck %s
// RUN: relax-opt %s --print-op-generic | relax-opt | filecheck %s

// CHECK-LABEL: func.func @packing(
// CHECK: relax.pack_weight %w : (tensor<8x100xf32>) -> tensor<2x8x64xf32>
// CHECK: relax.pack_weight %s : (tensor<?x?xf32, #relax.sym<k, n>>) -> tensor<?x?x64xf32, #relax.sym<(n + 63) floordiv 64, k>>
// CHECK: relax.packed_matmul %x, %{{.*}} {columns = 100 : i64} : (tensor<?x8xf32, #relax.sym<m>>, tensor<2x8x64xf32>) -> tensor<?x100xf32, #relax.sym<m>>
func.func @packing(%x: tensor<?x8xf32, #relax.sym<m>>, %w: tensor<8x100xf32>, %s: tensor<?x?xf32, #relax.sym<k, n>>) {
  %0 = relax.pack_weight %w : (tensor<8x100xf32>) -> tensor<2x8x64xf32>
  %1 = relax.pack_weight %s : (tensor<?x?xf32, #relax.sym<k, n>>) -> tensor<?x?x64xf32, #relax.sym<(n + 63) floordiv 64, k>>
  %2 = relax.packed_matmul %x, %0 {columns = 100 : i64} : (tensor<?x8xf32, #relax.sym<m>>, tensor<2x8x64xf32>) -> tensor<?x100xf32, #relax.sym<m>>
  return
}

// CHECK-LABEL: func.func @bytes(
// CHECK: relax.pack_weight %w : (tensor<9x100xi8>) -> tensor<2x3x64x4xi8>
// CHECK: relax.pack_weight %s : (tensor<?x?xui8, #relax.sym<k, n>>) -> tensor<?x?x64x4xui8, #relax.sym<(n + 63) floordiv 64, (k + 3) floordiv 4>>
// CHECK: relax.packed_matmul %x, %{{.*}} {columns = 100 : i64, out_dtype = i32} : (tensor<2x9xui8>, tensor<2x3x64x4xi8>) -> tensor<2x100xi32>
func.func @bytes(%x: tensor<2x9xui8>, %w: tensor<9x100xi8>, %s: tensor<?x?xui8, #relax.sym<k, n>>) {
  %0 = relax.pack_weight %w : (tensor<9x100xi8>) -> tensor<2x3x64x4xi8>
  %1 = relax.pack_weight %s : (tensor<?x?xui8, #relax.sym<k, n>>) -> tensor<?x?x64x4xui8, #relax.sym<(n + 63) floordiv 64, (k + 3) floordiv 4>>
  %2 = relax.packed_matmul %x, %0 {columns = 100 : i64, out_dtype = i32} : (tensor<2x9xui8>, tensor<2x3x64x4xi8>) -> tensor<2x100xi32>
  return
}

// CHECK-LABEL: func.func @pairs(
// CHECK: relax.pack_weight %w : (tensor<9x100xbf16>) -> tensor<2x5x64x2xbf16>
// CHECK: relax.packed_matmul %x, %{{.*}} {columns = 100 : i64} : (tensor<2x9xf32>, tensor<2x5x64x2xbf16>) -> tensor<2x100xf32>
func.func @pairs(%x: tensor<2x9xf32>, %w: tensor<9x100xbf16>) {
  %0 = relax.pack_weight %w : (tensor<9x100xbf16>) -> tensor<2x5x64x2xbf16>
  %1 = relax.packed_matmul %x, %0 {columns = 100 : i64} : (tensor<2x9xf32>, tensor<2x5x64x2xbf16>) -> tensor<2x100xf32>
  return
}

// CHECK-LABEL: func.func @panels_of_16(
// CHECK: relax.pack_weight %w {panel = 16 : i64} : (tensor<8x100xf32>) -> tensor<7x8x16xf32>
// CHECK: relax.packed_matmul %x, %{{.*}} {columns = 100 : i64} : (tensor<2x8xf32>, tensor<7x8x16xf32>) -> tensor<2x100xf32>
func.func @panels_of_16(%x: tensor<2x8xf32>, %w: tensor<8x100xf32>) {
  %0 = relax.pack_weight %w {panel = 16 : i64} : (tensor<8x100xf32>) -> tensor<7x8x16xf32>
  %1 = relax.packed_matmul %x, %0 {columns = 100 : i64} : (tensor<2x8xf32>, tensor<7x8x16xf32>) -> tensor<2x100xf32>
  return
}
