// RUN: relax-opt %s -p fill-borders | filecheck %s
// RUN: relax-opt %s -p 'fill-borders{fewest_bytes=0 shortest_run=0}' | filecheck %s --check-prefix=ALL

// The rows above and below, then what is left and right of the rows in between; what covers a side needs no fill.
// CHECK-LABEL: func.func @pad
// CHECK: %p = memref.alloc() : memref<1x57x58x64xi8>
// CHECK-NEXT: [[T:%[0-9]+]] = memref.subview %p[0, 0, 0, 0] [1, 1, 58, 64] [1, 1, 1, 1]
// CHECK-NEXT: linalg.fill ins(%zero : i8) outs([[T]]
// CHECK-NEXT: [[L:%[0-9]+]] = memref.subview %p[0, 1, 0, 0] [1, 56, 1, 64] [1, 1, 1, 1]
// CHECK-NEXT: linalg.fill ins(%zero : i8) outs([[L]]
// CHECK-NEXT: [[R:%[0-9]+]] = memref.subview %p[0, 1, 57, 0] [1, 56, 1, 64] [1, 1, 1, 1]
// CHECK-NEXT: linalg.fill ins(%zero : i8) outs([[R]]
// CHECK-NEXT: memref.subview %p[0, 1, 1, 0] [1, 56, 56, 64] [1, 1, 1, 1]
// CHECK-NEXT: linalg.generic
// CHECK: func.return
func.func @pad(%x: memref<1x56x56x64xi8>, %y: memref<1x57x58x64xi8>) {
  %zero = arith.constant 0 : i8
  %p = memref.alloc() : memref<1x57x58x64xi8>
  linalg.fill ins(%zero : i8) outs(%p : memref<1x57x58x64xi8>)
  %v = memref.subview %p[0, 1, 1, 0] [1, 56, 56, 64] [1, 1, 1, 1] : memref<1x57x58x64xi8> to memref<1x56x56x64xi8, strided<[211584, 3712, 64, 1], offset: 3776>>
  linalg.generic {indexing_maps = [affine_map<(a, b, c, d) -> (a, b, c, d)>, affine_map<(a, b, c, d) -> (a, b, c, d)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%x : memref<1x56x56x64xi8>) outs(%v : memref<1x56x56x64xi8, strided<[211584, 3712, 64, 1], offset: 3776>>) {
  ^bb0(%a: i8, %b: i8):
    linalg.yield %a : i8
  }
  linalg.generic {indexing_maps = [affine_map<(a, b, c, d) -> (a, b, c, d)>, affine_map<(a, b, c, d) -> (a, b, c, d)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%p : memref<1x57x58x64xi8>) outs(%y : memref<1x57x58x64xi8>) {
  ^bb0(%a: i8, %b: i8):
    linalg.yield %a : i8
  }
  func.return
}

// A result that is written as a whole is not filled at all.
// CHECK-LABEL: func.func @whole
// CHECK-NOT: linalg.fill
// CHECK: func.return
func.func @whole(%x: memref<64x64xf32>, %y: memref<64x64xf32>) {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%y : memref<64x64xf32>)
  %v = memref.subview %y[0, 0] [64, 64] [1, 1] : memref<64x64xf32> to memref<64x64xf32>
  linalg.generic {indexing_maps = [affine_map<(a, b) -> (b, a)>, affine_map<(a, b) -> (a, b)>], iterator_types = ["parallel", "parallel"]} ins(%x : memref<64x64xf32>) outs(%v : memref<64x64xf32>) {
  ^bb0(%a: f32, %b: f32):
    linalg.yield %a : f32
  }
  func.return
}

// Rows with an element on either side are filled with what is between.
// CHECK-LABEL: func.func @short
// CHECK: linalg.fill ins(%zero : f32) outs(%y : memref<64x66xf32>)
// ALL-LABEL: func.func @short
// ALL: memref.subview %y[0, 0] [64, 1] [1, 1]
// ALL: memref.subview %y[0, 65] [64, 1] [1, 1]
// ALL: func.return
func.func @short(%x: memref<64x64xf32>, %y: memref<64x66xf32>) {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%y : memref<64x66xf32>)
  %v = memref.subview %y[0, 1] [64, 64] [1, 1] : memref<64x66xf32> to memref<64x64xf32, strided<[66, 1], offset: 1>>
  linalg.generic {indexing_maps = [affine_map<(a, b) -> (a, b)>, affine_map<(a, b) -> (a, b)>], iterator_types = ["parallel", "parallel"]} ins(%x : memref<64x64xf32>) outs(%v : memref<64x64xf32, strided<[66, 1], offset: 1>>) {
  ^bb0(%a: f32, %b: f32):
    linalg.yield %a : f32
  }
  func.return
}

