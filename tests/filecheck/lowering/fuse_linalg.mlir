// RUN: relax-opt %s -p fuse-linalg | filecheck %s

// CHECK-LABEL: func.func @chain(
// CHECK-SAME: %[[X:[a-z]+]]: tensor<4x8xf32>, %[[B:[a-z]+]]: tensor<8xf32>)
// CHECK: %[[R:.*]] = linalg.generic {{.*}} ins(%[[X]], %[[B]] : tensor<4x8xf32>, tensor<8xf32>)
// CHECK-DAG: %[[S:.*]] = arith.addf
// CHECK-DAG: math.exp %[[S]]
// CHECK-NOT: linalg.generic
// CHECK: func.return %[[R]]
func.func @chain(%x: tensor<4x8xf32>, %b: tensor<8xf32>) -> tensor<4x8xf32> {
  %e = tensor.empty() : tensor<4x8xf32>
  %a = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%x, %b : tensor<4x8xf32>, tensor<8xf32>) outs(%e : tensor<4x8xf32>) {
  ^bb0(%0: f32, %1: f32, %2: f32):
    %q = arith.addf %0, %1 : f32
    linalg.yield %q : f32
  } -> tensor<4x8xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%a : tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) {
  ^bb0(%0: f32, %1: f32):
    %q = math.exp %0 : f32
    linalg.yield %q : f32
  } -> tensor<4x8xf32>
  return %r : tensor<4x8xf32>
}

// A costly producer whose elements are read many times stays.
// CHECK-LABEL: func.func @broadcast_of_costly(
// CHECK: linalg.generic
// CHECK: math.exp
// CHECK: linalg.generic
func.func @broadcast_of_costly(%x: tensor<4x8xf32>, %b: tensor<8xf32>) -> tensor<4x8xf32> {
  %e = tensor.empty() : tensor<4x8xf32>
  %f = tensor.empty() : tensor<8xf32>
  %a = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%b : tensor<8xf32>) outs(%f : tensor<8xf32>) {
  ^bb0(%0: f32, %1: f32):
    %q = math.exp %0 : f32
    linalg.yield %q : f32
  } -> tensor<8xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%x, %a : tensor<4x8xf32>, tensor<8xf32>) outs(%e : tensor<4x8xf32>) {
  ^bb0(%0: f32, %1: f32, %2: f32):
    %q = arith.addf %0, %1 : f32
    linalg.yield %q : f32
  } -> tensor<4x8xf32>
  return %r : tensor<4x8xf32>
}

// So does one that a few channels are gathered from, but not in front of a sum to as many.
// CHECK-LABEL: func.func @channels_last(
// CHECK: linalg.generic
// CHECK: math.exp
// CHECK: linalg.generic
// CHECK-NOT: math.exp
// CHECK: linalg.generic
// CHECK: math.exp
// CHECK-NEXT: arith.addf
func.func @channels_last(%x: tensor<3x64xf32>) -> (tensor<64x3xf32>, tensor<3xf32>) {
  %e = tensor.empty() : tensor<3x64xf32>
  %f = tensor.empty() : tensor<64x3xf32>
  %g = tensor.empty() : tensor<3xf32>
  %a = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<3x64xf32>) outs(%e : tensor<3x64xf32>) {
  ^bb0(%0: f32, %1: f32):
    %q = math.exp %0 : f32
    linalg.yield %q : f32
  } -> tensor<3x64xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d1, d0)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%a : tensor<3x64xf32>) outs(%f : tensor<64x3xf32>) {
  ^bb0(%0: f32, %1: f32):
    linalg.yield %0 : f32
  } -> tensor<64x3xf32>
  %b = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<3x64xf32>) outs(%e : tensor<3x64xf32>) {
  ^bb0(%0: f32, %1: f32):
    %q = math.exp %0 : f32
    linalg.yield %q : f32
  } -> tensor<3x64xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel", "reduction"]} ins(%b : tensor<3x64xf32>) outs(%g : tensor<3xf32>) {
  ^bb0(%0: f32, %1: f32):
    %q = arith.addf %1, %0 : f32
    linalg.yield %q : f32
  } -> tensor<3xf32>
  return %r, %s : tensor<64x3xf32>, tensor<3xf32>
}

// A filled operand that is only read becomes its scalar.
// CHECK-LABEL: func.func @fill(
// CHECK-SAME: %[[X:[a-z]+]]: tensor<4xf32>, %[[F:[a-z]+]]: f32)
// CHECK-NOT: linalg.fill
// CHECK: arith.maximumf %{{.*}}, %[[F]]
func.func @fill(%x: tensor<4xf32>, %f: f32) -> tensor<4xf32> {
  %e = tensor.empty() : tensor<4xf32>
  %a = linalg.fill ins(%f : f32) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%x, %a : tensor<4xf32>, tensor<4xf32>) outs(%e : tensor<4xf32>) {
  ^bb0(%0: f32, %1: f32, %2: f32):
    %q = arith.maximumf %0, %1 : f32
    linalg.yield %q : f32
  } -> tensor<4xf32>
  return %r : tensor<4xf32>
}

// A triangle of bits is computed of indices alone: each of its readers does it again.
// CHECK-LABEL: func.func @triangle(
// CHECK:       linalg.generic
// CHECK:       arith.cmpi sle
// CHECK:       arith.select
// CHECK:       linalg.generic
// CHECK:       arith.cmpi sle
// CHECK:       arith.negf
// CHECK-NOT:   linalg.generic
func.func @triangle(%x: tensor<4x8xf32>, %y: tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>) {
  %f = tensor.empty() : tensor<4x8xi1>
  %t = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} outs(%f : tensor<4x8xi1>) {
  ^bb0(%o: i1):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %k = arith.constant 2 : index
    %d = arith.addi %i, %k : index
    %c = arith.cmpi sle, %j, %d : index
    %true = arith.constant true
    %n = arith.andi %c, %true : i1
    linalg.yield %n : i1
  } -> tensor<4x8xi1>
  %e = tensor.empty() : tensor<4x8xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%t, %x : tensor<4x8xi1>, tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) {
  ^bb0(%b: i1, %v: f32, %o: f32):
    %z = arith.constant 0.0 : f32
    %s = arith.select %b, %v, %z : f32
    linalg.yield %s : f32
  } -> tensor<4x8xf32>
  %q = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%t, %y : tensor<4x8xi1>, tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) {
  ^bb0(%b: i1, %v: f32, %o: f32):
    %z = arith.negf %v : f32
    %s = arith.select %b, %v, %z : f32
    linalg.yield %s : f32
  } -> tensor<4x8xf32>
  return %r, %q : tensor<4x8xf32>, tensor<4x8xf32>
}
