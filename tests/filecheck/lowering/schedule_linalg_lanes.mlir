// RUN: relax-opt %s -p 'schedule-linalg{target=x86-64-v3}' --verify-diagnostics

// An instruction that the target has for shorter vectors alone; LLVM would end the process.
func.func @long_vectors(%a: memref<96x256xi8>, %b: memref<256x128xi8>, %c: memref<96x128xi32>) {
  // expected-error@below {{linalg.generic cannot have the schedule contraction: instruction = vpmaddwd with lanes = 16, but the target x86-64-v3 has 8}}
  linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : memref<96x256xi8>, memref<256x128xi8>) outs(%c : memref<96x128xi32>) attrs = {relax.schedule = #relax.schedule<contraction, loops = [0, 1, 2], lanes = 16, row = 0, instruction = vpmaddwd, tiles = <shape = [4, 32], pack = both, steps = 512>>} {
  ^bb0(%x: i8, %y: i8, %acc: i32):
    %0 = arith.extsi %x : i8 to i32
    %1 = arith.extsi %y : i8 to i32
    %2 = arith.muli %0, %1 : i32
    %3 = arith.addi %acc, %2 : i32
    linalg.yield %3 : i32
  }
  return
}
