// RUN: relax-opt %s -p 'relax-split-batches{cache=6000}' | filecheck %s
// RUN: relax-opt %s -p 'relax-split-batches{cache=24576}' | filecheck %s --check-prefix PAIRS
// RUN: relax-opt %s -p relax-split-batches | filecheck %s --check-prefix SMALL
// RUN: relax-opt %s -p 'relax-split-batches{cache=6000}' --remarks -o %t 2>&1 | filecheck %s --check-prefix REMARKS

// What a convolution makes of four images does not fit: each image goes through all ops up to those that read something smaller. The
// kernel of the last one is read as a whole by each call.
// REMARKS: remark: rewrite: relax.nn.conv2d ({{.*}}) to relax.nn.conv2d ({{.*}}) are computed for 1 of 4 images at a time
// CHECK-LABEL: func.func @net(
// CHECK-NEXT:  relax.dataflow
// CHECK-NEXT:    %[[X0:.*]] = relax.strided_slice %x {axes = array<i64: 0>, begin = array<i64: 0>, end = array<i64: 1>} : (tensor<4x3x8x8xf32>) -> tensor<1x3x8x8xf32>
// CHECK-NEXT:    %[[Y0:.*]] = func.call @images(%[[X0]], %w, %b, %v) : (tensor<1x3x8x8xf32>, tensor<6x3x3x3xf32>, tensor<6x1x1xf32>, tensor<2x6x1x1xf32>) -> tensor<1x2x4x4xf32>
// CHECK-NEXT:    %[[X1:.*]] = relax.strided_slice %x {axes = array<i64: 0>, begin = array<i64: 1>, end = array<i64: 2>}
// CHECK-NEXT:    %[[Y1:.*]] = func.call @images(%[[X1]], %w, %b, %v)
// CHECK-NEXT:    %[[X2:.*]] = relax.strided_slice
// CHECK-NEXT:    %[[Y2:.*]] = func.call @images(%[[X2]], %w, %b, %v)
// CHECK-NEXT:    %[[X3:.*]] = relax.strided_slice
// CHECK-NEXT:    %[[Y3:.*]] = func.call @images(%[[X3]], %w, %b, %v)
// CHECK-NEXT:    relax.concat %[[Y0]], %[[Y1]], %[[Y2]], %[[Y3]] {axis = 0 : i64}
// CHECK-NEXT:    relax.output
// PAIRS-LABEL: func.func @net(
// PAIRS:         end = array<i64: 2>} : (tensor<4x3x8x8xf32>) -> tensor<2x3x8x8xf32>
// PAIRS-NEXT:    func.call @images(
// PAIRS-NEXT:    begin = array<i64: 2>, end = array<i64: 4>}
// PAIRS-NEXT:    func.call @images(
// PAIRS-NEXT:    relax.concat
// SMALL-NOT:   func.call
func.func @net(%x: tensor<4x3x8x8xf32>, %w: tensor<6x3x3x3xf32>, %b: tensor<6x1x1xf32>, %v: tensor<2x6x1x1xf32>) -> tensor<4x2x4x4xf32> {
  %r = relax.dataflow {
    %c = relax.nn.conv2d %x, %w {padding = array<i64: 1, 1, 1, 1>} : (tensor<4x3x8x8xf32>, tensor<6x3x3x3xf32>) -> tensor<4x6x8x8xf32>
    %a = relax.add %c, %b : (tensor<4x6x8x8xf32>, tensor<6x1x1xf32>) -> tensor<4x6x8x8xf32>
    %m = relax.nn.max_pool2d %a {pool_size = array<i64: 2, 2>, strides = array<i64: 2, 2>} : (tensor<4x6x8x8xf32>) -> tensor<4x6x4x4xf32>
    %d = relax.nn.conv2d %m, %v : (tensor<4x6x4x4xf32>, tensor<2x6x1x1xf32>) -> tensor<4x2x4x4xf32>
    relax.output %d : tensor<4x2x4x4xf32>
  } : tensor<4x2x4x4xf32>
  return %r : tensor<4x2x4x4xf32>
}

