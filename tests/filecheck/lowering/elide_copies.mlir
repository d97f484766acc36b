// RUN: relax-opt %s -p elide-copies | filecheck %s

#row = affine_map<(d0) -> (0, d0)>
#all = affine_map<(d0, d1) -> (d0, d1)>

// An op with two results writes one of them where it is copied to; the view comes before it.
//
// CHECK-LABEL: func.func @part(
// CHECK-SAME:    %[[X:[a-z0-9_]+]]: {{[^,]*}}, %[[SUMS:[a-z0-9_]+]]: {{[^,]*}}, %[[Y:[a-z0-9_]+]]: {{[^,]*}}, %[[I:[a-z0-9_]+]]: index)
// CHECK-NOT:     memref.alloc
// CHECK:         %[[NEXT:[a-z0-9_]+]] = arith.addi %[[I]], %{{.*}} : index
// CHECK:         %[[PART:[a-z0-9_]+]] = memref.subview %[[Y]][%[[NEXT]], 0] [1, 64] [1, 1]
// CHECK-NEXT:    linalg.generic {{.*}} ins(%[[X]] : {{.*}}) outs(%[[SUMS]], %[[PART]] :
// CHECK-NOT:     linalg.generic
// CHECK:         func.return
func.func @part(%x: memref<1x64xf32>, %sums: memref<64xf32>, %y: memref<8x64xf32>, %i: index) {
  %own = memref.alloc() : memref<1x64xf32>
  linalg.generic {indexing_maps = [#row, affine_map<(d0) -> (d0)>, #row], iterator_types = ["parallel"]}
      ins(%x : memref<1x64xf32>) outs(%sums, %own : memref<64xf32>, memref<1x64xf32>) {
  ^bb0(%a: f32, %s: f32, %o: f32):
    %t = arith.addf %s, %a : f32
    linalg.yield %t, %t : f32, f32
  }
  %one = arith.constant 1 : index
  %next = arith.addi %i, %one : index
  %part = memref.subview %y[%next, 0] [1, 64] [1, 1] : memref<8x64xf32> to memref<1x64xf32, strided<[64, 1], offset: ?>>
  linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]}
      ins(%own : memref<1x64xf32>) outs(%part : memref<1x64xf32, strided<[64, 1], offset: ?>>) {
  ^bb0(%a: f32, %o: f32):
    linalg.yield %a : f32
  }
  return
}

// Neighboring rows of one buffer do not meet: both results are written at once.
//
// CHECK-LABEL: func.func @neighbors(
// CHECK-NOT:     memref.alloc
// CHECK:         linalg.generic {{.*}} outs(%{{.*}}, %{{.*}} : memref<1x64xf32, strided<[64, 1], offset: ?>>, memref<1x64xf32, strided<[64, 1], offset: ?>>)
// CHECK-NOT:     linalg.generic
// CHECK:         func.return
func.func @neighbors(%x: memref<1x64xf32>, %y: memref<8x64xf32>, %i: index) {
  %one = arith.constant 1 : index
  %next = arith.addi %i, %one : index
  %first = memref.subview %y[%i, 0] [1, 64] [1, 1] : memref<8x64xf32> to memref<1x64xf32, strided<[64, 1], offset: ?>>
  %own = memref.alloc() : memref<1x64xf32>
  linalg.generic {indexing_maps = [#row, #row, #row], iterator_types = ["parallel"]}
      ins(%x : memref<1x64xf32>) outs(%first, %own : memref<1x64xf32, strided<[64, 1], offset: ?>>, memref<1x64xf32>) {
  ^bb0(%a: f32, %s: f32, %o: f32):
    %t = arith.negf %a : f32
    linalg.yield %a, %t : f32, f32
  }
  %second = memref.subview %y[%next, 0] [1, 64] [1, 1] : memref<8x64xf32> to memref<1x64xf32, strided<[64, 1], offset: ?>>
  linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]}
      ins(%own : memref<1x64xf32>) outs(%second : memref<1x64xf32, strided<[64, 1], offset: ?>>) {
  ^bb0(%a: f32, %o: f32):
    linalg.yield %a : f32
  }
  return
}

// What the op reads may be what the copy writes; what an op in between reads, too; a third reader needs the buffer; short rows stay.
//
// CHECK-LABEL: func.func @read_by_the_op(
// CHECK:         memref.alloc
// CHECK-COUNT-2: linalg.generic
func.func @read_by_the_op(%y: memref<8x64xf32>, %sums: memref<64xf32>, %i: index, %k: index) {
  %x = memref.subview %y[%k, 0] [1, 64] [1, 1] : memref<8x64xf32> to memref<1x64xf32, strided<[64, 1], offset: ?>>
  %own = memref.alloc() : memref<1x64xf32>
  linalg.generic {indexing_maps = [#row, affine_map<(d0) -> (d0)>, #row], iterator_types = ["parallel"]}
      ins(%x : memref<1x64xf32, strided<[64, 1], offset: ?>>) outs(%sums, %own : memref<64xf32>, memref<1x64xf32>) {
  ^bb0(%a: f32, %s: f32, %o: f32):
    %t = arith.addf %s, %a : f32
    linalg.yield %t, %t : f32, f32
  }
  %part = memref.subview %y[%i, 0] [1, 64] [1, 1] : memref<8x64xf32> to memref<1x64xf32, strided<[64, 1], offset: ?>>
  linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]}
      ins(%own : memref<1x64xf32>) outs(%part : memref<1x64xf32, strided<[64, 1], offset: ?>>) {
  ^bb0(%a: f32, %o: f32):
    linalg.yield %a : f32
  }
  return
}

