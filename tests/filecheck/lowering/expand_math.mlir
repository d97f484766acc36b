// RUN: relax-opt %s -p 'expand-math{target=x86-64-v3}' | filecheck %s --check-prefixes=CHECK,SHIFTED
// RUN: relax-opt %s -p expand-math | filecheck %s --check-prefixes=CHECK,SCALED
// RUN: relax-opt %s -p expand-math | relax-opt -p expand-math | filecheck %s --check-prefixes=CHECK,SCALED

// One polynomial and two powers of two, or one instruction; no call, no branch.
// CHECK-LABEL:  func.func @exp
// CHECK-SAME:   (%[[X:.*]]: vector<16xf32>)
// CHECK-DAG:    %[[LOG2E:.*]] = arith.constant dense<1.44269502> : vector<16xf32>
// SHIFTED-DAG:  %[[BITS:.*]] = arith.constant dense<23> : vector<16xi32>
// SCALED-DAG:   %[[ALL:.*]] = arith.constant -1 : i16
// SCALED-DAG:   %[[CURRENT:.*]] = arith.constant 4 : i32
// CHECK:        %[[BEYOND:.*]] = arith.cmpf o{{[lg]}}t, %{{.*}}, %[[X]] : vector<16xf32>
// CHECK-NEXT:   %{{.*}} = arith.select %[[BEYOND]], %{{.*}}, %[[X]] : vector<16xi1>, vector<16xf32>
// SHIFTED-NEXT: arith.cmpf
// SHIFTED-NEXT: arith.select
// CHECK-NEXT:   math.fma %{{.*}}, %[[LOG2E]], %{{.*}} : vector<16xf32>
// CHECK-NEXT:   %[[N:.*]] = arith.subf %{{.*}}, %{{.*}} : vector<16xf32>
// CHECK-NOT:    math.exp
// SHIFTED:      %[[REST:.*]] = arith.subi %{{.*}}, %{{.*}} : vector<16xi32>
// SHIFTED-NEXT: %[[SHIFT:.*]] = arith.shli %[[REST]], %[[BITS]] : vector<16xi32>
// SHIFTED-NEXT: %[[POWER:.*]] = arith.bitcast %[[SHIFT]] : vector<16xi32> to vector<16xf32>
// SHIFTED-NEXT: %[[PRODUCT:.*]] = arith.mulf %{{.*}}, %{{.*}} : vector<16xf32>
// SHIFTED-NEXT: %[[RESULT:.*]] = arith.mulf %[[PRODUCT]], %[[POWER]] : vector<16xf32>
// SCALED-NOT:   arith.shli
// SCALED:       %[[P:.*]] = math.fma
// SCALED:       %[[RESULT:.*]] = llvm.call_intrinsic "llvm.x86.avx512.mask.scalef.ps.512"(%{{.*}}, %[[N]], %{{.*}}, %[[ALL]], %[[CURRENT]])
// CHECK:        func.return %[[RESULT]] : vector<16xf32>
func.func @exp(%x: vector<16xf32>) -> vector<16xf32> {
  %y = math.exp %x : vector<16xf32>
  func.return %y : vector<16xf32>
}

// Narrow floats go through f32; bf16 is rounded by integers.
// CHECK-LABEL: func.func @half
// CHECK-SAME:    (%[[X:.*]]: bf16)
// CHECK:         %[[WIDE:.*]] = arith.extf %[[X]] : bf16 to f32
// CHECK:         math.sqrt %[[WIDE]] : f32
// CHECK:         %[[HIGH:.*]] = arith.shrui %{{.*}}, %{{.*}} : i32
// CHECK-NOT:     arith.truncf
// CHECK:         %[[BITS:.*]] = arith.trunci %{{.*}} : i32 to i16
// CHECK-NEXT:    %[[Y:.*]] = arith.bitcast %[[BITS]] : i16 to bf16
// CHECK-NEXT:    func.return %[[Y]] : bf16
func.func @half(%x: bf16) -> bf16 {
  %y = math.rsqrt %x : bf16
  func.return %y : bf16
}

// The reduction of huge angles is behind a test of all lanes.
// CHECK-LABEL: func.func @sin
// CHECK:         %[[HUGE:.*]] = arith.cmpf ogt, %{{.*}}, %{{.*}} : vector<8xf64>
// CHECK-NEXT:    %[[ANY:.*]] = vector.reduction <or>, %[[HUGE]] : vector<8xi1> into i1
// CHECK-NEXT:    scf.if %[[ANY]] -> (vector<8xi64>, vector<8xf64>, vector<8xf64>)
func.func @sin(%x: vector<8xf64>) -> vector<8xf64> {
  %y = math.sin %x : vector<8xf64>
  func.return %y : vector<8xf64>
}

