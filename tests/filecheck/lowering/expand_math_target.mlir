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
