// RUN: relax-opt %s -p 'schedule-linalg{target=x86-64-v4},linalg-to-loops' | filecheck %s

// Nests that only move elements in whole blocks share a function, whatever their sizes: it transposes the blocks of a row.
// CHECK-LABEL: func.func @whole_blocks
// CHECK:         func.call @[[SHARED:relax.contract.transpose.16x16.f32]](
// CHECK-NOT:     vector.shuffle
// CHECK-LABEL: func.func @other_blocks
// CHECK:         func.call @[[SHARED]](
// CHECK-NOT:     vector.shuffle
// What is computed, or columns that are left over, are written where they are.
// CHECK-LABEL: func.func @computed
// CHECK-NOT:     func.call
// CHECK-COUNT-64: vector.shuffle
// CHECK:         arith.negf
// CHECK-LABEL: func.func @part_of_a_block
// CHECK-NOT:     func.call
// CHECK-COUNT-64: vector.shuffle
// A number in place of the elements is no copy.
// CHECK-LABEL: func.func @number
// CHECK-NOT:     func.call
// CHECK:         vector.store
// CHECK-LABEL: func.func @bytes
// CHECK:         func.call @[[WIDE:relax.contract.transpose.64x16.i8]](
// CHECK:         func.call @[[REST:relax.contract.transpose.12x16.i8]](
// Where all columns begin equally far behind a line, and blocks are many, they begin at lines; the first and the last stay inside.
// CHECK-LABEL: func.func @from_lines
// CHECK:         %[[ADDRESS:.*]] = "memref.extract_aligned_pointer_as_index"
// CHECK:         %[[BYTES:.*]] = arith.andi %[[ADDRESS]],
// CHECK:         %[[BEFORE:.*]] = arith.floordivsi %[[BYTES]],
// CHECK:         scf.for
// CHECK:         %[[FROM_LINE:.*]] = arith.subi %{{.*}}, %[[BEFORE]]
// CHECK:         %[[INSIDE:.*]] = arith.minsi %[[FROM_LINE]],
// CHECK:         arith.maxsi {{.*}}%[[INSIDE]]
// CHECK:         func.call @[[SHARED]](
// Few blocks begin at the first row.
// CHECK-LABEL: func.func @from_first_row
// CHECK-NOT:     arith.maxsi
// CHECK:         func.call
// CHECK:       func.func private @[[SHARED]](
// CHECK:         scf.for
// CHECK-COUNT-16: vector.load
// CHECK-COUNT-64: vector.shuffle
// CHECK-COUNT-16: vector.store
// Bytes of 64 rows are transposed together, what is left of rows by a function of its own.
// CHECK:       func.func private @[[WIDE]](
// CHECK-COUNT-16: vector.load {{.*}} vector<64xi8>
// CHECK-COUNT-64: vector.shuffle {{.*}} vector<64xi8>, vector<64xi8>
// CHECK-COUNT-64: vector.store {{.*}} vector<16xi8>
// CHECK:       func.func private @[[REST]](
// CHECK-COUNT-16: vector.maskedload {{.*}} vector<16xi1>, vector<16xi8> into vector<16xi8>
// CHECK-COUNT-64: vector.shuffle {{.*}} vector<16xi8>, vector<16xi8>
// CHECK-COUNT-12: vector.store
// CHECK-NOT:     func.func private
#from = affine_map<(d0, d1) -> (d1, d0)>
#to = affine_map<(d0, d1) -> (d0, d1)>
func.func @whole_blocks(%x: memref<64x48xf32>, %y: memref<48x64xf32>) {
  linalg.generic {indexing_maps = [#from, #to], iterator_types = ["parallel", "parallel"]} ins(%x : memref<64x48xf32>) outs(%y : memref<48x64xf32>) {
  ^bb0(%a: f32, %b: f32):
    linalg.yield %a : f32
  }
  return
}
func.func @other_blocks(%x: memref<32x160xf32>, %y: memref<160x32xf32>) {
  linalg.generic {indexing_maps = [#from, #to], iterator_types = ["parallel", "parallel"]} ins(%x : memref<32x160xf32>) outs(%y : memref<160x32xf32>) {
  ^bb0(%a: f32, %b: f32):
    linalg.yield %a : f32
  }
  return
}
func.func @computed(%x: memref<64x48xf32>, %y: memref<48x64xf32>) {
  linalg.generic {indexing_maps = [#from, #to], iterator_types = ["parallel", "parallel"]} ins(%x : memref<64x48xf32>) outs(%y : memref<48x64xf32>) {
  ^bb0(%a: f32, %b: f32):
    %0 = arith.negf %a : f32
    linalg.yield %0 : f32
  }
  return
}
func.func @part_of_a_block(%x: memref<60x48xf32>, %y: memref<48x60xf32>) {
  linalg.generic {indexing_maps = [#from, #to], iterator_types = ["parallel", "parallel"]} ins(%x : memref<60x48xf32>) outs(%y : memref<48x60xf32>) {
  ^bb0(%a: f32, %b: f32):
    linalg.yield %a : f32
  }
  return
}
func.func @number(%x: memref<64x48xf32>, %y: memref<48x64xf32>, %s: f32) {
  linalg.generic {indexing_maps = [#from, #to], iterator_types = ["parallel", "parallel"]} ins(%x : memref<64x48xf32>) outs(%y : memref<48x64xf32>) {
  ^bb0(%a: f32, %b: f32):
    linalg.yield %s : f32
  }
  return
}
func.func @bytes(%x: memref<48x140xi8>, %y: memref<140x48xi8>) {
  linalg.generic {indexing_maps = [#from, #to], iterator_types = ["parallel", "parallel"]} ins(%x : memref<48x140xi8>) outs(%y : memref<140x48xi8>) {
  ^bb0(%a: i8, %b: i8):
    linalg.yield %a : i8
  }
  return
}
func.func @from_lines(%x: memref<32x128xf32>, %y: memref<128x32xf32>) {
  linalg.generic {indexing_maps = [#from, #to], iterator_types = ["parallel", "parallel"]} ins(%x : memref<32x128xf32>) outs(%y : memref<128x32xf32>) {
  ^bb0(%a: f32, %b: f32):
    linalg.yield %a : f32
  }
  return
}
func.func @from_first_row(%x: memref<32x112xf32>, %y: memref<112x32xf32>) {
  linalg.generic {indexing_maps = [#from, #to], iterator_types = ["parallel", "parallel"]} ins(%x : memref<32x112xf32>) outs(%y : memref<112x32xf32>) {
  ^bb0(%a: f32, %b: f32):
    linalg.yield %a : f32
  }
  return
}