// CHECK-LABEL: func.func @read_by_a_body(
// CHECK:         memref.alloc
// CHECK-COUNT-2: linalg.generic
func.func @read_by_a_body(%x: memref<64xindex>, %y: memref<64xf32>, %sums: memref<64xf32>) {
  %own = memref.alloc() : memref<64xf32>
  linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
      ins(%x : memref<64xindex>) outs(%sums, %own : memref<64xf32>, memref<64xf32>) {
  ^bb0(%a: index, %s: f32, %o: f32):
    %t = memref.load %y[%a] : memref<64xf32>
    linalg.yield %t, %t : f32, f32
  }
  linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
      ins(%own : memref<64xf32>) outs(%y : memref<64xf32>) {
  ^bb0(%a: f32, %o: f32):
    linalg.yield %a : f32
  }
  return
}

// CHECK-LABEL: func.func @read_in_between(
// CHECK:         memref.alloc
// CHECK-COUNT-3: linalg.generic
func.func @read_in_between(%x: memref<64xf32>, %y: memref<64xf32>, %z: memref<64xf32>, %sums: memref<64xf32>) {
  %own = memref.alloc() : memref<64xf32>
  linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
      ins(%x : memref<64xf32>) outs(%sums, %own : memref<64xf32>, memref<64xf32>) {
  ^bb0(%a: f32, %s: f32, %o: f32):
    %t = arith.negf %a : f32
    linalg.yield %a, %t : f32, f32
  }
  linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
      ins(%y : memref<64xf32>) outs(%z : memref<64xf32>) {
  ^bb0(%a: f32, %o: f32):
    linalg.yield %a : f32
  }
  linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
      ins(%own : memref<64xf32>) outs(%y : memref<64xf32>) {
  ^bb0(%a: f32, %o: f32):
    linalg.yield %a : f32
  }
  return
}

// CHECK-LABEL: func.func @read_again(
// CHECK:         memref.alloc
// CHECK-COUNT-3: linalg.generic
func.func @read_again(%x: memref<64xf32>, %y: memref<64xf32>, %z: memref<64xf32>, %sums: memref<64xf32>) {
  %own = memref.alloc() : memref<64xf32>
  linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
      ins(%x : memref<64xf32>) outs(%sums, %own : memref<64xf32>, memref<64xf32>) {
  ^bb0(%a: f32, %s: f32, %o: f32):
    %t = arith.negf %a : f32
    linalg.yield %a, %t : f32, f32
  }
  linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
      ins(%own : memref<64xf32>) outs(%y : memref<64xf32>) {
  ^bb0(%a: f32, %o: f32):
    linalg.yield %a : f32
  }
  linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
      ins(%own : memref<64xf32>) outs(%z : memref<64xf32>) {
  ^bb0(%a: f32, %o: f32):
    linalg.yield %a : f32
  }
  return
}

// CHECK-LABEL: func.func @short_rows(
// CHECK:         memref.alloc
// CHECK-COUNT-2: linalg.generic
func.func @short_rows(%x: memref<9x4xf32>, %y: memref<9x8xf32>, %sums: memref<9x4xf32>) {
  %own = memref.alloc() : memref<9x4xf32>
  linalg.generic {indexing_maps = [#all, #all, #all], iterator_types = ["parallel", "parallel"]}
      ins(%x : memref<9x4xf32>) outs(%sums, %own : memref<9x4xf32>, memref<9x4xf32>) {
  ^bb0(%a: f32, %s: f32, %o: f32):
    %t = arith.negf %a : f32
    linalg.yield %a, %t : f32, f32
  }
  %part = memref.subview %y[0, 0] [9, 4] [1, 1] : memref<9x8xf32> to memref<9x4xf32, strided<[8, 1]>>
  linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]}
      ins(%own : memref<9x4xf32>) outs(%part : memref<9x4xf32, strided<[8, 1]>>) {
  ^bb0(%a: f32, %o: f32):
    linalg.yield %a : f32
  }
  return
}

// CHECK-LABEL: func.func @scalar(
// CHECK:         linalg.generic
func.func @scalar(%x: f32, %y: memref<f32>) {
  linalg.generic {indexing_maps = [affine_map<() -> ()>, affine_map<() -> ()>], iterator_types = []} ins(%x : f32) outs(%y : memref<f32>) {
  ^bb0(%a: f32, %o: f32):
    linalg.yield %a : f32
  }
  return
}