// What adds to the filled elements, leaves some of them, or comes after another reader needs them.
// CHECK-LABEL: func.func @needed
// CHECK: linalg.fill ins(%zero : f32) outs(%y : memref<66x64xf32>)
// CHECK: linalg.fill ins(%zero : f32) outs(%z : memref<66x64xf32>)
// CHECK: linalg.fill ins(%zero : f32) outs(%u : memref<66x64xf32>)
// CHECK: linalg.fill ins(%zero : f32) outs(%w : memref<66x?xf32>)
// CHECK: func.return
// ALL-LABEL: func.func @needed
// ALL: linalg.fill ins(%zero : f32) outs(%y : memref<66x64xf32>)
// ALL: linalg.fill ins(%zero : f32) outs(%z : memref<66x64xf32>)
// ALL: linalg.fill ins(%zero : f32) outs(%u : memref<66x64xf32>)
// ALL: linalg.fill ins(%zero : f32) outs(%w : memref<66x?xf32>)
// ALL: func.return
func.func @needed(%x: memref<64x64xf32>, %y: memref<66x64xf32>, %z: memref<66x64xf32>, %u: memref<66x64xf32>, %w: memref<66x?xf32>) {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%y : memref<66x64xf32>)
  %v = memref.subview %y[1, 0] [64, 64] [1, 1] : memref<66x64xf32> to memref<64x64xf32, strided<[64, 1], offset: 64>>
  linalg.generic {indexing_maps = [affine_map<(a, b) -> (a, b)>, affine_map<(a, b) -> (a, b)>], iterator_types = ["parallel", "parallel"]} ins(%x : memref<64x64xf32>) outs(%v : memref<64x64xf32, strided<[64, 1], offset: 64>>) {
  ^bb0(%a: f32, %b: f32):
    %sum = arith.addf %a, %b : f32
    linalg.yield %sum : f32
  }
  linalg.fill ins(%zero : f32) outs(%z : memref<66x64xf32>)
  %s = memref.subview %z[0, 0] [33, 64] [2, 1] : memref<66x64xf32> to memref<33x64xf32, strided<[128, 1]>>
  %half = memref.subview %x[0, 0] [33, 64] [1, 1] : memref<64x64xf32> to memref<33x64xf32, strided<[64, 1]>>
  linalg.generic {indexing_maps = [affine_map<(a, b) -> (a, b)>, affine_map<(a, b) -> (a, b)>], iterator_types = ["parallel", "parallel"]} ins(%half : memref<33x64xf32, strided<[64, 1]>>) outs(%s : memref<33x64xf32, strided<[128, 1]>>) {
  ^bb0(%a: f32, %b: f32):
    linalg.yield %a : f32
  }
  linalg.fill ins(%zero : f32) outs(%u : memref<66x64xf32>)
  linalg.generic {indexing_maps = [affine_map<(a, b) -> (a, b)>, affine_map<(a, b) -> (a, b)>], iterator_types = ["parallel", "parallel"]} ins(%u : memref<66x64xf32>) outs(%y : memref<66x64xf32>) {
  ^bb0(%a: f32, %b: f32):
    linalg.yield %a : f32
  }
  %t = memref.subview %u[1, 0] [64, 64] [1, 1] : memref<66x64xf32> to memref<64x64xf32, strided<[64, 1], offset: 64>>
  linalg.generic {indexing_maps = [affine_map<(a, b) -> (a, b)>, affine_map<(a, b) -> (a, b)>], iterator_types = ["parallel", "parallel"]} ins(%x : memref<64x64xf32>) outs(%t : memref<64x64xf32, strided<[64, 1], offset: 64>>) {
  ^bb0(%a: f32, %b: f32):
    linalg.yield %a : f32
  }
  linalg.fill ins(%zero : f32) outs(%w : memref<66x?xf32>)
  func.return
}

