// RUN: relax-opt %s -p relax-to-linalg | filecheck %s

// Padding with -inf, one reduction over the windows, whose sizes are those of an operand without content.
// CHECK-LABEL: func.func @max_pool2d(
// CHECK-SAME:    %[[X:.*]]: tensor<1x3x8x8xf32>)
// CHECK:         %[[LOW:.*]] = arith.constant 0xff800000 : f32
// CHECK:         %[[FRAME:.*]] = linalg.fill ins(%[[LOW]] : f32) outs(%{{.*}} : tensor<1x3x10x10xf32>)
// CHECK:         %[[P:.*]] = tensor.insert_slice %[[X]] into %[[FRAME]][0, 0, 1, 1]
// CHECK:         %[[SHAPE:.*]] = tensor.empty() : tensor<3x3xf32>
// CHECK:         linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d1, ((d2 * 2) + d4), ((d3 * 2) + d5))>, affine_map<(d0, d1, d2, d3, d4, d5) -> (d4, d5)>, affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction"]} ins(%[[P]], %[[SHAPE]] :
// CHECK:           arith.maximumf
func.func @max_pool2d(%x: tensor<1x3x8x8xf32>) -> tensor<1x3x4x4xf32> {
  %r = relax.nn.max_pool2d %x {pool_size = array<i64: 3>, strides = array<i64: 2>, padding = array<i64: 1>} : (tensor<1x3x8x8xf32>) -> tensor<1x3x4x4xf32>
  return %r : tensor<1x3x4x4xf32>
}

// CHECK-LABEL: func.func @max_pool_unsigned(
// CHECK:         %[[LOW:.*]] = arith.constant 0 : i8
// CHECK:         linalg.fill ins(%[[LOW]] : i8)
// CHECK:         arith.maxui
func.func @max_pool_unsigned(%x: tensor<1x3x8xui8>) -> tensor<1x3x8xui8> {
  %r = relax.nn.max_pool1d %x {pool_size = array<i64: 3>, padding = array<i64: 1>} : (tensor<1x3x8xui8>) -> tensor<1x3x8xui8>
  return %r : tensor<1x3x8xui8>
}

// Without padding the divisor is a constant.
// CHECK-LABEL: func.func @avg_pool_constant(
// CHECK-NOT:     linalg.index
// CHECK:         %[[COUNT:.*]] = arith.constant 4 : index
// CHECK:         arith.divf
func.func @avg_pool_constant(%x: tensor<1x3x8x8xf32>) -> tensor<1x3x4x4xf32> {
  %r = relax.nn.avg_pool2d %x {pool_size = array<i64: 2>, strides = array<i64: 2>} : (tensor<1x3x8x8xf32>) -> tensor<1x3x4x4xf32>
  return %r : tensor<1x3x4x4xf32>
}

// With padding that does not count it depends on the place.
// CHECK-LABEL: func.func @avg_pool_counted(
// CHECK:         linalg.index 2
// CHECK:         linalg.index 3
// CHECK:         arith.divf
func.func @avg_pool_counted(%x: tensor<1x3x8x8xf32>) -> tensor<1x3x4x4xf32> {
  %r = relax.nn.avg_pool2d %x {pool_size = array<i64: 3>, strides = array<i64: 2>, padding = array<i64: 1>} : (tensor<1x3x8x8xf32>) -> tensor<1x3x4x4xf32>
  return %r : tensor<1x3x4x4xf32>
}

// A global mean is a plain reduction, also of symbolic sizes.
// CHECK-LABEL: func.func @global(
// CHECK-SAME:    %[[X:[a-z0-9]+]]: tensor<1x3x?x8xf32>
// CHECK-NOT:     tensor.extract
// CHECK:         iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction"]} ins(%[[X]], %{{.*}} : tensor<1x3x?x8xf32>, tensor<?x8xf32>)
func.func @global(%x: tensor<1x3x?x8xf32, #relax.sym<h>>) -> tensor<1x3x1x1xf32> {
  %r = relax.nn.adaptive_avg_pool2d %x {output_size = array<i64: 1>} : (tensor<1x3x?x8xf32, #relax.sym<h>>) -> tensor<1x3x1x1xf32>
  return %r : tensor<1x3x1x1xf32>
}

// Windows of different sizes gather their items.
// CHECK-LABEL: func.func @uneven(
// CHECK:         tensor.extract
// CHECK:         arith.select
func.func @uneven(%x: tensor<1x3x8xf32>) -> tensor<1x3x3xf32> {
  %r = relax.nn.adaptive_avg_pool1d %x {output_size = array<i64: 3>} : (tensor<1x3x8xf32>) -> tensor<1x3x3xf32>
  return %r : tensor<1x3x3xf32>
}