// What a processor computes itself stays.
// CHECK-LABEL: func.func @cheap
// CHECK-SAME:    (%[[X:.*]]: f32)
// CHECK-NEXT:    %[[A:.*]] = math.absf %[[X]] : f32
// CHECK-NEXT:    %[[B:.*]] = math.sqrt %[[A]] : f32
// CHECK-NEXT:    %[[C:.*]] = math.floor %[[B]] : f32
// CHECK-NEXT:    %[[D:.*]] = math.copysign %[[C]], %[[X]] : f32
// CHECK-NEXT:    func.return %[[D]] : f32
func.func @cheap(%x: f32) -> f32 {
  %a = math.absf %x : f32
  %b = math.sqrt %a : f32
  %c = math.floor %b : f32
  %d = math.copysign %c, %x : f32
  func.return %d : f32
}

// A constant exponent needs no loop: x**5 takes three products.
// CHECK-LABEL: func.func @fifth
// CHECK-SAME:    (%[[X:.*]]: f64)
// CHECK:         %[[X2:.*]] = arith.mulf %[[X]], %[[X]] : f64
// CHECK-NEXT:    %[[X4:.*]] = arith.mulf %[[X2]], %[[X2]] : f64
// CHECK-NEXT:    %[[X5:.*]] = arith.mulf %[[X]], %[[X4]] : f64
// CHECK-NEXT:    func.return %[[X5]] : f64
func.func @fifth(%x: f64) -> f64 {
  %five = arith.constant 5 : i32
  %y = math.fpowi %x, %five : f64, i32
  func.return %y : f64
}

// CHECK-LABEL: func.func @power
// CHECK:         %{{.*}} = scf.while
// CHECK-NOT:     math.ipowi
func.func @power(%x: i32, %n: i32) -> i32 {
  %y = math.ipowi %x, %n : i32
  func.return %y : i32
}

// The body of a parallel loop becomes a function of its own: its constants stay inside.
// CHECK-LABEL: func.func @parallel
// CHECK-NOT:     arith.constant dense
// CHECK:         scf.parallel
// CHECK:           arith.constant dense
func.func @parallel(%a: memref<64xf32>) {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %c64 = arith.constant 64 : index
  "scf.parallel"(%c0, %c64, %c16) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
  ^bb0(%i: index):
    %x = vector.load %a[%i] : memref<64xf32>, vector<16xf32>
    %y = math.exp %x : vector<16xf32>
    vector.store %y, %a[%i] : memref<64xf32>, vector<16xf32>
    scf.reduce
  }) : (index, index, index) -> ()
  func.return
}

// So is arithmetic on bf16, and no other.
// CHECK-LABEL: func.func @sum
// CHECK:         %[[SUM:.*]] = arith.addf %{{.*}}, %{{.*}} : f32
// CHECK:         arith.bitcast %{{.*}} : i16 to bf16
// CHECK:         arith.addf %{{.*}}, %{{.*}} : f16
func.func @sum(%x: bf16, %h: f16) -> (bf16, f16) {
  %y = arith.addf %x, %x : bf16
  %z = arith.addf %h, %h : f16
  func.return %y, %z : bf16, f16
}

// A remainder of a small quotient takes one multiply-add; a loop is behind a branch.
// CHECK-LABEL: func.func @remainder
// CHECK:         arith.divf
// CHECK:         math.fma
// CHECK:         %[[REST:.*]] = scf.if
// CHECK:           scf.while
// CHECK:         %[[Y:.*]] = math.copysign %[[REST]], %{{.*}} : vector<8xf64>
// CHECK-NEXT:    func.return %[[Y]]
func.func @remainder(%a: vector<8xf64>, %b: vector<8xf64>) -> vector<8xf64> {
  %y = arith.remf %a, %b : vector<8xf64>
  func.return %y : vector<8xf64>
}

// A subtrahend of which nothing is left in the integer is not subtracted: 256 is 0 in the last 8 bits, and not in 16.
// CHECK-LABEL: func.func @last_bits(
// CHECK-SAME: %[[N:.*]]: i32, %[[M:.*]]: vector<4xi32>)
// CHECK: %[[D:.*]] = arith.subi %[[N]]
// CHECK: arith.trunci %[[N]] : i32 to i8
// CHECK: arith.trunci %[[D]] : i32 to i16
// CHECK: arith.trunci %[[M]] : vector<4xi32> to vector<4xi8>
// CHECK: %[[E:.*]] = arith.subi %[[M]]
// CHECK: arith.trunci %[[E]] : vector<4xi32> to vector<4xi8>
// CHECK: return
func.func @last_bits(%n: i32, %m: vector<4xi32>) -> (i8, i16, vector<4xi8>, vector<4xi8>) {
  %c = arith.constant 256 : i32
  %d = arith.subi %n, %c : i32
  %0 = arith.trunci %d : i32 to i8
  %1 = arith.trunci %d : i32 to i16
  %v = arith.constant dense<1262485504> : vector<4xi32>
  %e = arith.subi %m, %v : vector<4xi32>
  %2 = arith.trunci %e : vector<4xi32> to vector<4xi8>
  %w = arith.constant dense<1262485503> : vector<4xi32>
  %f = arith.subi %m, %w : vector<4xi32>
  %3 = arith.trunci %f : vector<4xi32> to vector<4xi8>
  return %0, %1, %2, %3 : i8, i16, vector<4xi8>, vector<4xi8>
}
