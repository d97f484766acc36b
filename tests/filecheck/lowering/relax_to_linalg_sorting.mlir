// RUN: relax-opt %s -p relax-to-linalg | filecheck %s

// Few keys: the place of each is the number of those before it.
// CHECK-LABEL: func.func @sort(
// CHECK-SAME:    %[[X:[a-z0-9]+]]: tensor<7xf32>
// CHECK:         tensor.empty() : tensor<14xi32>
// CHECK:         linalg.generic
// CHECK:           arith.bitcast %{{.*}} : f32 to i32
// CHECK:           arith.cmpf une
// CHECK:         linalg.generic
// CHECK:           arith.cmpi ult
// CHECK-NOT:     shrui
// CHECK:         scf.for
// CHECK:         linalg.generic
// CHECK:           tensor.extract %[[X]]
func.func @sort(%x: tensor<7xf32>) -> tensor<7xf32> {
  %y = relax.sort %x : (tensor<7xf32>) -> tensor<7xf32>
  return %y : tensor<7xf32>
}

// Unsigned integers are their own keys; a number of them that is not known is sorted by ranks or by digits.
// CHECK-LABEL: func.func @argsort(
// CHECK-NOT:     arith.cmpf
// CHECK:         arith.extui {{.*}} : i8 to i32
// CHECK-NOT:     arith.xori
// CHECK:         scf.for
// CHECK:           arith.shrui
// CHECK:         arith.trunci {{.*}} : i64 to i32
func.func @argsort(%x: tensor<?xui8, #relax.sym<n>>) -> tensor<?xi32, #relax.sym<n>> {
  %y = relax.argsort %x : (tensor<?xui8, #relax.sym<n>>) -> tensor<?xi32, #relax.sym<n>>
  return %y : tensor<?xi32, #relax.sym<n>>
}

// CHECK-LABEL: func.func @topk(
// CHECK:         tensor.empty(%[[K:[0-9]+]]) : tensor<?xi64>
// CHECK:         tensor.empty(%[[K]]) : tensor<?xf32>
func.func @topk(%x: tensor<?xf32, #relax.sym<n>>) -> tensor<?xf32, #relax.sym<min(3, n)>> {
  %y = relax.topk %x {k = 3 : i64, ret_type = "values"} : (tensor<?xf32, #relax.sym<n>>) -> tensor<?xf32, #relax.sym<min(3, n)>>
  return %y : tensor<?xf32, #relax.sym<min(3, n)>>
}

// Few of many: the least keys of blocks of 64 tell which blocks have candidates, and only those are sorted.
// CHECK-LABEL: func.func @topk_of_many(
// CHECK:         tensor.empty() : tensor<78xi32>
// CHECK:         linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (((d0 * 64) + d1))>
// CHECK:           arith.minui
// CHECK:         tensor.insert_slice {{.*}} tensor<78xi32> into tensor<10000xi32>
func.func @topk_of_many(%x: tensor<5000xf32>) -> tensor<4xi32> {
  %y = relax.topk %x {k = 4 : i64, ret_type = "indices"} : (tensor<5000xf32>) -> tensor<4xi32>
  return %y : tensor<4xi32>
}

// Many short rows: lanes are rows, and the lines of words, filled up to a power of two, go through a network.
// CHECK-LABEL: func.func @rows(
// CHECK-SAME:    %[[X:[a-z0-9]+]]: tensor<1000x3xf32>
// CHECK:         scf.for
// CHECK:           tensor.extract_slice %[[X]][{{.*}}, 0] [512, 3] [1, 1]
// CHECK:           tensor.empty() : tensor<4x512xi64>
// CHECK:           linalg.fill {{.*}} tensor<1x512xi64>
// CHECK:           tensor.expand_shape {{.*}} tensor<4x512xi64> into tensor<2x2x1x512xi64>
// CHECK:           linalg.generic
// CHECK-SAME:        (d0, ((d1 * -1) + 1), (d2 * -1), d3)
// CHECK:             arith.minsi
// CHECK:             arith.maxsi
// CHECK:           tensor.expand_shape {{.*}} tensor<4x512xi64> into tensor<1x2x2x512xi64>
// CHECK:           linalg.generic
// CHECK-SAME:        (d0, ((d1 * -1) + 1), ((d2 * -1) + 1), d3)
// CHECK:           linalg.generic
// CHECK-SAME:        (d0, ((d1 * -1) + 1), d2, d3)
// CHECK-NOT:       expand_shape
// CHECK:           return
func.func @rows(%x: tensor<1000x3xf32>) -> tensor<1000x3xi32> {
  %y = relax.argsort %x : (tensor<1000x3xf32>) -> tensor<1000x3xi32>
  return %y : tensor<1000x3xi32>
}

// Elements alone, sixteen rows at a time: lines of words that are no NaN, filled up behind, are exchanged in registers. Afterwards rows with
// zeros of both signs, or NaN, get their own again.
// CHECK-LABEL: func.func @elements_of_rows(
// CHECK-SAME:    %[[X:[a-z0-9]+]]: tensor<1000x20xf32>
// CHECK:         scf.for
// CHECK:           %[[ROWS:.*]] = tensor.extract_slice %[[X]][{{.*}}, 0] [16, 20] [1, 1]
// CHECK:           arith.cmpf une
// CHECK:           arith.select
// CHECK:           linalg.fill {{.*}} tensor<12x16xf32>
// CHECK:           scf.for
// CHECK:             %[[A:.*]] = vector.transfer_read %[[WORDS:.*]][%{{.*}}, %{{.*}}], %{{.*}} {in_bounds = [true]} : tensor<32x16xf32>, vector<16xf32>
// CHECK:             %[[B:.*]] = vector.transfer_read %[[WORDS]]
// CHECK:             %[[SMALLER:.*]] = arith.cmpf olt, %[[A]], %[[B]] : vector<16xf32>
// CHECK:             %[[LARGER:.*]] = arith.cmpf ogt, %[[B]], %[[A]] : vector<16xf32>
// CHECK:             arith.select %[[SMALLER]], %[[A]], %[[B]]
// CHECK:             arith.select %[[LARGER]], %[[B]], %[[A]]
// CHECK:             vector.transfer_write
// CHECK:           linalg.generic {{.*}} ins(%[[ROWS]]
// CHECK:             arith.cmpf une
// CHECK:             arith.cmpi eq
// CHECK:           scf.for
// CHECK:             tensor.extract %[[ROWS]]
// CHECK:             tensor.insert
func.func @elements_of_rows(%x: tensor<1000x20xf32>) -> tensor<1000x20xf32> {
  %y = relax.sort %x : (tensor<1000x20xf32>) -> tensor<1000x20xf32>
  return %y : tensor<1000x20xf32>
}

// Integers are compared as they are.
// CHECK-LABEL: func.func @integers_of_rows(
// CHECK-NOT:     arith.cmpf
// CHECK:         arith.minsi {{.*}} : vector<16xi32>
// CHECK:         arith.maxsi {{.*}} : vector<16xi32>
// CHECK-NOT:     arith.cmpf
// CHECK:         return
func.func @integers_of_rows(%x: tensor<1000x20xi16>) -> tensor<1000x20xi16> {
  %y = relax.sort %x : (tensor<1000x20xi16>) -> tensor<1000x20xi16>
  return %y : tensor<1000x20xi16>
}

// Three rows would leave most lanes idle.
// CHECK-LABEL: func.func @few_rows(
// CHECK-NOT:     vector.
// CHECK:         return
func.func @few_rows(%x: tensor<3x20xf32>) -> tensor<3x20xf32> {
  %y = relax.sort %x : (tensor<3x20xf32>) -> tensor<3x20xf32>
  return %y : tensor<3x20xf32>
}

// A key of 64 bits leaves no room for its place.
// CHECK-LABEL: func.func @wide_rows(
// CHECK-NOT:     expand_shape
// CHECK-NOT:     vector.
// CHECK:         return
func.func @wide_rows(%x: tensor<1000x3xf64>) -> tensor<1000x3xf64> {
  %y = relax.sort %x : (tensor<1000x3xf64>) -> tensor<1000x3xf64>
  return %y : tensor<1000x3xf64>
}