// What is read behind them leaves the function, also from the middle; a function of that name is there already.
// CHECK-LABEL: func.func @images_1(
// CHECK-LABEL: func.func @two(
// CHECK:       %[[A0:.*]], %[[B0:.*]] = func.call @images_2(
// CHECK:       %[[A1:.*]], %[[B1:.*]] = func.call @images_2(
// CHECK:       %[[A:.*]] = relax.concat %[[A0]], %[[A1]]
// CHECK:       %[[B:.*]] = relax.concat %[[B0]], %[[B1]]
// CHECK:       return %[[A]], %[[B]]
func.func @images_1(%x: tensor<2xf32>) -> tensor<2xf32> {
  return %x : tensor<2xf32>
}
func.func @two(%x: tensor<2x6x8x8xf32>, %y: tensor<1x6x8x8xf32>) -> (tensor<2x6x8x8xf32>, tensor<2x6x8x8xf32>) {
  %a = relax.add %x, %y : (tensor<2x6x8x8xf32>, tensor<1x6x8x8xf32>) -> tensor<2x6x8x8xf32>
  %b = relax.nn.max_pool2d %a {pool_size = array<i64: 3, 3>, padding = array<i64: 1, 1, 1, 1>} : (tensor<2x6x8x8xf32>) -> tensor<2x6x8x8xf32>
  return %a, %b : tensor<2x6x8x8xf32>, tensor<2x6x8x8xf32>
}

// A value that is the kernel of another op is not images there; one that is made of images is the kernel of nothing that goes with them.
// CHECK-LABEL: func.func @kernel(
// CHECK:       relax.exp
// CHECK-NEXT:  relax.nn.conv2d
// CHECK-NEXT:  return
func.func @kernel(%x: tensor<4x4x8x8xf32>) -> tensor<4x4x1x1xf32> {
  %k = relax.exp %x : (tensor<4x4x8x8xf32>) -> tensor<4x4x8x8xf32>
  %y = relax.nn.conv2d %x, %k : (tensor<4x4x8x8xf32>, tensor<4x4x8x8xf32>) -> tensor<4x4x1x1xf32>
  return %y : tensor<4x4x1x1xf32>
}

