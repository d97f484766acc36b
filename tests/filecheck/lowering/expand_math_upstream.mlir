// REQUIRES: mlir-opt
// RUN: relax-opt %s -p expand-math --print-op-generic | mlir-opt | filecheck %s

// Upstream accepts what is built, comparisons by lanes included.
// CHECK-LABEL: func.func @all
// CHECK-NOT:     math.tan
// CHECK-NOT:     math.powf
// CHECK-NOT:     arith.remf
// CHECK:         return
func.func @all(%x: vector<8xf64>, %y: f32) -> (vector<8xf64>, f32) {
  %0 = math.tan %x : vector<8xf64>
  %1 = math.powf %0, %x : vector<8xf64>
  %2 = math.atan2 %1, %x : vector<8xf64>
  %3 = math.cos %y : f32
  %4 = math.cbrt %3 : f32
  %5 = arith.remf %2, %x : vector<8xf64>
  func.return %5, %4 : vector<8xf64>, f32
}
