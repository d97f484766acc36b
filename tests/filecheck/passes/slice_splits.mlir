// RUN: relax-opt %s -p relax-slice-splits | filecheck %s
// RUN: relax-opt %s -p relax-slice-splits,relax-convert-to-dataflow,relax-fuse-ops | filecheck %s --check-prefix FUSED

// Each part is read where it lies, by the kernel of its reader.
// CHECK-LABEL: func.func @readers(
// CHECK-NEXT: %[[A:.*]] = relax.strided_slice %x {axes = array<i64: 1>, begin = array<i64: 0>, end = array<i64: 64>} : (tensor<?x192xf32, #relax.sym<n>>) -> tensor<?x64xf32, #relax.sym<n>>
// CHECK-NEXT: %[[B:.*]] = relax.strided_slice %x {axes = array<i64: 1>, begin = array<i64: 64>, end = array<i64: 192>} : (tensor<?x192xf32, #relax.sym<n>>) -> tensor<?x128xf32, #relax.sym<n>>
// CHECK-NEXT: relax.exp %[[A]]
// CHECK-NEXT: relax.permute_dims %[[B]]
// FUSED-LABEL: func.func @readers(
// FUSED: %[[A:.*]] = func.call @fused_strided_slice_exp(%x)
// FUSED-NEXT: %[[B:.*]] = func.call @fused_strided_slice_permute_dims(%x)
func.func @readers(%x: tensor<?x192xf32, #relax.sym<n>>) -> (tensor<?x64xf32, #relax.sym<n>>, tensor<128x?xf32, #relax.sym<n>>) {
  %a, %b = relax.split %x {indices = array<i64: 64>, axis = -1 : i64} : (tensor<?x192xf32, #relax.sym<n>>) -> (tensor<?x64xf32, #relax.sym<n>>, tensor<?x128xf32, #relax.sym<n>>)
  %c = relax.exp %a : (tensor<?x64xf32, #relax.sym<n>>) -> tensor<?x64xf32, #relax.sym<n>>
  %d = relax.permute_dims %b : (tensor<?x128xf32, #relax.sym<n>>) -> tensor<128x?xf32, #relax.sym<n>>
  return %c, %d : tensor<?x64xf32, #relax.sym<n>>, tensor<128x?xf32, #relax.sym<n>>
}

// The last part of sections may be smaller.
// CHECK-LABEL: func.func @sections(
// CHECK-NEXT: relax.strided_slice %x {axes = array<i64: 0>, begin = array<i64: 0>, end = array<i64: 2>} : (tensor<3x64xf32>) -> tensor<2x64xf32>
// CHECK-NEXT: relax.strided_slice %x {axes = array<i64: 0>, begin = array<i64: 2>, end = array<i64: 3>} : (tensor<3x64xf32>) -> tensor<1x64xf32>
// CHECK-NOT: relax.split
func.func @sections(%x: tensor<3x64xf32>) -> (tensor<2x64xf32>, tensor<1x64xf32>) {
  %a, %b = relax.split %x {sections = 2 : i64} : (tensor<3x64xf32>) -> (tensor<2x64xf32>, tensor<1x64xf32>)
  %d = relax.exp %a : (tensor<2x64xf32>) -> tensor<2x64xf32>
  %e = relax.exp %b : (tensor<1x64xf32>) -> tensor<1x64xf32>
  return %d, %e : tensor<2x64xf32>, tensor<1x64xf32>
}

// Declined: a tensor that others read, in whose memory they may compute before the parts are read, a part that is a result, one that two ops read, one that a product reads, short runs, and an axis of unknown size.
// CHECK-LABEL: func.func @others_read(
// CHECK-NEXT: relax.split
func.func @others_read(%x: tensor<4x64xf32> {relax.donate = 0 : i64}) -> (tensor<4x64xf32>, tensor<2x64xf32>, tensor<2x64xf32>) {
  %a, %b = relax.split %x {sections = 2 : i64} : (tensor<4x64xf32>) -> (tensor<2x64xf32>, tensor<2x64xf32>)
  %d = relax.add %x, %x : (tensor<4x64xf32>, tensor<4x64xf32>) -> tensor<4x64xf32>
  %c = relax.exp %a : (tensor<2x64xf32>) -> tensor<2x64xf32>
  %e = relax.exp %b : (tensor<2x64xf32>) -> tensor<2x64xf32>
  return %d, %c, %e : tensor<4x64xf32>, tensor<2x64xf32>, tensor<2x64xf32>
}

// CHECK-LABEL: func.func @result(
// CHECK-NEXT: relax.split
func.func @result(%x: tensor<4x64xf32>) -> (tensor<2x64xf32>, tensor<2x64xf32>) {
  %a, %b = relax.split %x {sections = 2 : i64} : (tensor<4x64xf32>) -> (tensor<2x64xf32>, tensor<2x64xf32>)
  %c = relax.exp %a : (tensor<2x64xf32>) -> tensor<2x64xf32>
  return %b, %c : tensor<2x64xf32>, tensor<2x64xf32>
}

// CHECK-LABEL: func.func @two_readers(
// CHECK-NEXT: relax.split
func.func @two_readers(%x: tensor<4x64xf32>) -> (tensor<2x64xf32>, tensor<2x64xf32>, tensor<2x64xf32>) {
  %a, %b = relax.split %x {sections = 2 : i64} : (tensor<4x64xf32>) -> (tensor<2x64xf32>, tensor<2x64xf32>)
  %c = relax.exp %a : (tensor<2x64xf32>) -> tensor<2x64xf32>
  %d = relax.sin %a : (tensor<2x64xf32>) -> tensor<2x64xf32>
  %e = relax.exp %b : (tensor<2x64xf32>) -> tensor<2x64xf32>
  return %c, %d, %e : tensor<2x64xf32>, tensor<2x64xf32>, tensor<2x64xf32>
}

// CHECK-LABEL: func.func @product(
// CHECK-NEXT: relax.split
func.func @product(%x: tensor<4x64xf32>, %y: tensor<64x2xf32>) -> (tensor<2x64xf32>, tensor<2x2xf32>) {
  %a, %b = relax.split %x {sections = 2 : i64} : (tensor<4x64xf32>) -> (tensor<2x64xf32>, tensor<2x64xf32>)
  %c = relax.exp %a : (tensor<2x64xf32>) -> tensor<2x64xf32>
  %d = relax.matmul %b, %y : (tensor<2x64xf32>, tensor<64x2xf32>) -> tensor<2x2xf32>
  return %c, %d : tensor<2x64xf32>, tensor<2x2xf32>
}

// CHECK-LABEL: func.func @short_runs(
// CHECK-NEXT: relax.split
func.func @short_runs(%x: tensor<1000x64xf32>) -> (tensor<1000x1xf32>, tensor<1000x63xf32>) {
  %a, %b = relax.split %x {indices = array<i64: 1>, axis = 1 : i64} : (tensor<1000x64xf32>) -> (tensor<1000x1xf32>, tensor<1000x63xf32>)
  %c = relax.exp %a : (tensor<1000x1xf32>) -> tensor<1000x1xf32>
  %d = relax.exp %b : (tensor<1000x63xf32>) -> tensor<1000x63xf32>
  return %c, %d : tensor<1000x1xf32>, tensor<1000x63xf32>
}

// CHECK-LABEL: func.func @unknown_size(
// CHECK-NEXT: relax.split
func.func @unknown_size(%x: tensor<?x64xf32, #relax.sym<n>>) -> (tensor<2x64xf32>, tensor<?x64xf32, #relax.sym<max(n - 2, 0)>>) {
  %a, %b = relax.split %x {indices = array<i64: 2>} : (tensor<?x64xf32, #relax.sym<n>>) -> (tensor<2x64xf32>, tensor<?x64xf32, #relax.sym<max(n - 2, 0)>>)
  %c = relax.exp %a : (tensor<2x64xf32>) -> tensor<2x64xf32>
  %d = relax.exp %b : (tensor<?x64xf32, #relax.sym<max(n - 2, 0)>>) -> tensor<?x64xf32, #relax.sym<max(n - 2, 0)>>
  return %c, %d : tensor<2x64xf32>, tensor<?x64xf32, #relax.sym<max(n - 2, 0)>>
}
