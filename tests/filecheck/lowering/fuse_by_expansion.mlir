// RUN: relax-opt %s -p fuse-by-expansion --split-input-file | filecheck %s

#sum = affine_map<(g, o, x, c) -> (g, o, x)>
#image = affine_map<(g, o, x, c) -> (g, c, x)>
#kernel = affine_map<(g, o, x, c) -> (g, o, c)>
#id = affine_map<(o, x) -> (o, x)>
#row = affine_map<(o, x) -> (o)>
#first = affine_map<(o, x) -> (o, 0)>
#column = affine_map<(o, x) -> (x)>

// What follows a contraction in groups, and what follows that, has the groups as well; operands are split as the result is.
// CHECK-LABEL: func.func @epilogue(
// CHECK-SAME:    %{{.*}}, %{{.*}}, %[[BIAS:[a-z0-9_]+]]: tensor<6xf32>, %[[SCALE:[a-z0-9_]+]]: tensor<?xf32>, %[[OTHER:[a-z0-9_]+]]: tensor<6x?xf32>, %[[FIRST:[a-z0-9_]+]]: tensor<6x1xf32>,
// CHECK:         %[[CONV:.*]] = linalg.generic
// CHECK:         %[[SIZE:.*]] = tensor.dim %[[CONV]], %{{.*}}
// CHECK:         %[[B:.*]] = tensor.expand_shape %[[BIAS]] {{\[\[0 : i64, 1 : i64\]\]}} output_shape [2, 3] : tensor<6xf32> into tensor<2x3xf32>
// CHECK:         %[[EMPTY:.*]] = tensor.empty(%[[SIZE]]) : tensor<2x3x?xf32>
// CHECK:         %[[SUM:.*]] = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1)>, affine_map<(d0, d1, d2) -> (d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%[[CONV]], %[[B]], %[[SCALE]] : {{.*}}) outs(%[[EMPTY]] :
// CHECK:         %[[R:.*]] = tensor.expand_shape %[[OTHER]] {{\[\[0 : i64, 1 : i64\], \[2 : i64\]\]}} output_shape [2, 3, %{{.*}}] : tensor<6x?xf32> into tensor<2x3x?xf32>
// CHECK:         %[[F:.*]] = tensor.expand_shape %[[FIRST]] {{\[\[0 : i64, 1 : i64\], \[2 : i64\]\]}} output_shape [2, 3, 1] : tensor<6x1xf32> into tensor<2x3x1xf32>
// CHECK:         %[[TOTAL:.*]] = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, 0)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], {{.*}} ins(%[[R]], %[[SUM]], %[[F]] :
// CHECK:         %[[RESULT:.*]] = tensor.collapse_shape %[[TOTAL]]
// CHECK:         return %[[RESULT]] : tensor<6x?xf32>
func.func @epilogue(%x: tensor<2x4x?xf32>, %w: tensor<2x3x4xf32>, %bias: tensor<6xf32>, %scale: tensor<?xf32>, %other: tensor<6x?xf32>, %firsts: tensor<6x1xf32>, %c: tensor<2x3x?xf32>, %e: tensor<6x?xf32>) -> tensor<6x?xf32> {
  %conv = linalg.generic {indexing_maps = [#image, #kernel, #sum], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%x, %w : tensor<2x4x?xf32>, tensor<2x3x4xf32>) outs(%c : tensor<2x3x?xf32>) {
  ^bb0(%a: f32, %k: f32, %s: f32):
    %m = arith.mulf %a, %k : f32
    %t = arith.addf %s, %m : f32
    linalg.yield %t : f32
  } -> tensor<2x3x?xf32>
  %j = tensor.collapse_shape %conv [[0, 1], [2]] : tensor<2x3x?xf32> into tensor<6x?xf32>
  %y = linalg.generic {indexing_maps = [#id, #row, #column, #id], iterator_types = ["parallel", "parallel"]} ins(%j, %bias, %scale : tensor<6x?xf32>, tensor<6xf32>, tensor<?xf32>) outs(%e : tensor<6x?xf32>) {
  ^bb0(%a: f32, %k: f32, %f: f32, %o: f32):
    %m = arith.mulf %a, %f : f32
    %t = arith.addf %m, %k : f32
    linalg.yield %t : f32
  } -> tensor<6x?xf32>
  %z = linalg.generic {indexing_maps = [#id, #id, #first, #id], iterator_types = ["parallel", "parallel"]} ins(%other, %y, %firsts : tensor<6x?xf32>, tensor<6x?xf32>, tensor<6x1xf32>) outs(%e : tensor<6x?xf32>) {
  ^bb0(%a: f32, %k: f32, %f: f32, %o: f32):
    %m = arith.mulf %k, %f : f32
    %t = arith.addf %m, %a : f32
    linalg.yield %t : f32
  } -> tensor<6x?xf32>
  return %z : tensor<6x?xf32>
}

// -----

#id = affine_map<(o, x) -> (o, x)>
#turned = affine_map<(o, x) -> (x, o)>
#sum = affine_map<(g, o, x, c) -> (g, o, x)>
#image = affine_map<(g, o, x, c) -> (g, c, x)>
#kernel = affine_map<(g, o, x, c) -> (g, o, c)>

// A transposed read, an op that adds to its output, the number of a loop, and sizes that are not known: these stay.
// CHECK-LABEL: func.func @others(
// CHECK-NOT:     tensor.expand_shape
func.func @others(%x: tensor<2x4x5xf32>, %w: tensor<2x3x4xf32>, %c: tensor<2x3x5xf32>, %t: tensor<5x6xf32>, %e: tensor<6x5xf32>) -> (tensor<5x6xf32>, tensor<6x5xf32>, tensor<6x5xf32>) {
  %conv = linalg.generic {indexing_maps = [#image, #kernel, #sum], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%x, %w : tensor<2x4x5xf32>, tensor<2x3x4xf32>) outs(%c : tensor<2x3x5xf32>) {
  ^bb0(%a: f32, %k: f32, %s: f32):
    %m = arith.mulf %a, %k : f32
    %d = arith.addf %s, %m : f32
    linalg.yield %d : f32
  } -> tensor<2x3x5xf32>
  %j = tensor.collapse_shape %conv [[0, 1], [2]] : tensor<2x3x5xf32> into tensor<6x5xf32>
  %u = linalg.generic {indexing_maps = [#turned, #id], iterator_types = ["parallel", "parallel"]} ins(%j : tensor<6x5xf32>) outs(%t : tensor<5x6xf32>) {
  ^bb0(%a: f32, %o: f32):
    %n = arith.negf %a : f32
    linalg.yield %n : f32
  } -> tensor<5x6xf32>
  %v = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%j : tensor<6x5xf32>) outs(%e : tensor<6x5xf32>) {
  ^bb0(%a: f32, %o: f32):
    %n = arith.addf %a, %o : f32
    linalg.yield %n : f32
  } -> tensor<6x5xf32>
  %i = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%j : tensor<6x5xf32>) outs(%e : tensor<6x5xf32>) {
  ^bb0(%a: f32, %o: f32):
    %k = linalg.index 0 : index
    %l = arith.index_cast %k : index to i32
    %f = arith.sitofp %l : i32 to f32
    %n = arith.addf %a, %f : f32
    linalg.yield %n : f32
  } -> tensor<6x5xf32>
  return %u, %v, %i : tensor<5x6xf32>, tensor<6x5xf32>, tensor<6x5xf32>
}

// -----

#id = affine_map<(o, x) -> (o, x)>
#sum = affine_map<(g, o, x, c) -> (g, o, x)>
#image = affine_map<(g, o, x, c) -> (g, c, x)>
#kernel = affine_map<(g, o, x, c) -> (g, o, c)>

// CHECK-LABEL: func.func @unknown_groups(
// CHECK-NOT:     tensor.expand_shape
func.func @unknown_groups(%x: tensor<?x4x5xf32>, %w: tensor<?x3x4xf32>, %c: tensor<?x3x5xf32>, %e: tensor<?x5xf32>) -> tensor<?x5xf32> {
  %conv = linalg.generic {indexing_maps = [#image, #kernel, #sum], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%x, %w : tensor<?x4x5xf32>, tensor<?x3x4xf32>) outs(%c : tensor<?x3x5xf32>) {
  ^bb0(%a: f32, %k: f32, %s: f32):
    %m = arith.mulf %a, %k : f32
    %d = arith.addf %s, %m : f32
    linalg.yield %d : f32
  } -> tensor<?x3x5xf32>
  %j = tensor.collapse_shape %conv [[0, 1], [2]] : tensor<?x3x5xf32> into tensor<?x5xf32>
  %v = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%j : tensor<?x5xf32>) outs(%e : tensor<?x5xf32>) {
  ^bb0(%a: f32, %o: f32):
    %n = arith.negf %a : f32
    linalg.yield %n : f32
  } -> tensor<?x5xf32>
  return %v : tensor<?x5xf32>
}

// -----

#id = affine_map<(o, x) -> (o, x)>
#sum = affine_map<(g, o, x, c) -> (g, o, x)>
#image = affine_map<(g, o, x, c) -> (g, c, x)>
#kernel = affine_map<(g, o, x, c) -> (g, o, c)>

// Views do not make sizes known or unknown: operands and results that know others than the contraction stay as they are.
// CHECK-LABEL: func.func @sizes_known_elsewhere(
// CHECK-NOT:     tensor.expand_shape
func.func @sizes_known_elsewhere(%x: tensor<2x4x5xf32>, %w: tensor<2x3x4xf32>, %c: tensor<2x3x5xf32>, %r: tensor<?x?xf32>, %e: tensor<6x5xf32>, %f: tensor<?x?xf32>) -> (tensor<6x5xf32>, tensor<?x?xf32>) {
  %conv = linalg.generic {indexing_maps = [#image, #kernel, #sum], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%x, %w : tensor<2x4x5xf32>, tensor<2x3x4xf32>) outs(%c : tensor<2x3x5xf32>) {
  ^bb0(%a: f32, %k: f32, %s: f32):
    %m = arith.mulf %a, %k : f32
    %d = arith.addf %s, %m : f32
    linalg.yield %d : f32
  } -> tensor<2x3x5xf32>
  %j = tensor.collapse_shape %conv [[0, 1], [2]] : tensor<2x3x5xf32> into tensor<6x5xf32>
  %u = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]} ins(%j, %r : tensor<6x5xf32>, tensor<?x?xf32>) outs(%e : tensor<6x5xf32>) {
  ^bb0(%a: f32, %k: f32, %o: f32):
    %n = arith.addf %a, %k : f32
    linalg.yield %n : f32
  } -> tensor<6x5xf32>
  %v = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%j : tensor<6x5xf32>) outs(%f : tensor<?x?xf32>) {
  ^bb0(%a: f32, %o: f32):
    %n = arith.negf %a : f32
    linalg.yield %n : f32
  } -> tensor<?x?xf32>
  return %u, %v : tensor<6x5xf32>, tensor<?x?xf32>
}

// -----

#id = affine_map<(o, x) -> (o, x)>
#sum = affine_map<(g, o, x, c) -> (g, o, x)>
#image = affine_map<(g, o, x, c) -> (g, c, x)>
#kernel = affine_map<(g, o, x, c) -> (g, o, c)>

// CHECK-LABEL: func.func @operand_knows_more(
// CHECK-NOT:     tensor.expand_shape
func.func @operand_knows_more(%x: tensor<2x4x?xf32>, %w: tensor<2x3x4xf32>, %c: tensor<2x3x?xf32>, %r: tensor<6x5xf32>, %e: tensor<6x?xf32>) -> tensor<6x?xf32> {
  %conv = linalg.generic {indexing_maps = [#image, #kernel, #sum], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%x, %w : tensor<2x4x?xf32>, tensor<2x3x4xf32>) outs(%c : tensor<2x3x?xf32>) {
  ^bb0(%a: f32, %k: f32, %s: f32):
    %m = arith.mulf %a, %k : f32
    %d = arith.addf %s, %m : f32
    linalg.yield %d : f32
  } -> tensor<2x3x?xf32>
  %j = tensor.collapse_shape %conv [[0, 1], [2]] : tensor<2x3x?xf32> into tensor<6x?xf32>
  %u = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]} ins(%j, %r : tensor<6x?xf32>, tensor<6x5xf32>) outs(%e : tensor<6x?xf32>) {
  ^bb0(%a: f32, %k: f32, %o: f32):
    %n = arith.addf %a, %k : f32
    linalg.yield %n : f32
  } -> tensor<6x?xf32>
  return %u : tensor<6x?xf32>
}
