// Instructions that a target lacks, in schedules that are written by hand.
// RUN: relax-opt %s -p 'schedule-linalg{target=x86-64-v3}' --split-input-file --verify-diagnostics
// RUN: relax-opt %s -p 'schedule-linalg{target=sapphirerapids}' --split-input-file | filecheck %s

// CHECK: instruction = vdpbf16ps
func.func @bf16(%a: memref<96x256xbf16>, %b: memref<256x128xbf16>, %c: memref<96x128xf32>) {
  // expected-error@below {{linalg.generic cannot have the schedule contraction: instruction = vdpbf16ps, but the target x86-64-v3 has vpmaddwd}}
  linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : memref<96x256xbf16>, memref<256x128xbf16>) outs(%c : memref<96x128xf32>) attrs = {relax.schedule = #relax.schedule<contraction, loops = [0, 1, 2], lanes = 16, row = 0, instruction = vdpbf16ps, tiles = <shape = [6, 64], pack = rhs, steps = 512>>} {
  ^bb0(%x: bf16, %y: bf16, %acc: f32):
    %0 = arith.extf %x : bf16 to f32
    %1 = arith.extf %y : bf16 to f32
    %2 = arith.mulf %0, %1 : f32
    %3 = arith.addf %acc, %2 : f32
    linalg.yield %3 : f32
  }
  return
}

// -----

// CHECK: lookup = vpermi2b
func.func @bytes(%x: memref<96xi8>, %t: memref<256xi8>, %y: memref<96xi8>) {
  // expected-error@below {{linalg.generic cannot have the schedule vectors: lookup = vpermi2b, but the target x86-64-v3 has vpmaddwd}}
  linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%x : memref<96xi8>) outs(%y : memref<96xi8>) attrs = {relax.schedule = #relax.schedule<vectors, loops = [0], along = 0, lanes = 64, lookup = vpermi2b>} {
  ^bb0(%b: i8, %old: i8):
    %w = arith.extui %b : i8 to i64
    %i = arith.index_cast %w : i64 to index
    %e = memref.load %t[%i] : memref<256xi8>
    linalg.yield %e : i8
  }
  return
}