// Borders are filled before what computes the inside, which may run on tiles of a product then; their constant goes with them. What uses
// the buffer stays in front.
// CHECK-LABEL: func.func @behind_a_product
// CHECK-NEXT: %{{.*}} = arith.constant 0.000000e+00 : f32
// CHECK-NEXT: %{{.*}} = memref.subview %y[0, 0] [1, 64]
// CHECK-NEXT: linalg.fill
// CHECK-NEXT: %{{.*}} = memref.subview %y[65, 0] [1, 64]
// CHECK-NEXT: linalg.fill
// CHECK-NEXT: "linalg.matmul"
// CHECK-LABEL: func.func @read_before
// CHECK-NEXT: "linalg.matmul"
// CHECK: memref<66x64xf32>) -> ()
// CHECK-NEXT: %{{.*}} = arith.constant
// CHECK-NEXT: %{{.*}} = memref.subview %y[0, 0] [1, 64]
func.func @behind_a_product(%a: memref<64x64xf32>, %x: memref<64x64xf32>, %y: memref<66x64xf32>) {
  linalg.matmul ins(%a, %a : memref<64x64xf32>, memref<64x64xf32>) outs(%x : memref<64x64xf32>)
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%y : memref<66x64xf32>)
  %v = memref.subview %y[1, 0] [64, 64] [1, 1] : memref<66x64xf32> to memref<64x64xf32, strided<[64, 1], offset: 64>>
  linalg.generic {indexing_maps = [affine_map<(a, b) -> (a, b)>, affine_map<(a, b) -> (a, b)>], iterator_types = ["parallel", "parallel"]} ins(%x : memref<64x64xf32>) outs(%v : memref<64x64xf32, strided<[64, 1], offset: 64>>) {
  ^bb0(%p: f32, %q: f32):
    linalg.yield %p : f32
  }
  func.return
}

func.func @read_before(%a: memref<64x64xf32>, %x: memref<64x64xf32>, %y: memref<66x64xf32>) {
  linalg.matmul ins(%y, %a : memref<66x64xf32>, memref<64x64xf32>) outs(%y : memref<66x64xf32>)
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%y : memref<66x64xf32>)
  %v = memref.subview %y[1, 0] [64, 64] [1, 1] : memref<66x64xf32> to memref<64x64xf32, strided<[64, 1], offset: 64>>
  linalg.generic {indexing_maps = [affine_map<(a, b) -> (a, b)>, affine_map<(a, b) -> (a, b)>], iterator_types = ["parallel", "parallel"]} ins(%x : memref<64x64xf32>) outs(%v : memref<64x64xf32, strided<[64, 1], offset: 64>>) {
  ^bb0(%p: f32, %q: f32):
    linalg.yield %p : f32
  }
  func.return
}

