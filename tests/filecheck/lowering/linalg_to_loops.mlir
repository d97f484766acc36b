// RUN: relax-opt %s -p schedule-linalg,linalg-to-loops | filecheck %s

// An element-wise op is one loop over all elements; the bias-free operands collapse.

// CHECK-LABEL: func.func @collapsed
// CHECK:         %[[X:.*]] = memref.collapse_shape %x {{.*}} into memref<192xf32>
// CHECK:         scf.for %[[I:.*]] = %{{.*}} to %{{.*}} step
// CHECK:           %[[V:.*]] = vector.load %[[X]][%[[I]]] : memref<192xf32>, vector<16xf32>
// CHECK:           %[[R:.*]] = arith.mulf %[[V]], %[[V]] : vector<16xf32>
// CHECK:           vector.store %[[R]], %{{.*}}[%[[I]]]
// CHECK-NOT:     linalg
func.func @collapsed(%x: memref<4x48xf32>, %y: memref<4x48xf32>) {
  linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%x : memref<4x48xf32>) outs(%y : memref<4x48xf32>) {
  ^bb0(%a: f32, %b: f32):
    %r = arith.mulf %a, %a : f32
    linalg.yield %r : f32
  }
  func.return
}

// A row operand is loaded once per row, outside the vector loop; a size that is not a multiple ends with a mask.

// CHECK-LABEL: func.func @row_operand
// CHECK:         scf.for %[[ROW:.*]] = %{{.*}} to
// CHECK:           %[[S:.*]] = memref.load %m[%[[ROW]]]
// CHECK:           scf.for %[[J:.*]] = %{{.*}} to
// CHECK:             vector.load %x[%[[ROW]], %[[J]]]
// CHECK:             vector.broadcast %[[S]] : f32 to vector<16xf32>
// CHECK:           %[[MASK:.*]] = vector.create_mask
// CHECK:           vector.maskedload %x[%[[ROW]], %{{.*}}], %[[MASK]]
// CHECK:           vector.maskedstore %y[%[[ROW]], %{{.*}}], %[[MASK]]
func.func @row_operand(%x: memref<4x50xf32>, %m: memref<4xf32>, %y: memref<4x50xf32>) {
  linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%x, %m : memref<4x50xf32>, memref<4xf32>) outs(%y : memref<4x50xf32>) {
  ^bb0(%a: f32, %s: f32, %b: f32):
    %r = arith.subf %a, %s : f32
    linalg.yield %r : f32
  }
  func.return
}

// A payload that reads memory stays scalar.

// CHECK-LABEL: func.func @gather
// CHECK-NOT:     vector
// CHECK:         %[[K:.*]] = memref.load %ids[%[[I:.*]]]
// CHECK:         %[[AT:.*]] = arith.index_cast %[[K]]
// CHECK:         %[[V:.*]] = memref.load %x[%[[AT]]]
// CHECK:         memref.store %[[V]], %y[%[[I]]]
// CHECK-NOT:     vector
// CHECK:         func.return
func.func @gather(%x: memref<?xf32>, %ids: memref<40xi64>, %y: memref<40xf32>) {
  linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%ids : memref<40xi64>) outs(%y : memref<40xf32>) {
  ^bb0(%k: i64, %b: f32):
    %i = arith.index_cast %k : i64 to index
    %r = memref.load %x[%i] : memref<?xf32>
    linalg.yield %r : f32
  }
  func.return
}

// A row is summed by four vectors, combined in halves; the output's content takes part.

