// RUN: relax-opt %s -p widen-bytes | filecheck %s
// RUN: relax-opt %s -p widen-bytes | relax-opt -p widen-bytes | filecheck %s

#row = affine_map<(m, n, k) -> (m, k)>
#column = affine_map<(m, n, k) -> (k, n)>
#result = affine_map<(m, n, k) -> (m, n)>

// The left factor is converted before the product, by its own sign, and is still seen to hold bytes; the right one stays inside.
// CHECK-LABEL: func.func @product(
// CHECK-SAME:    %[[X:[a-z0-9_]+]]: tensor<?x64xi8>, %[[W:[a-z0-9_]+]]: tensor<64x48xi8>, %[[C:[a-z0-9_]+]]: tensor<?x48xi32>)
// CHECK:         %[[SIZE:.*]] = tensor.dim %[[X]], %{{.*}}
// CHECK:         %[[EMPTY:.*]] = tensor.empty(%[[SIZE]]) : tensor<?x64xi16>
// CHECK:         %[[WIDE:.*]] = linalg.generic {{.*}} iterator_types = ["parallel", "parallel"]} ins(%[[X]] : tensor<?x64xi8>) outs(%[[EMPTY]] : tensor<?x64xi16>)
// CHECK:           arith.extui %{{.*}} : i8 to i16
// CHECK:         linalg.generic {{.*}} ins(%[[WIDE]], %[[W]] : tensor<?x64xi16>, tensor<64x48xi8>) outs(%[[C]] :
// CHECK-NEXT:    ^bb0(%[[A:.*]]: i16, %[[B:.*]]: i8, %[[ACC:.*]]: i32):
// CHECK-NEXT:      %[[T:.*]] = arith.trunci %[[A]] : i16 to i8
// CHECK-NEXT:      %[[P:.*]] = arith.extui %[[T]] : i8 to i32
// CHECK-NEXT:      %[[Q:.*]] = arith.extsi %[[B]] : i8 to i32
// CHECK-NEXT:      %[[R:.*]] = arith.muli %[[P]], %[[Q]] : i32
func.func @product(%x: tensor<?x64xi8>, %w: tensor<64x48xi8>, %c: tensor<?x48xi32>) -> tensor<?x48xi32> {
  %y = linalg.generic {indexing_maps = [#row, #column, #result], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %w : tensor<?x64xi8>, tensor<64x48xi8>) outs(%c : tensor<?x48xi32>) {
  ^bb0(%a: i8, %b: i8, %acc: i32):
    %p = arith.extui %a : i8 to i32
    %q = arith.extsi %b : i8 to i32
    %r = arith.muli %p, %q : i32
    %s = arith.addi %acc, %r : i32
    linalg.yield %s : i32
  } -> tensor<?x48xi32>
  return %y : tensor<?x48xi32>
}

// The left factor of a convolution with channels last is the image, whichever operand it is.
// CHECK-LABEL: func.func @window(
// CHECK-SAME:    %[[W:[a-z0-9_]+]]: tensor<3x4x8xi8>, %[[X:[a-z0-9_]+]]: tensor<9x4xi8>,
// CHECK:         %[[WIDE:.*]] = linalg.generic {{.*}} ins(%[[X]] : tensor<9x4xi8>) outs(%{{.*}} : tensor<9x4xi16>)
// CHECK:           arith.extsi %{{.*}} : i8 to i16
// CHECK:         linalg.generic {{.*}} ins(%[[W]], %[[WIDE]] : tensor<3x4x8xi8>, tensor<9x4xi16>)
func.func @window(%w: tensor<3x4x8xi8>, %x: tensor<9x4xi8>, %c: tensor<7x8xi32>) -> tensor<7x8xi32> {
  %y = linalg.generic {indexing_maps = [affine_map<(x, o, i, c) -> (i, c, o)>, affine_map<(x, o, i, c) -> (x + i, c)>, affine_map<(x, o, i, c) -> (x, o)>], iterator_types = ["parallel", "parallel", "reduction", "reduction"]} ins(%w, %x : tensor<3x4x8xi8>, tensor<9x4xi8>) outs(%c : tensor<7x8xi32>) {
  ^bb0(%a: i8, %b: i8, %acc: i32):
    %p = arith.extsi %a : i8 to i32
    %q = arith.extsi %b : i8 to i32
    %r = arith.muli %q, %p : i32
    %s = arith.addi %r, %acc : i32
    linalg.yield %s : i32
  } -> tensor<7x8xi32>
  return %y : tensor<7x8xi32>
}

// So it is where the kernel lies in blocks, which are converted where kernels read them, whatever the last dim of the result is.
// CHECK-LABEL: func.func @blocks(
// CHECK-SAME:    %[[X:[a-z0-9_]+]]: tensor<8x7xi8>, %[[W:[a-z0-9_]+]]: tensor<2x2x16x4xi8>,
// CHECK:         %[[WIDE:.*]] = linalg.generic {{.*}} ins(%[[X]] : tensor<8x7xi8>) outs(%{{.*}} : tensor<8x7xi16>)
// CHECK:           arith.extsi %{{.*}} : i8 to i16
// CHECK:         linalg.generic {{.*}} ins(%[[WIDE]], %[[W]] : tensor<8x7xi16>, tensor<2x2x16x4xi8>)
func.func @blocks(%x: tensor<8x7xi8>, %w: tensor<2x2x16x4xi8>, %c: tensor<32x7xi32>) -> tensor<32x7xi32> {
  %y = linalg.generic {indexing_maps = [affine_map<(o, x, c) -> (c, x)>, affine_map<(o, x, c) -> (o floordiv 16, c floordiv 4, o mod 16, c mod 4)>, affine_map<(o, x, c) -> (o, x)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %w : tensor<8x7xi8>, tensor<2x2x16x4xi8>) outs(%c : tensor<32x7xi32>) {
  ^bb0(%a: i8, %b: i8, %acc: i32):
    %p = arith.extsi %a : i8 to i32
    %q = arith.extsi %b : i8 to i32
    %r = arith.muli %p, %q : i32
    %s = arith.addi %acc, %r : i32
    linalg.yield %s : i32
  } -> tensor<32x7xi32>
  return %y : tensor<32x7xi32>
}

// Sums in i64, a factor that is read twice, and an element-wise product, whose factors both go along the columns: these stay.
// CHECK-LABEL: func.func @others(
// CHECK-NOT:     i16
func.func @others(%x: tensor<5x64xi8>, %w: tensor<64x48xi8>, %c: tensor<5x48xi64>, %d: tensor<5x48xi32>, %e: tensor<5x64xi32>) -> (tensor<5x48xi64>, tensor<5x48xi32>, tensor<5x64xi32>) {
  %y = linalg.generic {indexing_maps = [#row, #column, #result], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %w : tensor<5x64xi8>, tensor<64x48xi8>) outs(%c : tensor<5x48xi64>) {
  ^bb0(%a: i8, %b: i8, %acc: i64):
    %p = arith.extui %a : i8 to i64
    %q = arith.extsi %b : i8 to i64
    %r = arith.muli %p, %q : i64
    %s = arith.addi %acc, %r : i64
    linalg.yield %s : i64
  } -> tensor<5x48xi64>
  %z = linalg.generic {indexing_maps = [#row, #column, #result], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %w : tensor<5x64xi8>, tensor<64x48xi8>) outs(%d : tensor<5x48xi32>) {
  ^bb0(%a: i8, %b: i8, %acc: i32):
    %p = arith.extui %a : i8 to i32
    %o = arith.extsi %a : i8 to i32
    %r = arith.muli %p, %o : i32
    %s = arith.addi %acc, %r : i32
    linalg.yield %s : i32
  } -> tensor<5x48xi32>
  %i = linalg.generic {indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (m, n)>], iterator_types = ["parallel", "parallel"]} ins(%x, %x : tensor<5x64xi8>, tensor<5x64xi8>) outs(%e : tensor<5x64xi32>) {
  ^bb0(%a: i8, %b: i8, %acc: i32):
    %p = arith.extui %a : i8 to i32
    %q = arith.extsi %b : i8 to i32
    %r = arith.muli %p, %q : i32
    %s = arith.addi %acc, %r : i32
    linalg.yield %s : i32
  } -> tensor<5x64xi32>
  return %y, %z, %i : tensor<5x48xi64>, tensor<5x48xi32>, tensor<5x64xi32>
}
