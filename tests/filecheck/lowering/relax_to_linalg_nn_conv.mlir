// RUN: relax-opt %s -p relax-to-linalg | filecheck %s

// Padding, and one contraction in the order of the result.
// CHECK-LABEL: func.func @conv2d(
// CHECK-SAME:    %[[X:[a-z0-9]+]]: tensor<?x3x8x8xf32> {{.*}}, %[[W:[a-z0-9]+]]: tensor<4x3x3x3xf32>)
// CHECK:         %[[N:.*]] = tensor.dim %[[X]]
// CHECK:         %[[FRAME:.*]] = linalg.fill ins(%{{.*}} : f32) outs(%{{.*}} : tensor<?x3x10x10xf32>)
// CHECK:         %[[P:.*]] = tensor.insert_slice %[[X]] into %[[FRAME]][0, 0, 1, 1] [%{{.*}}, 3, 8, 8] [1, 1, 1, 1]
// CHECK:         %[[Y:.*]] = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d0, d4, ((d2 * 2) + d5), ((d3 * 2) + d6))>, affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d1, d4, d5, d6)>, affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]} ins(%[[P]], %[[W]] :
// CHECK:           arith.mulf
// CHECK-NEXT:      arith.addf
// CHECK:         func.return %[[Y]]
func.func @conv2d(%x: tensor<?x3x8x8xf32, #relax.sym<n>>, %w: tensor<4x3x3x3xf32>) -> tensor<?x4x4x4xf32, #relax.sym<n>> {
  %r = relax.nn.conv2d %x, %w {strides = array<i64: 2>, padding = array<i64: 1>} : (tensor<?x3x8x8xf32, #relax.sym<n>>, tensor<4x3x3x3xf32>) -> tensor<?x4x4x4xf32, #relax.sym<n>>
  return %r : tensor<?x4x4x4xf32, #relax.sym<n>>
}

// No padding, no copy.
// CHECK-LABEL: func.func @unpadded(
// CHECK-SAME:    %[[X:.*]]: tensor<1x8x8x3xf16>, %[[W:.*]]: tensor<3x3x3x4xf16>)
// CHECK-NOT:     tensor.insert_slice
// CHECK:         linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d0, (d1 + (d5 * 2)), (d2 + (d6 * 2)), d4)>, affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d5, d6, d4, d3)>{{.*}} ins(%[[X]], %[[W]] : tensor<1x8x8x3xf16>, tensor<3x3x3x4xf16>) outs(%{{.*}} : tensor<1x4x4x4xf32>)
// CHECK:         linalg.generic {{.*}} outs(%{{.*}} : tensor<1x4x4x4xf16>)
// CHECK:           arith.truncf
func.func @unpadded(%x: tensor<1x8x8x3xf16>, %w: tensor<3x3x3x4xf16>) -> tensor<1x4x4x4xf16> {
  %r = relax.nn.conv2d %x, %w {dilation = array<i64: 2>, data_layout = "NHWC", kernel_layout = "HWIO"} : (tensor<1x8x8x3xf16>, tensor<3x3x3x4xf16>) -> tensor<1x4x4x4xf16>
  return %r : tensor<1x4x4x4xf16>
}

// Groups are a parallel dim; i8 is accumulated in i32.
// CHECK-LABEL: func.func @groups(
// CHECK:         %[[X:.*]] = tensor.expand_shape %{{.*}} : tensor<1x6x8xi8> into tensor<1x2x3x8xi8>
// CHECK:         %[[W:.*]] = tensor.expand_shape %{{.*}} : tensor<4x3x3xi8> into tensor<2x2x3x3xi8>
// CHECK:         %[[Y:.*]] = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d1, d4, (d3 + d5))>, affine_map<(d0, d1, d2, d3, d4, d5) -> (d1, d2, d4, d5)>, affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d1, d2, d3)>], {{.*}} ins(%[[X]], %[[W]] :
// CHECK:           arith.extsi
// CHECK:         tensor.collapse_shape %[[Y]] {{.*}} : tensor<1x2x2x6xi32> into tensor<1x4x6xi32>
func.func @groups(%x: tensor<1x6x8xi8>, %w: tensor<4x3x3xi8>) -> tensor<1x4x6xi32> {
  %r = relax.nn.conv1d %x, %w {groups = 2 : i64, out_dtype = i32} : (tensor<1x6x8xi8>, tensor<4x3x3xi8>) -> tensor<1x4x6xi32>
  return %r : tensor<1x4x6xi32>
}

// A transpose multiplies each item with each tap, then adds the products that meet at a position: of a turn of taps to a slice.
// CHECK-LABEL: func.func @transpose(
// CHECK-SAME:    %[[X:.*]]: tensor<1x2x4xf32>, %[[W:.*]]: tensor<2x3x4xf32>)
// CHECK:         %[[PRODUCTS:.*]] = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d4, d3)>, affine_map<(d0, d1, d2, d3, d4) -> (d4, d1, d2)>, {{.*}} ins(%[[X]], %[[W]] :
// CHECK:         %[[EMPTY:.*]] = linalg.fill {{.*}} -> tensor<1x3x8xf32>
// CHECK:         %[[PART:.*]] = tensor.extract_slice %[[EMPTY]][0, 0, 0] [1, 3, 7] [1, 1, 1]
// CHECK:         %[[SUM:.*]] = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, ((d2 + 1) mod 2), ((d2 + 1) floordiv 2))>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], {{.*}} ins(%[[PRODUCTS]] : {{.*}} outs(%[[PART]] :
// CHECK:           arith.addf
// CHECK:         %[[FIRST:.*]] = tensor.insert_slice %[[SUM]] into %[[EMPTY]][0, 0, 0] [1, 3, 7] [1, 1, 1]
// CHECK:         tensor.extract_slice %[[FIRST]][0, 0, 1] [1, 3, 7] [1, 1, 1]
// CHECK:         linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, ((d2 mod 2) + 2), (d2 floordiv 2))>, {{.*}} ins(%[[PRODUCTS]] :
func.func @transpose(%x: tensor<1x2x4xf32>, %w: tensor<2x3x4xf32>) -> tensor<1x3x8xf32> {
  %r = relax.nn.conv1d_transpose %x, %w {strides = array<i64: 2>, padding = array<i64: 1>} : (tensor<1x2x4xf32>, tensor<2x3x4xf32>) -> tensor<1x3x8xf32>
  return %r : tensor<1x3x8xf32>
}

// Turns that meet in the same rows are added at once, in the order of turns: rows 1 to 6 of 8 are of two turns, the others of one each.
// CHECK-LABEL: func.func @transpose_of_images(
// CHECK:         %[[PRODUCTS:.*]] = linalg.generic
// CHECK:         tensor.extract_slice %{{.*}}[0, 0, 0, 0] [1, 3, 1, 7] [1, 1, 1, 1]
// CHECK:         tensor.extract_slice %{{.*}}[0, 0, 0, 1] [1, 3, 1, 7] [1, 1, 1, 1]
// CHECK:         %[[PART:.*]] = tensor.extract_slice %{{.*}}[0, 0, 1, 0] [1, 3, 6, 7] [1, 1, 1, 1]
// CHECK:         linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, ((d2 + 2) mod 2), ((d3 + 1) mod 2), ((d2 + 2) floordiv 2), ((d3 + 1) floordiv 2))>, affine_map<(d0, d1, d2, d3) -> (d0, d1, ((d2 mod 2) + 2), ((d3 + 1) mod 2), (d2 floordiv 2), ((d3 + 1) floordiv 2))>, {{.*}} outs(%[[PART]] :
// CHECK-NEXT:    ^bb0(%[[FIRST:.*]]: f32, %[[SECOND:.*]]: f32, %[[BEFORE:.*]]: f32):
// CHECK-NEXT:      %[[SUM:.*]] = arith.addf %[[BEFORE]], %[[FIRST]]
// CHECK-NEXT:      arith.addf %[[SUM]], %[[SECOND]]
// CHECK:         tensor.extract_slice %{{.*}}[0, 0, 1, 1] [1, 3, 6, 7] [1, 1, 1, 1]
// CHECK:         tensor.extract_slice %{{.*}}[0, 0, 7, 0] [1, 3, 1, 7] [1, 1, 1, 1]
// CHECK:         tensor.extract_slice %{{.*}}[0, 0, 7, 1] [1, 3, 1, 7] [1, 1, 1, 1]
// CHECK-NOT:     tensor.extract_slice
func.func @transpose_of_images(%x: tensor<1x2x4x4xf32>, %w: tensor<2x3x4x4xf32>) -> tensor<1x3x8x8xf32> {
  %r = relax.nn.conv2d_transpose %x, %w {strides = array<i64: 2, 2>, padding = array<i64: 1, 1>} : (tensor<1x2x4x4xf32>, tensor<2x3x4x4xf32>) -> tensor<1x3x8x8xf32>
  return %r : tensor<1x3x8x8xf32>
}

// Taps that a turn lacks have products of 0.
// CHECK-LABEL: func.func @transpose_of_three(
// CHECK:         %[[PRODUCTS:[0-9]+]] = linalg.generic
// CHECK:         tensor.insert_slice %[[PRODUCTS]] into %{{.*}}[0, 0, 0, 0] [1, 3, 3, 4] [1, 1, 1, 1] : tensor<1x3x3x4xf32> into tensor<1x3x4x4xf32>
func.func @transpose_of_three(%x: tensor<1x2x4xf32>, %w: tensor<2x3x3xf32>) -> tensor<1x3x8xf32> {
  %r = relax.nn.conv1d_transpose %x, %w {strides = array<i64: 2>, padding = array<i64: 1>, output_padding = array<i64: 1>} : (tensor<1x2x4xf32>, tensor<2x3x3xf32>) -> tensor<1x3x8xf32>
  return %r : tensor<1x3x8xf32>
}

// With strides and dilation, products are gathered.
// CHECK-LABEL: func.func @dilated_transpose(
// CHECK:         %[[PRODUCTS:.*]] = linalg.generic
// CHECK:           %[[BLOCK:.*]] = arith.floordivsi
// CHECK:           %[[VALUE:.*]] = tensor.extract %[[PRODUCTS]]
// CHECK-NEXT:      %[[ZERO:.*]] = arith.constant 0.000000e+00 : f32
// CHECK-NEXT:      %[[MET:.*]] = arith.select %{{.*}}, %[[VALUE]], %[[ZERO]] : f32
// CHECK-NEXT:      arith.addf %{{.*}}, %[[MET]] : f32
func.func @dilated_transpose(%x: tensor<1x2x4xf32>, %w: tensor<2x3x3xf32>) -> tensor<1x3x11xf32> {
  %r = relax.nn.conv1d_transpose %x, %w {strides = array<i64: 2>, dilation = array<i64: 2>} : (tensor<1x2x4xf32>, tensor<2x3x3xf32>) -> tensor<1x3x11xf32>
  return %r : tensor<1x3x11xf32>
}

// A kernel in blocks of channels is read by blocks.
// CHECK-LABEL: func.func @blocks(
// CHECK:         linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d3, (d2 + d4))>, affine_map<(d0, d1, d2, d3, d4) -> ((d1 floordiv 16), d3, d4, (d1 mod 16))>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2)>]
func.func @blocks(%x: tensor<1x6x8xf32>, %w: tensor<2x6x3x16xf32>) -> tensor<1x32x6xf32> {
  %r = relax.nn.conv1d %x, %w {kernel_layout = "OIW16o"} : (tensor<1x6x8xf32>, tensor<2x6x3x16xf32>) -> tensor<1x32x6xf32>
  return %r : tensor<1x32x6xf32>
}

// So is one in which input channels lie together as well, with the channels of a group after those of other groups.
// CHECK-LABEL: func.func @blocks_of_groups(
// CHECK:         linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d0, (d1 + d5), (d2 + d6), d4)>, affine_map<(d0, d1, d2, d3, d4, d5, d6) -> ((d3 floordiv 16), d5, d6, (d4 floordiv 4), (d3 mod 16), (d4 mod 4))>, affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d0, d1, d2, d3)>]
func.func @blocks_of_groups(%x: tensor<1x8x8x8xi8>, %w: tensor<2x3x3x2x16x4xi8>) -> tensor<1x6x6x32xi32> {
  %r = relax.nn.conv2d %x, %w {data_layout = "NHWC", kernel_layout = "OHWI16o4i", out_dtype = i32} : (tensor<1x8x8x8xi8>, tensor<2x3x3x2x16x4xi8>) -> tensor<1x6x6x32xi32>
  return %r : tensor<1x6x6x32xi32>
}

// A group for each channel is no dim of its own, so that what follows has the dims of the result.
// CHECK-LABEL: func.func @depthwise(
// CHECK-NOT:     expand_shape
// CHECK:         linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, (d2 + d3))>, affine_map<(d0, d1, d2, d3) -> (d1, 0, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
// CHECK-NOT:     collapse_shape
func.func @depthwise(%x: tensor<1x6x8xf32>, %w: tensor<6x1x3xf32>) -> tensor<1x6x6xf32> {
  %r = relax.nn.conv1d %x, %w {groups = 6 : i64} : (tensor<1x6x8xf32>, tensor<6x1x3xf32>) -> tensor<1x6x6xf32>
  return %r : tensor<1x6x6xf32>
}