// A view from before is read in front of the fill, and behind it: the first keeps its place, the second sees all of it filled.
// CHECK-LABEL: func.func @read_by_view
// CHECK: linalg.copy ins(%v : {{.*}}) outs(%z : {{.*}})
// CHECK: linalg.fill ins(%zero : f32) outs(%{{[0-9]+}} : memref<1x64xf32
// CHECK-LABEL: func.func @read_by_view_behind
// CHECK: linalg.fill ins(%zero : f32) outs(%y : memref<66x64xf32>)
func.func @read_by_view(%x: memref<64x64xf32>, %y: memref<66x64xf32>, %z: memref<66x64xf32>) {
  %zero = arith.constant 0.0 : f32
  %v = memref.subview %y[0, 0] [66, 64] [1, 1] : memref<66x64xf32> to memref<66x64xf32, strided<[64, 1]>>
  linalg.copy ins(%v : memref<66x64xf32, strided<[64, 1]>>) outs(%z : memref<66x64xf32>)
  linalg.fill ins(%zero : f32) outs(%y : memref<66x64xf32>)
  %w = memref.subview %y[1, 0] [64, 64] [1, 1] : memref<66x64xf32> to memref<64x64xf32, strided<[64, 1], offset: 64>>
  linalg.generic {indexing_maps = [affine_map<(a, b) -> (a, b)>, affine_map<(a, b) -> (a, b)>], iterator_types = ["parallel", "parallel"]} ins(%x : memref<64x64xf32>) outs(%w : memref<64x64xf32, strided<[64, 1], offset: 64>>) {
  ^bb0(%p: f32, %q: f32):
    linalg.yield %p : f32
  }
  func.return
}

func.func @read_by_view_behind(%x: memref<64x64xf32>, %y: memref<66x64xf32>, %z: memref<66x64xf32>) {
  %zero = arith.constant 0.0 : f32
  %v = memref.subview %y[0, 0] [66, 64] [1, 1] : memref<66x64xf32> to memref<66x64xf32, strided<[64, 1]>>
  linalg.fill ins(%zero : f32) outs(%y : memref<66x64xf32>)
  linalg.copy ins(%v : memref<66x64xf32, strided<[64, 1]>>) outs(%z : memref<66x64xf32>)
  %w = memref.subview %y[1, 0] [64, 64] [1, 1] : memref<66x64xf32> to memref<64x64xf32, strided<[64, 1], offset: 64>>
  linalg.generic {indexing_maps = [affine_map<(a, b) -> (a, b)>, affine_map<(a, b) -> (a, b)>], iterator_types = ["parallel", "parallel"]} ins(%x : memref<64x64xf32>) outs(%w : memref<64x64xf32, strided<[64, 1], offset: 64>>) {
  ^bb0(%p: f32, %q: f32):
    linalg.yield %p : f32
  }
  func.return
}

// A constant that another op needs stays before it.
// CHECK-LABEL: func.func @constant_of_others
// CHECK-NEXT: %zero = arith.constant 0.000000e+00 : f32
// CHECK-NEXT: linalg.fill ins(%zero : f32) outs(%z : memref<66x64xf32>)
// CHECK-NEXT: linalg.copy ins(%y : {{.*}}) outs(%z : {{.*}})
// CHECK-NEXT: %[[ZERO:.*]] = arith.constant 0.000000e+00 : f32
// CHECK-NEXT: %{{.*}} = memref.subview %y[0, 0] [1, 64]
// CHECK-NEXT: linalg.fill ins(%[[ZERO]] : f32)
func.func @constant_of_others(%x: memref<64x64xf32>, %y: memref<66x64xf32>, %z: memref<66x64xf32>, %u: memref<64x64xf32>) {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%z : memref<66x64xf32>)
  linalg.copy ins(%y : memref<66x64xf32>) outs(%z : memref<66x64xf32>)
  linalg.copy ins(%x : memref<64x64xf32>) outs(%u : memref<64x64xf32>)
  linalg.fill ins(%zero : f32) outs(%y : memref<66x64xf32>)
  %w = memref.subview %y[1, 0] [64, 64] [1, 1] : memref<66x64xf32> to memref<64x64xf32, strided<[64, 1], offset: 64>>
  linalg.generic {indexing_maps = [affine_map<(a, b) -> (a, b)>, affine_map<(a, b) -> (a, b)>], iterator_types = ["parallel", "parallel"]} ins(%u : memref<64x64xf32>) outs(%w : memref<64x64xf32, strided<[64, 1], offset: 64>>) {
  ^bb0(%p: f32, %q: f32):
    linalg.yield %p : f32
  }
  func.return
}
