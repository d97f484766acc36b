// RUN: relax-opt %s -p 'schedule-linalg{target=znver4}' | filecheck %s --check-prefix SCHEDULE
// RUN: relax-opt %s -p 'schedule-linalg{target=znver4},linalg-to-loops' | filecheck %s
// RUN: relax-opt %s -p 'schedule-linalg{target=x86-64-v3},linalg-to-loops' | filecheck %s --check-prefix WITHOUT

// A table of all bytes lies in registers, in front of the loop over vectors of 64 bytes.
// SCHEDULE-LABEL: func.func @bytes
// SCHEDULE: #relax.schedule<vectors, loops = [0], along = 0, lanes = 64, {{.*}}lookup = vpermi2b>
// CHECK-LABEL: func.func @bytes
// CHECK: %[[TABLE:.*]] = vector.load %t[%{{.*}}] : memref<256xi8>, vector<256xi8>
// CHECK: scf.for
// CHECK: %[[B:.*]] = vector.load %x[%{{.*}}] : memref<100000xi8>, vector<64xi8>
// CHECK: %[[T0:.*]] = vector.shuffle %[[TABLE]], %[[TABLE]] [0, 1, {{.*}}, 63]
// CHECK: %[[T1:.*]] = vector.shuffle %[[TABLE]], %[[TABLE]] [64, 65, {{.*}}, 127]
// CHECK: %[[T2:.*]] = vector.shuffle %[[TABLE]], %[[TABLE]] [128, 129, {{.*}}, 191]
// CHECK: %[[T3:.*]] = vector.shuffle %[[TABLE]], %[[TABLE]] [192, 193, {{.*}}, 255]
// CHECK: %[[LOW:.*]] = llvm.call_intrinsic "llvm.x86.avx512.vpermi2var.qi.512"(%[[T0]], %[[B]], %[[T1]])
// CHECK: %[[HIGH:.*]] = llvm.call_intrinsic "llvm.x86.avx512.vpermi2var.qi.512"(%[[T2]], %[[B]], %[[T3]])
// CHECK: %[[IS_HIGH:.*]] = arith.cmpi slt, %[[B]], %{{.*}} : vector<64xi8>
// CHECK: %[[E:.*]] = arith.select %[[IS_HIGH]], %[[HIGH]], %[[LOW]]
// CHECK: vector.store %[[E]]
// Without the instruction each lane is read.
// WITHOUT-LABEL: func.func @bytes
// WITHOUT-NOT: llvm.call_intrinsic
// WITHOUT: vector.load %x[%{{.*}}] : memref<100000xi8>, vector<32xi8>
// WITHOUT: %[[B:.*]] = vector.extract %{{.*}}[0] : i8 from vector<32xi8>
// WITHOUT: %[[W:.*]] = arith.extui %[[B]] : i8 to i64
// WITHOUT: %[[I:.*]] = arith.index_cast %[[W]] : i64 to index
// WITHOUT: memref.load %t[%[[I]]] : memref<256xi8>
// WITHOUT-COUNT-31: vector.insert
func.func @bytes(%x: memref<100000xi8>, %t: memref<256xi8>, %y: memref<100000xi8>) {
  linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%x : memref<100000xi8>) outs(%y : memref<100000xi8>) {
  ^bb0(%b: i8, %old: i8):
    %w = arith.extui %b : i8 to i64
    %i = arith.index_cast %w : i64 to index
    %e = memref.load %t[%i] : memref<256xi8>
    linalg.yield %e : i8
  }
  func.return
}

// Beside wider elements a vector has fewer bytes.
// SCHEDULE-LABEL: func.func @floats
// SCHEDULE: lanes = 16, {{.*}}lookup = vpermi2b
// CHECK-LABEL: func.func @floats
// CHECK: %[[B:.*]] = vector.load %x[%{{.*}}] : memref<96xi8>, vector<16xi8>
// CHECK: %[[WHOLE:.*]] = vector.shuffle %[[B]], %{{.*}} [0, 1, {{.*}}, 15, 16, 16, {{.*}}] : vector<16xi8>, vector<16xi8>
// CHECK: llvm.call_intrinsic "llvm.x86.avx512.vpermi2var.qi.512"(%{{.*}}, %[[WHOLE]], %{{.*}})
// CHECK: %[[E:.*]] = vector.shuffle %{{.*}} [0, 1, {{.*}}, 15] : vector<64xi8>
// CHECK: arith.uitofp %[[E]] : vector<16xi8> to vector<16xf32>
func.func @floats(%x: memref<96xi8>, %t: memref<256xi8>, %y: memref<96xf32>) {
  linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%x : memref<96xi8>) outs(%y : memref<96xf32>) {
  ^bb0(%b: i8, %old: f32):
    %w = arith.extui %b : i8 to i64
    %i = arith.index_cast %w : i64 to index
    %e = memref.load %t[%i] : memref<256xi8>
    %f = arith.uitofp %e : i8 to f32
    linalg.yield %f : f32
  }
  func.return
}

// Places that may be negative are no bytes of a table, nor are those of another one.
// SCHEDULE-LABEL: func.func @declines_signed
// SCHEDULE: #relax.schedule<scalars
func.func @declines_signed(%x: memref<96xi8>, %t: memref<256xi8>, %y: memref<96xi8>) {
  linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%x : memref<96xi8>) outs(%y : memref<96xi8>) {
  ^bb0(%b: i8, %old: i8):
    %w = arith.extsi %b : i8 to i64
    %i = arith.index_cast %w : i64 to index
    %e = memref.load %t[%i] : memref<256xi8>
    linalg.yield %e : i8
  }
  func.return
}

// SCHEDULE-LABEL: func.func @declines_words
// SCHEDULE: #relax.schedule<scalars
func.func @declines_words(%x: memref<96xi8>, %t: memref<256xi16>, %y: memref<96xi16>) {
  linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%x : memref<96xi8>) outs(%y : memref<96xi16>) {
  ^bb0(%b: i8, %old: i16):
    %w = arith.extui %b : i8 to i64
    %i = arith.index_cast %w : i64 to index
    %e = memref.load %t[%i] : memref<256xi16>
    linalg.yield %e : i16
  }
  func.return
}
