// RUN: relax-opt %s -p 'expand-math{target=x86-64}' | filecheck %s --check-prefixes=CHECK,PLAIN
// RUN: relax-opt %s -p 'expand-math{target=x86-64-v3}' | filecheck %s --check-prefixes=CHECK,FUSED
// RUN: relax-opt %s -p 'expand-math{target=aarch64-generic}' | filecheck %s --check-prefixes=CHECK,FUSED

// Contractions accumulate by a product and a sum where there is no instruction for both.
// CHECK-LABEL: @accumulate
// PLAIN: %[[P:.*]] = arith.mulf %x, %y : vector<4xf32>
// PLAIN-NEXT: %[[S:.*]] = arith.addf %[[P]], %z : vector<4xf32>
// PLAIN-NEXT: func.return %[[S]]
// FUSED: %[[S:.*]] = vector.fma %x, %y, %z : vector<4xf32>
// FUSED-NEXT: func.return %[[S]]
func.func @accumulate(%x: vector<4xf32>, %y: vector<4xf32>, %z: vector<4xf32>) -> vector<4xf32> {
  %s = vector.fma %x, %y, %z : vector<4xf32>
  func.return %s : vector<4xf32>
}

// Polynomials too; what must be exact is computed in f64.
// CHECK-LABEL: @exponential
// PLAIN: arith.extf %{{.*}} : f32 to f64
// PLAIN-NOT: math.fma
// FUSED-NOT: f64
// FUSED: math.fma
// FUSED-NOT: f64
// CHECK: func.return
func.func @exponential(%x: f32) -> f32 {
  %y = math.exp %x : f32
  func.return %y : f32
}

// A program's own is rounded once everywhere.
// CHECK-LABEL: @exact
// CHECK: math.fma %x, %y, %z : f32
func.func @exact(%x: f32, %y: f32, %z: f32) -> f32 {
  %s = math.fma %x, %y, %z : f32
  func.return %s : f32
}

// A bounded quotient by a constant that is rounded to an integer is a product by the reciprocal in two parts; others are divided.
// CHECK-LABEL: @rounded_quotient
// PLAIN: arith.divf
// FUSED-NOT: arith.divf
// FUSED: %[[L:.*]] = arith.mulf %[[X:.*]], %{{.*}} : vector<4xf32>
// FUSED-NEXT: %[[Q:.*]] = math.fma %[[X]], %{{.*}}, %[[L]] : vector<4xf32>
// FUSED: arith.addf %[[Q]]
func.func @rounded_quotient(%x: vector<4xf32>) -> vector<4xf32> {
  %s = arith.constant dense<0.3> : vector<4xf32>
  %low = arith.constant dense<-38.4> : vector<4xf32>
  %high = arith.constant dense<38.1> : vector<4xf32>
  %0 = arith.maxnumf %x, %low : vector<4xf32>
  %1 = arith.minnumf %0, %high : vector<4xf32>
  %q = arith.divf %1, %s : vector<4xf32>
  %m = arith.constant dense<12582912.0> : vector<4xf32>
  %r = arith.addf %q, %m : vector<4xf32>
  func.return %r : vector<4xf32>
}

// CHECK-LABEL: @other_quotients
// CHECK-COUNT-4: arith.divf
func.func @other_quotients(%x: f32, %y: f32) -> (f32, f32, f32, f32) {
  %s = arith.constant 0.3 : f32
  %low = arith.constant -38.4 : f32
  %high = arith.constant 38.1 : f32
  %m = arith.constant 12582912.0 : f32
  %0 = arith.maxnumf %x, %low : f32
  %1 = arith.minnumf %0, %high : f32
  %a = arith.divf %x, %s : f32
  %ra = arith.addf %a, %m : f32
  %b = arith.divf %1, %y : f32
  %rb = arith.addf %b, %m : f32
  %c = arith.divf %1, %s : f32
  %d = arith.divf %1, %s : f32
  %rd = arith.addf %d, %m : f32
  %e = arith.addf %rd, %d : f32
  func.return %ra, %rb, %c, %e : f32, f32, f32, f32
}
