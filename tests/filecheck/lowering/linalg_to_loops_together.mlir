// RUN: relax-opt %s -p linalg-to-loops | filecheck %s

// Blocks of 4 vectors are one long vector; then come single vectors, and a part of one.
// CHECK-LABEL: func.func @together
// CHECK: scf.for
// CHECK-NEXT: %[[X:.*]] = vector.load %{{.*}} : memref<108xf32>, vector<32xf32>
// CHECK-NEXT: %[[E:.*]] = math.exp %[[X]] : vector<32xf32>
// CHECK-NEXT: vector.store %[[E]], %{{.*}} : memref<108xf32>, vector<32xf32>
// CHECK: vector.load %{{.*}} : memref<108xf32>, vector<8xf32>
// CHECK: vector.maskedload %{{.*}} vector<8xf32>
func.func @together(%x: memref<108xf32>, %y: memref<108xf32>) {
  linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]} ins(%x : memref<108xf32>) outs(%y : memref<108xf32>) attrs = {relax.schedule = #relax.schedule<vectors, loops = [0], along = 0, lanes = 8, unroll = 4>} {
  ^bb0(%a: f32, %b: f32):
    %0 = math.exp %a : f32
    linalg.yield %0 : f32
  }
  func.return
}

// Those of an instruction that looks bytes up stay as long as its own.
// CHECK-LABEL: func.func @looked_up
// CHECK: scf.for
// CHECK: vector.load %{{.*}} : memref<512xi8>, vector<64xi8>
// CHECK-COUNT-2: llvm.call_intrinsic "llvm.x86.avx512.vpermi2var.qi.512"{{.*}} -> vector<64xi8>
// CHECK: vector.load %{{.*}} : memref<512xi8>, vector<64xi8>
// CHECK-COUNT-2: llvm.call_intrinsic "llvm.x86.avx512.vpermi2var.qi.512"{{.*}} -> vector<64xi8>
// CHECK-COUNT-2: vector.store %{{.*}} : memref<512xi8>, vector<64xi8>
func.func @looked_up(%x: memref<512xi8>, %t: memref<256xi8>, %y: memref<512xi8>) {
  linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]} ins(%x : memref<512xi8>) outs(%y : memref<512xi8>) attrs = {relax.schedule = #relax.schedule<vectors, loops = [0], along = 0, lanes = 64, unroll = 2, lookup = vpermi2b>} {
  ^bb0(%b: i8, %old: i8):
    %w = arith.extui %b : i8 to i64
    %i = arith.index_cast %w : i64 to index
    %e = memref.load %t[%i] : memref<256xi8>
    linalg.yield %e : i8
  }
  func.return
}