// CHECK-LABEL: func.func @row_sum
// CHECK:         %[[ZERO:.*]] = arith.constant dense<-0.000000e+00> : vector<16xf32>
// CHECK:         %[[A:.*]], %[[B:.*]], %[[C:.*]], %[[D:.*]] = scf.for {{.*}} iter_args({{.*}} = %[[ZERO]], {{.*}} = %[[ZERO]], {{.*}} = %[[ZERO]], {{.*}} = %[[ZERO]])
// CHECK:         %[[AC:.*]] = arith.addf %[[A]], %[[C]]
// CHECK:         %[[BD:.*]] = arith.addf %[[B]], %[[D]]
// CHECK:         arith.addf %[[AC]], %[[BD]]
// CHECK:         vector.shuffle
// CHECK:         %[[TOTAL:.*]] = vector.extract
// CHECK:         %[[OLD:.*]] = memref.load %y
// CHECK:         %[[NEW:.*]] = arith.addf %[[OLD]], %[[TOTAL]] : f32
// CHECK:         memref.store %[[NEW]], %y
func.func @row_sum(%x: memref<3x128xf32>, %y: memref<3xf32>) {
  linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel", "reduction"]} ins(%x : memref<3x128xf32>) outs(%y : memref<3xf32>) {
  ^bb0(%a: f32, %acc: f32):
    %r = arith.addf %acc, %a : f32
    linalg.yield %r : f32
  }
  func.return
}

// A comparison that passes over NaN is one instruction a vector; lanes start at the least number.

// CHECK-LABEL: func.func @greatest
// CHECK:         %[[LEAST:.*]] = arith.constant dense<0xff800000> : vector<16xf32>
// CHECK:         scf.for {{.*}} iter_args({{.*}} = %[[LEAST]]
// CHECK:           %[[X:.*]] = vector.load %x
// CHECK-NEXT:      %[[OVER:.*]] = arith.cmpf ogt, %[[X]], %[[BEST:.*]] : vector<16xf32>
// CHECK-NEXT:      arith.select %[[OVER]], %[[X]], %[[BEST]] : vector<16xi1>, vector<16xf32>
func.func @greatest(%x: memref<3x128xf32>, %y: memref<3xf32>) {
  linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel", "reduction"]} ins(%x : memref<3x128xf32>) outs(%y : memref<3xf32>) {
  ^bb0(%a: f32, %best: f32):
    %c = arith.cmpf ogt, %a, %best : f32
    %r = arith.select %c, %a, %best : f32
    linalg.yield %r : f32
  }
  func.return
}

// The twin keeps the last of equals, for which lanes have no order.

// CHECK-LABEL: func.func @last_greatest
// CHECK-NOT:     vector
// CHECK:         func.return
func.func @last_greatest(%x: memref<3x128xf32>, %y: memref<3xf32>) {
  linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel", "reduction"]} ins(%x : memref<3x128xf32>) outs(%y : memref<3xf32>) {
  ^bb0(%a: f32, %best: f32):
    %c = arith.cmpf oge, %a, %best : f32
    %r = arith.select %c, %a, %best : f32
    linalg.yield %r : f32
  }
  func.return
}

// A place goes along with its value; of equal values in two lanes the lesser place counts.

// CHECK-LABEL: func.func @place
// CHECK-DAG:     %[[LEAST:.*]] = arith.constant dense<-2147483648> : vector<16xi32>
// CHECK-DAG:     %[[BEHIND:.*]] = arith.constant dense<2147483647> : vector<16xi32>
// CHECK:         scf.for
// CHECK:           scf.for {{.*}} iter_args({{.*}} = %[[LEAST]], {{.*}} = %[[BEHIND]]
// CHECK:           %[[BETTER:.*]] = arith.cmpi sgt, %[[X:.*]], %[[BEST:.*]] : vector<16xi32>
// CHECK-NEXT:      arith.select %[[BETTER]], %[[X]], %[[BEST]] : vector<16xi1>, vector<16xi32>
// CHECK-NEXT:      arith.select %[[BETTER]], %{{.*}} : vector<16xi1>, vector<16xi32>
// CHECK:         arith.cmpi slt, %{{.*}} : vector<8xi32>
// CHECK:         memref.store
func.func @place(%x: memref<3x128xi32>, %y: memref<3xi32>, %at: memref<3xi32>) {
  linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel", "reduction"]} ins(%x : memref<3x128xi32>) outs(%y, %at : memref<3xi32>, memref<3xi32>) {
  ^bb0(%a: i32, %best: i32, %place: i32):
    %i = linalg.index 1 : index
    %k = arith.index_cast %i : index to i32
    %c = arith.cmpi sgt, %a, %best : i32
    %r = arith.select %c, %a, %best : i32
    %p = arith.select %c, %k, %place : i32
    linalg.yield %r, %p : i32, i32
  }
  func.return
}

