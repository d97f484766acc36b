// RUN: relax-opt %s -p 'expand-math{target=x86-64}' | filecheck %s --check-prefixes=CHECK,PLAIN
// RUN: relax-opt %s -p 'expand-math{target=x86-64-v3}' | filecheck %s --check-prefixes=CHECK,FUSED
// RUN: relax-opt %s -p 'expand-math{target=sapphirerapids}' | filecheck %s --check-prefixes=BF16
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

// Two factors scale a result; the second one is a constant where the first one does not overflow.
// CHECK-LABEL: @any_exponential
// FUSED-COUNT-2: arith.shli
// CHECK: func.return
func.func @any_exponential(%x: vector<4xf32>) -> vector<4xf32> {
  %y = math.exp %x : vector<4xf32>
  func.return %y : vector<4xf32>
}

// CHECK-LABEL: @exponential_of_not_positive
// CHECK: %[[SMALL:.*]] = arith.constant dense<5.42101086e-20> : vector<4xf32>
// CHECK: arith.shli
// CHECK-NOT: arith.shli
// CHECK: %[[P:.*]] = arith.mulf
// CHECK-NEXT: %[[Y:.*]] = arith.mulf %[[P]], %[[SMALL]]
// CHECK-NEXT: func.return %[[Y]]
func.func @exponential_of_not_positive(%x: vector<4xf32>) -> vector<4xf32> {
  %y = math.exp %x {relax.not_positive} : vector<4xf32>
  func.return %y : vector<4xf32>
}

// From 1 on erf is 1 less the square of a polynomial, rounded once; nothing is an exponential.
// CHECK-LABEL: @error_function
// FUSED-NOT: arith.shli
// FUSED: %[[N:.*]] = arith.negf %[[ROOT:.*]] : vector<4xf32>
// FUSED-NEXT: %[[LARGE:.*]] = math.fma %[[N]], %[[ROOT]], %{{.*}} : vector<4xf32>
// FUSED-NOT: arith.shli
// FUSED: %[[Y:.*]] = arith.select %{{.*}}, %{{.*}}, %[[LARGE]]
// FUSED-NEXT: math.copysign %[[Y]], %x
// CHECK: func.return
func.func @error_function(%x: vector<4xf32>) -> vector<4xf32> {
  %y = math.erf %x : vector<4xf32>
  func.return %y : vector<4xf32>
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

// Integers of few bits that become numbers again are not made; with another zero point, or bounds that do not fit, they are.
// CHECK-LABEL: @rounded_number
// CHECK: %[[R:.*]] = arith.addf
// CHECK: %[[Y:.*]] = arith.subf %[[R]], %{{.*}} : vector<4xf32>
// CHECK-COUNT-2: arith.sitofp
// CHECK: return %[[Y]], %{{.*}}
func.func @rounded_number(%x: vector<4xf32>) -> (vector<4xf32>, vector<4xf32>, vector<4xf32>) {
  %least = arith.constant dense<-38.4> : vector<4xf32>
  %greatest = arith.constant dense<38.1> : vector<4xf32>
  %scale = arith.constant dense<0.3> : vector<4xf32>
  %rounder = arith.constant dense<12582912.0> : vector<4xf32>
  %shift = arith.constant dense<1262485376> : vector<4xi32>
  %zero_point = arith.constant dense<128> : vector<4xi32>
  %other = arith.constant dense<127> : vector<4xi32>
  %0 = arith.maxnumf %x, %least : vector<4xf32>
  %1 = arith.minnumf %0, %greatest : vector<4xf32>
  %2 = arith.divf %1, %scale : vector<4xf32>
  %3 = arith.addf %2, %rounder : vector<4xf32>
  %4 = arith.bitcast %3 : vector<4xf32> to vector<4xi32>
  %5 = arith.subi %4, %shift : vector<4xi32>
  %6 = arith.trunci %5 : vector<4xi32> to vector<4xi8>
  %7 = arith.extui %6 : vector<4xi8> to vector<4xi32>
  %8 = arith.subi %7, %zero_point : vector<4xi32>
  %9 = arith.sitofp %8 : vector<4xi32> to vector<4xf32>
  %10 = arith.subi %7, %other : vector<4xi32>
  %11 = arith.sitofp %10 : vector<4xi32> to vector<4xf32>
  %beyond = arith.constant dense<1262485304> : vector<4xi32>
  %far = arith.constant dense<200> : vector<4xi32>
  %12 = arith.subi %4, %beyond : vector<4xi32>
  %13 = arith.trunci %12 : vector<4xi32> to vector<4xi8>
  %14 = arith.extui %13 : vector<4xi8> to vector<4xi32>
  %15 = arith.subi %14, %far : vector<4xi32>
  %16 = arith.sitofp %15 : vector<4xi32> to vector<4xf32>
  func.return %9, %11, %16 : vector<4xf32>, vector<4xf32>, vector<4xf32>
}

// An instruction rounds vectors of its width to bf16, unless a lane is subnormal: it would make 0 of that. All else is rounded by integers.
// CHECK-LABEL: @rounded_to_bf16
// CHECK-NOT: llvm.call_intrinsic
// BF16-LABEL: @rounded_to_bf16
// BF16: %[[SUBNORMAL:.*]] = llvm.call_intrinsic "llvm.x86.avx512.fpclass.ps.512"(%x, %{{.*}}) : (vector<16xf32>, i32) -> vector<16xi1>
// BF16-NEXT: %[[ANY:.*]] = vector.reduction <or>, %[[SUBNORMAL]] : vector<16xi1> into i1
// BF16-NEXT: %[[Y:.*]] = scf.if %[[ANY]] -> (vector<16xbf16>) {
// BF16:        %[[SLOW:.*]] = arith.bitcast %{{.*}} : vector<16xi16> to vector<16xbf16>
// BF16-NEXT:   scf.yield %[[SLOW]] : vector<16xbf16>
// BF16-NEXT: } else {
// BF16-NEXT:   %[[FAST:.*]] = llvm.call_intrinsic "llvm.x86.avx512bf16.cvtneps2bf16.512"(%x) : (vector<16xf32>) -> vector<16xbf16>
// BF16-NEXT:   scf.yield %[[FAST]] : vector<16xbf16>
// BF16-NOT:  llvm.call_intrinsic
// BF16: func.return %[[Y]], %{{.*}}, %{{.*}}
func.func @rounded_to_bf16(%x: vector<16xf32>, %y: vector<8xf32>, %z: f32) -> (vector<16xbf16>, vector<8xbf16>, bf16) {
  %0 = arith.truncf %x : vector<16xf32> to vector<16xbf16>
  %1 = arith.truncf %y : vector<8xf32> to vector<8xbf16>
  %2 = arith.truncf %z : f32 to bf16
  func.return %0, %1, %2 : vector<16xbf16>, vector<8xbf16>, bf16
}