// Ops whose results belong to no image, whose batch comes last or has an unknown size, and kernels that are larger than an image.
// REMARKS: relax.nn.max_pool2d ({{.*}}) is not computed for some images at a time: its layouts are CHWN, want N first
// CHECK-LABEL: func.func @others(
// CHECK-NOT:   func.call
// CHECK:       return
func.func @others(%x: tensor<4x6x8x8xf32>, %s: tensor<?x6x8x8xf32, #relax.sym<n>>, %c: tensor<6x8x8x4xf32>, %w: tensor<6x6x7x7xf32>) -> (tensor<6x8x8xf32>, tensor<?x6x8x8xf32, #relax.sym<n>>, tensor<6x8x8x4xf32>, tensor<4x6x2x2xf32>) {
  %e = relax.exp %x : (tensor<4x6x8x8xf32>) -> tensor<4x6x8x8xf32>
  %m = relax.max %e {axis = array<i64: 0>} : (tensor<4x6x8x8xf32>) -> tensor<6x8x8xf32>
  %t = relax.exp %s : (tensor<?x6x8x8xf32, #relax.sym<n>>) -> tensor<?x6x8x8xf32, #relax.sym<n>>
  %u = relax.negative %t : (tensor<?x6x8x8xf32, #relax.sym<n>>) -> tensor<?x6x8x8xf32, #relax.sym<n>>
  %p = relax.nn.max_pool2d %c {pool_size = array<i64: 1, 1>, layout = "CHWN"} : (tensor<6x8x8x4xf32>) -> tensor<6x8x8x4xf32>
  %y = relax.nn.conv2d %x, %w : (tensor<4x6x8x8xf32>, tensor<6x6x7x7xf32>) -> tensor<4x6x2x2xf32>
  return %m, %u, %p, %y : tensor<6x8x8xf32>, tensor<?x6x8x8xf32, #relax.sym<n>>, tensor<6x8x8x4xf32>, tensor<4x6x2x2xf32>
}

// Element-wise ops alone are one kernel anyway. Triangles, slopes and scales depend on where an image is in the batch.
// REMARKS-NEXT: relax.nn.max_pool1d ({{.*}}) is not computed for some images at a time: it is read by func.return ({{.*}}), want a neighbor that is known to compute images one by one
// CHECK-LABEL: func.func @places(
// CHECK-NOT:   func.call
// CHECK:       return
func.func @places(%x: tensor<16x32xf32>, %s: tensor<16xf32>, %z: tensor<16xi8>, %p: tensor<16x8x8xf32>) -> (tensor<16x32xf32>, tensor<16x32xi8>, tensor<16x8x4xf32>) {
  %a = relax.exp %x : (tensor<16x32xf32>) -> tensor<16x32xf32>
  %t = relax.tril %a : (tensor<16x32xf32>) -> tensor<16x32xf32>
  %u = relax.nn.prelu %t, %s {axis = 0 : i64} : (tensor<16x32xf32>, tensor<16xf32>) -> tensor<16x32xf32>
  %q = relax.quantize %u, %s, %z {axis = 0 : i64, out_dtype = i8} : (tensor<16x32xf32>, tensor<16xf32>, tensor<16xi8>) -> tensor<16x32xi8>
  %f = relax.nn.prelu %p, %s {axis = 0 : i64} : (tensor<16x8x8xf32>, tensor<16xf32>) -> tensor<16x8x8xf32>
  %m = relax.nn.max_pool1d %f {pool_size = array<i64: 2>, strides = array<i64: 2>} : (tensor<16x8x8xf32>) -> tensor<16x8x4xf32>
  return %u, %q, %m : tensor<16x32xf32>, tensor<16x32xi8>, tensor<16x8x4xf32>
}

// A convolution by itself, a kernel larger than an image, an image larger than half of the cache, and images in more than 64 parts stay.
// REMARKS-NEXT: relax.nn.conv2d ({{.*}}) is not computed for some images at a time: its kernel takes 7056 bytes, want at most the 1536 that it makes of an image
// REMARKS-NEXT: relax.nn.conv2d ({{.*}}) is not computed for some images at a time: it is read by relax.nn.softmax ({{.*}}), want a neighbor that is known to compute images one by one
// REMARKS-NEXT: relax.nn.conv2d ({{.*}}) to relax.nn.relu ({{.*}}) are not computed for some images at a time: one of them takes 4096 bytes, more than half of a cache of 6000
// REMARKS-NEXT: relax.nn.relu ({{.*}}) to relax.nn.max_pool1d ({{.*}}) are not computed for some images at a time: 67 in equal parts of at most 5 are more than 64 calls
// REMARKS-NOT:  not computed for some images at a time:
// CHECK-LABEL: func.func @whole(
// CHECK-NOT:   func.call
// CHECK:       return
func.func @whole(%x: tensor<4x6x8x8xf32>, %w: tensor<6x6x3x3xf32>, %k: tensor<6x6x7x7xf32>, %y: tensor<2x3x8x8xf32>, %v: tensor<16x3x1x1xf32>, %z: tensor<67x2x16xf32>) -> (tensor<4x6x8x8xf32>, tensor<4x6x8x8xf32>, tensor<2x16x8x8xf32>, tensor<67x2x16xf32>) {
  %a = relax.nn.conv2d %x, %w {padding = array<i64: 1, 1, 1, 1>} : (tensor<4x6x8x8xf32>, tensor<6x6x3x3xf32>) -> tensor<4x6x8x8xf32>
  %s = relax.nn.softmax %a : (tensor<4x6x8x8xf32>) -> tensor<4x6x8x8xf32>
  %b = relax.nn.conv2d %x, %k {padding = array<i64: 3, 3, 3, 3>} : (tensor<4x6x8x8xf32>, tensor<6x6x7x7xf32>) -> tensor<4x6x8x8xf32>
  %c = relax.nn.conv2d %y, %v : (tensor<2x3x8x8xf32>, tensor<16x3x1x1xf32>) -> tensor<2x16x8x8xf32>
  %d = relax.nn.relu %c : (tensor<2x16x8x8xf32>) -> tensor<2x16x8x8xf32>
  %e = relax.nn.relu %z : (tensor<67x2x16xf32>) -> tensor<67x2x16xf32>
  %f = relax.nn.max_pool1d %e {pool_size = array<i64: 1>} : (tensor<67x2x16xf32>) -> tensor<67x2x16xf32>
  return %s, %b, %d, %f : tensor<4x6x8x8xf32>, tensor<4x6x8x8xf32>, tensor<2x16x8x8xf32>, tensor<67x2x16xf32>
}