// The twin has places that go down.

// CHECK-LABEL: func.func @place_from_the_end
// CHECK-NOT:     vector
// CHECK:         func.return
func.func @place_from_the_end(%x: memref<3x128xi32>, %y: memref<3xi32>, %at: memref<3xi32>) {
  linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel", "reduction"]} ins(%x : memref<3x128xi32>) outs(%y, %at : memref<3xi32>, memref<3xi32>) {
  ^bb0(%a: i32, %best: i32, %place: i32):
    %i = linalg.index 1 : index
    %c127 = arith.constant 127 : index
    %j = arith.subi %c127, %i : index
    %k = arith.index_cast %j : index to i32
    %c = arith.cmpi sgt, %a, %best : i32
    %r = arith.select %c, %a, %best : i32
    %p = arith.select %c, %k, %place : i32
    linalg.yield %r, %p : i32, i32
  }
  func.return
}

// Much work is shared among threads, little is not.

// CHECK-LABEL: func.func @much
// CHECK:         scf.parallel
// CHECK-NOT:     scf.parallel
// CHECK-LABEL: func.func @little
// CHECK-NOT:     scf.parallel
// CHECK:         func.return
func.func @much(%v: f32, %y: memref<1000x1000xf32>) {
  linalg.fill ins(%v : f32) outs(%y : memref<1000x1000xf32>)
  func.return
}
func.func @little(%v: f32, %y: memref<10x10xf32>) {
  linalg.fill ins(%v : f32) outs(%y : memref<10x10xf32>)
  func.return
}

// A gather of rows: what differs from row to row is a scalar, the elements of a row are vectors.

// CHECK-LABEL: func.func @gathered_rows
// CHECK:         scf.for %[[ROW:.*]] = %{{.*}} to
// CHECK:           %[[I:.*]] = memref.load %indices[%[[ROW]]]
// CHECK:           scf.for %[[J:.*]] = %{{.*}} to
// CHECK:             %[[CAST:.*]] = arith.index_cast %[[I]] : i64 to index
// CHECK:             vector.load %table[%[[CAST]], %[[J]]] : memref<9x50xf32>, vector<16xf32>
// CHECK:           %[[MASK:.*]] = vector.create_mask
// CHECK:           vector.maskedload %table[%{{.*}}, %{{.*}}], %[[MASK]]
func.func @gathered_rows(%table: memref<9x50xf32>, %indices: memref<4xi64>, %y: memref<4x50xf32>) {
  linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%indices : memref<4xi64>) outs(%y : memref<4x50xf32>) {
  ^bb0(%i: i64, %b: f32):
    %row = arith.index_cast %i : i64 to index
    %j = linalg.index 1 : index
    %r = memref.load %table[%row, %j] : memref<9x50xf32>
    linalg.yield %r : f32
  }
  func.return
}

// An offset from other loops stays one load of neighbors; where the index is used besides, it has lanes.

// CHECK-LABEL: func.func @window
// CHECK:         scf.for %[[ROW:.*]] = %{{.*}} to
// CHECK:           scf.for %[[J:.*]] = %{{.*}} to
// CHECK:             %[[AT:.*]] = arith.addi %[[J]], %[[ROW]] : index
// CHECK:             vector.load %x[%[[AT]]] : memref<64xi64>, vector<16xi64>
// CHECK:             arith.addi %{{.*}}, %{{.*}} : vector<16xi64>
// CHECK:             vector.store
func.func @window(%x: memref<64xi64>, %y: memref<4x48xi64>) {
  linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} outs(%y : memref<4x48xi64>) {
  ^bb0(%b: i64):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %at = arith.addi %j, %i : index
    %r = memref.load %x[%at] : memref<64xi64>
    %lane = arith.index_cast %j : index to i64
    %s = arith.addi %r, %lane : i64
    linalg.yield %s : i64
  }
  func.return
}

