// RUN: relax-opt %s -p linalg-to-loops | filecheck %s

// Three channels become whole vectors of pixels: each takes the lanes of two channels, then those of the third. What is left has masks.

// CHECK-LABEL: func.func @interleave
// CHECK:         %[[Y:.*]] = memref.collapse_shape %y {{.*}} : memref<21x3xf32> into memref<63xf32>
// CHECK:         scf.for %[[I:.*]] = %{{.*}} to %{{.*}} step
// CHECK-DAG:       %[[R:.*]] = vector.load %x[%{{.*}}, %[[I]]] : memref<3x21xf32>, vector<4xf32>
// CHECK:           %[[G:.*]] = vector.load %x[%{{.*}}, %[[I]]] : memref<3x21xf32>, vector<4xf32>
// CHECK:           %[[B:.*]] = vector.load %x[%{{.*}}, %[[I]]] : memref<3x21xf32>, vector<4xf32>
// CHECK:           %[[RG:.*]] = vector.shuffle %[[R]], %[[G]] [0, 4, 2, 1]
// CHECK:           %[[V:.*]] = vector.shuffle %[[RG]], %[[B]] [0, 1, 4, 3]
// CHECK:           vector.store %[[V]], %[[Y]]
// CHECK-COUNT-2:   vector.store
// CHECK:         vector.maskedload %x
// CHECK:         vector.maskedstore %[[Y]]
// CHECK-NOT:     vector.maskedstore
func.func @interleave(%x: memref<3x21xf32>, %y: memref<21x3xf32>) {
  linalg.generic {indexing_maps = [affine_map<(p, c) -> (c, p)>, affine_map<(p, c) -> (p, c)>], iterator_types = ["parallel", "parallel"]} ins(%x : memref<3x21xf32>) outs(%y : memref<21x3xf32>) attrs = {relax.schedule = #relax.schedule<interleaved, loops = [0, 1], lanes = 4, chunk = 32>} {
  ^bb0(%a: f32, %b: f32):
    linalg.yield %a : f32
  }
  func.return
}

// The way back picks every fourth element, pairs first; whole vectors leave nothing.

// CHECK-LABEL: func.func @deinterleave
// CHECK:         %[[X:.*]] = memref.collapse_shape %x {{.*}} : memref<16x4xf32> into memref<64xf32>
// CHECK:         scf.for
// CHECK-COUNT-4:   vector.load %[[X]]
// CHECK:           vector.shuffle %{{.*}}, %{{.*}} [0, 1, 4, 5]
// CHECK:           vector.shuffle %{{.*}}, %{{.*}} [2, 3, 6, 7]
// CHECK:           vector.shuffle %{{.*}}, %{{.*}} [0, 1, 4, 5]
// CHECK:           vector.shuffle %{{.*}}, %{{.*}} [2, 3, 6, 7]
// CHECK:           vector.shuffle %{{.*}}, %{{.*}} [0, 2, 4, 6]
// CHECK:           vector.shuffle %{{.*}}, %{{.*}} [1, 3, 5, 7]
// CHECK:           vector.shuffle %{{.*}}, %{{.*}} [0, 2, 4, 6]
// CHECK:           vector.shuffle %{{.*}}, %{{.*}} [1, 3, 5, 7]
// CHECK-COUNT-4:   vector.store
// CHECK-NOT:     masked
func.func @deinterleave(%x: memref<16x4xf32>, %y: memref<4x16xf32>) {
  linalg.generic {indexing_maps = [affine_map<(c, p) -> (p, c)>, affine_map<(c, p) -> (c, p)>], iterator_types = ["parallel", "parallel"]} ins(%x : memref<16x4xf32>) outs(%y : memref<4x16xf32>) attrs = {relax.schedule = #relax.schedule<interleaved, loops = [1, 0], lanes = 4, chunk = 32>} {
  ^bb0(%a: f32, %b: f32):
    linalg.yield %a : f32
  }
  func.return
}

// A number of pixels that is found at run time leaves a branch.

// CHECK-LABEL: func.func @unknown_pixels
// CHECK:         scf.for
// CHECK:         scf.if
// CHECK:           vector.create_mask
// CHECK:           vector.maskedstore
func.func @unknown_pixels(%x: memref<2x?xi8>, %y: memref<?x2xi8>) {
  linalg.generic {indexing_maps = [affine_map<(p, c) -> (c, p)>, affine_map<(p, c) -> (p, c)>], iterator_types = ["parallel", "parallel"]} ins(%x : memref<2x?xi8>) outs(%y : memref<?x2xi8>) attrs = {relax.schedule = #relax.schedule<interleaved, loops = [0, 1], lanes = 16, chunk = 64>} {
  ^bb0(%a: i8, %b: i8):
    linalg.yield %a : i8
  }
  func.return
}