// Elements that are two apart are picked from two vectors, of which the second ends with the last one; so it is behind the mask.

// CHECK-LABEL: func.func @two_apart
// CHECK:         scf.for %[[I:.*]] = %{{.*}} to
// CHECK:           %[[AT:.*]] = arith.muli %[[I]], %{{.*}} : index
// CHECK:           %[[LOW:.*]] = vector.load %x[%[[AT]]] : memref<199xf32>, vector<16xf32>
// CHECK:           %[[NEXT:.*]] = arith.addi %[[AT]], %{{.*}} : index
// CHECK:           %[[HIGH:.*]] = vector.load %x[%[[NEXT]]] : memref<199xf32>, vector<16xf32>
// CHECK:           vector.shuffle %[[LOW]], %[[HIGH]] [0, 2, 4, 6, 8, 10, 12, 14, 17, 19, 21, 23, 25, 27, 29, 31]
// CHECK:         vector.maskedload %x
// CHECK:         vector.maskedload %x
// CHECK:         vector.maskedstore %y
func.func @two_apart(%x: memref<199xf32>, %y: memref<100xf32>) {
  linalg.generic {indexing_maps = [affine_map<(i) -> (i * 2)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]} ins(%x : memref<199xf32>) outs(%y : memref<100xf32>) {
  ^bb0(%a: f32, %b: f32):
    linalg.yield %a : f32
  }
  func.return
}

// Every second of the lanes is a neighbor in a row of %x: the two rows are interleaved. Of a row that is repeated there is one.

// CHECK-LABEL: func.func @two_phases
// CHECK:         scf.for %[[I:.*]] = %{{.*}} to
// CHECK:           %[[HALF:.*]] = arith.floordivsi %[[I]], %{{.*}} : index
// CHECK:           %[[ODD:.*]] = vector.load %x[%{{.*}}, %[[HALF]]] : memref<2x51xf32>, vector<8xf32>
// CHECK:           %[[NEXT:.*]] = arith.addi %[[HALF]], %{{.*}} : index
// CHECK:           %[[EVEN:.*]] = vector.load %x[%{{.*}}, %[[NEXT]]] : memref<2x51xf32>, vector<8xf32>
// CHECK:           %[[A:.*]] = vector.shuffle %[[ODD]], %[[EVEN]] [0, 8, 1, 9, 2, 10, 3, 11, 4, 12, 5, 13, 6, 14, 7, 15]
// CHECK:           %[[W:.*]] = vector.load %w[%{{.*}}] : memref<50xf32>, vector<8xf32>
// CHECK:           %[[B:.*]] = vector.shuffle %[[W]], %[[W]] [0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7]
// CHECK:           arith.addf %[[A]], %[[B]] : vector<16xf32>
// CHECK:         vector.maskedstore %y
func.func @two_phases(%x: memref<2x51xf32>, %w: memref<50xf32>, %y: memref<100xf32>) {
  linalg.generic {indexing_maps = [affine_map<(i) -> ((i + 1) mod 2, (i + 1) floordiv 2)>, affine_map<(i) -> (i floordiv 2)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]} ins(%x, %w : memref<2x51xf32>, memref<50xf32>) outs(%y : memref<100xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %r = arith.addf %a, %b : f32
    linalg.yield %r : f32
  }
  func.return
}

// Three phases do not divide the lanes, which are read one by one.

// CHECK-LABEL: func.func @three_phases
// CHECK-NOT:     vector.shuffle
// CHECK:         vector.insert
func.func @three_phases(%x: memref<34xf32>, %y: memref<100xf32>) {
  linalg.generic {indexing_maps = [affine_map<(i) -> (i floordiv 3)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]} ins(%x : memref<34xf32>) outs(%y : memref<100xf32>) {
  ^bb0(%a: f32, %b: f32):
    linalg.yield %a : f32
  }
  func.return
}
