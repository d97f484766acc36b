// RUN: relax-opt %s -p 'tile-attention{cache=65536}' | filecheck %s
// RUN: relax-opt %s -p 'tile-attention{cache=65536},tile-attention{cache=65536}' | filecheck %s
// RUN: relax-opt %s -p 'tile-attention{cache=65536}' --remarks -o %t 2>&1 | grep loops: | filecheck %s --check-prefix REMARKS

#q = affine_map<(h, i, j, d) -> (h, i, d)>
#k = affine_map<(h, i, j, d) -> (h, j, d)>
#scores = affine_map<(h, i, j, d) -> (h, i, j)>
#all = affine_map<(h, i, j) -> (h, i, j)>
#row = affine_map<(h, i, j) -> (h, i)>
#p = affine_map<(h, i, d, j) -> (h, i, j)>
#v = affine_map<(h, i, d, j) -> (h, j, d)>
#o = affine_map<(h, i, d, j) -> (h, i, d)>

// Two blocks of 60 rows of each head: the scores of one are 60 * 256 * 4 bytes. What is alike for all rows and heads is read as it is.
// REMARKS: remark: loops: linalg.generic ({{.*}}) and what follows it are computed for 60 rows at a time
// CHECK-LABEL: func.func @even(
// CHECK-SAME:    %[[Q:[a-z]+]]: tensor<3x120x8xf32>, %[[K:[a-z]+]]: tensor<3x256x8xf32>, %[[V:[a-z]+]]: tensor<3x256x8xf32>, %[[MASK:[a-z]+]]: tensor<1x256xf32>)
// CHECK:         %[[EMPTY:.*]] = tensor.empty() : tensor<3x120x8xf32>
// CHECK:         %[[R:.*]] = scf.for %[[H:[0-9a-z]+]] = %{{.*}} iter_args(%[[OUTER:.*]] = %[[EMPTY]]) -> (tensor<3x120x8xf32>) {
// CHECK:           %[[STEP:.*]] = arith.constant 60 : index
// CHECK-NEXT:      %[[ROWS:.*]] = scf.for %[[I:[0-9a-z]+]] = %{{.*}} to %{{.*}} step %[[STEP]] iter_args(%[[INNER:.*]] = %[[OUTER]]) -> (tensor<3x120x8xf32>) {
// CHECK-NEXT:        %[[QI:.*]] = tensor.extract_slice %[[Q]][%[[H]], %[[I]], 0] [1, 60, 8] [1, 1, 1]
// CHECK-NEXT:        %[[KH:.*]] = tensor.extract_slice %[[K]][%[[H]], 0, 0] [1, 256, 8] [1, 1, 1]
// CHECK:             linalg.generic {{.*}} ins(%[[QI]], %[[KH]] : tensor<1x60x8xf32>, tensor<1x256x8xf32>) outs(%{{.*}} : tensor<1x60x256xf32>)
// CHECK:             linalg.generic {{.*}} ins(%{{.*}}, %[[MASK]] : tensor<1x60x256xf32>, tensor<1x256xf32>) outs(%{{.*}} : tensor<1x60x256xf32>)
// CHECK:             linalg.generic {{.*}} outs(%{{.*}} : tensor<1x60xf32>)
// CHECK:             %[[VH:.*]] = tensor.extract_slice %[[V]][%[[H]], 0, 0] [1, 256, 8] [1, 1, 1]
// CHECK:             %[[O:.*]] = linalg.generic {{.*}} ins(%{{.*}}, %[[VH]] : tensor<1x60x256xf32>, tensor<1x256x8xf32>) outs(%{{.*}} : tensor<1x60x8xf32>)
// CHECK:             %[[NEXT:.*]] = tensor.insert_slice %[[O]] into %[[INNER]][%[[H]], %[[I]], 0] [1, 60, 8] [1, 1, 1]
// CHECK-NEXT:        scf.yield %[[NEXT]]
// CHECK-NEXT:      } {relax.independent}

// CHECK-NEXT:      scf.yield %[[ROWS]]
// CHECK-NEXT:    } {relax.independent}

// CHECK-NEXT:    return %[[R]]
func.func @even(%q: tensor<3x120x8xf32>, %k: tensor<3x256x8xf32>, %v: tensor<3x256x8xf32>, %mask: tensor<1x256xf32>) -> tensor<3x120x8xf32> {
  %zero = arith.constant 0.0 : f32
  %lowest = arith.constant -3.0e38 : f32
  %e0 = tensor.empty() : tensor<3x120x256xf32>
  %f0 = linalg.fill ins(%zero : f32) outs(%e0 : tensor<3x120x256xf32>) -> tensor<3x120x256xf32>
  %s = linalg.generic {indexing_maps = [#q, #k, #scores], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%q, %k : tensor<3x120x8xf32>, tensor<3x256x8xf32>) outs(%f0 : tensor<3x120x256xf32>) {
  ^bb0(%a: f32, %b: f32, %acc: f32):
    %m = arith.mulf %a, %b : f32
    %n = arith.addf %acc, %m : f32
    linalg.yield %n : f32
  } -> tensor<3x120x256xf32>
  %e1 = tensor.empty() : tensor<3x120x256xf32>
  %t = linalg.generic {indexing_maps = [#all, affine_map<(h, i, j) -> (0, j)>, #all], iterator_types = ["parallel", "parallel", "parallel"]} ins(%s, %mask : tensor<3x120x256xf32>, tensor<1x256xf32>) outs(%e1 : tensor<3x120x256xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %x = arith.addf %a, %b : f32
    linalg.yield %x : f32
  } -> tensor<3x120x256xf32>
  %e2 = tensor.empty() : tensor<3x120xf32>
  %f2 = linalg.fill ins(%lowest : f32) outs(%e2 : tensor<3x120xf32>) -> tensor<3x120xf32>
  %top = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "parallel", "reduction"]} ins(%t : tensor<3x120x256xf32>) outs(%f2 : tensor<3x120xf32>) {
  ^bb0(%a: f32, %acc: f32):
    %n = arith.maximumf %acc, %a : f32
    linalg.yield %n : f32
  } -> tensor<3x120xf32>
  %e3 = tensor.empty() : tensor<3x120x256xf32>
  %w = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel", "parallel"]} ins(%t, %top : tensor<3x120x256xf32>, tensor<3x120xf32>) outs(%e3 : tensor<3x120x256xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %n = arith.subf %a, %b : f32
    %x = math.exp %n : f32
    linalg.yield %x : f32
  } -> tensor<3x120x256xf32>
  %e4 = tensor.empty() : tensor<3x120x8xf32>
  %f4 = linalg.fill ins(%zero : f32) outs(%e4 : tensor<3x120x8xf32>) -> tensor<3x120x8xf32>
  %o = linalg.generic {indexing_maps = [#p, #v, #o], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%w, %v : tensor<3x120x256xf32>, tensor<3x256x8xf32>) outs(%f4 : tensor<3x120x8xf32>) {
  ^bb0(%a: f32, %b: f32, %acc: f32):
    %m = arith.mulf %a, %b : f32
    %n = arith.addf %acc, %m : f32
    linalg.yield %n : f32
  } -> tensor<3x120x8xf32>
  return %o : tensor<3x120x8xf32>
}

// 101 rows are a block of 51 and one of 50, whose indices go on from there. What compares them is not known to leave columns out.
// CHECK-LABEL: func.func @left_over(
// CHECK:         scf.for %[[H:[0-9a-z]+]] =
// CHECK:           %[[BEGIN:.*]] = arith.constant 51 : index
// CHECK:           scf.for
// CHECK:             linalg.generic {{.*}} outs(%{{.*}} : tensor<1x51x256xf32>)
// CHECK:           } {relax.independent}

// CHECK-NEXT:      tensor.extract_slice %q[%[[H]], 51, 0] [1, 50, 8] [1, 1, 1]
// CHECK:           linalg.generic {{.*}} outs(%{{.*}} : tensor<1x50x256xf32>)
// CHECK:             %[[I:.*]] = linalg.index 1
// CHECK-NEXT:        %[[ROW:.*]] = arith.addi %[[I]], %[[BEGIN]] : index
// CHECK-NEXT:        %[[J:.*]] = linalg.index 2
// CHECK-NEXT:        arith.cmpi sle, %[[J]], %[[ROW]] : index
// CHECK:           tensor.insert_slice %{{.*}} into %{{.*}}[%[[H]], 51, 0] [1, 50, 8] [1, 1, 1]
func.func @left_over(%q: tensor<3x101x8xf32>, %k: tensor<3x256x8xf32>, %v: tensor<3x256x8xf32>) -> tensor<3x101x8xf32> {
  %zero = arith.constant 0.0 : f32
  %lowest = arith.constant -3.0e38 : f32
  %e0 = tensor.empty() : tensor<3x101x256xf32>
  %f0 = linalg.fill ins(%zero : f32) outs(%e0 : tensor<3x101x256xf32>) -> tensor<3x101x256xf32>
  %s = linalg.generic {indexing_maps = [#q, #k, #scores], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%q, %k : tensor<3x101x8xf32>, tensor<3x256x8xf32>) outs(%f0 : tensor<3x101x256xf32>) {
  ^bb0(%a: f32, %b: f32, %acc: f32):
    %m = arith.mulf %a, %b : f32
    %n = arith.addf %acc, %m : f32
    linalg.yield %n : f32
  } -> tensor<3x101x256xf32>
  %e1 = tensor.empty() : tensor<3x101x256xf32>
  %t = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel", "parallel"]} ins(%s : tensor<3x101x256xf32>) outs(%e1 : tensor<3x101x256xf32>) {
  ^bb0(%a: f32, %out: f32):
    %i = linalg.index 1 : index
    %j = linalg.index 2 : index
    %seen = arith.cmpi sle, %j, %i : index
    %x = arith.select %seen, %a, %lowest : f32
    linalg.yield %x : f32
  } -> tensor<3x101x256xf32>
  %e2 = tensor.empty() : tensor<3x101xf32>
  %f2 = linalg.fill ins(%lowest : f32) outs(%e2 : tensor<3x101xf32>) -> tensor<3x101xf32>
  %top = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "parallel", "reduction"]} ins(%t : tensor<3x101x256xf32>) outs(%f2 : tensor<3x101xf32>) {
  ^bb0(%a: f32, %acc: f32):
    %n = arith.maximumf %acc, %a : f32
    linalg.yield %n : f32
  } -> tensor<3x101xf32>
  %e3 = tensor.empty() : tensor<3x101x256xf32>
  %w = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel", "parallel"]} ins(%t, %top : tensor<3x101x256xf32>, tensor<3x101xf32>) outs(%e3 : tensor<3x101x256xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %n = arith.subf %a, %b : f32
    %x = math.exp %n : f32
    linalg.yield %x : f32
  } -> tensor<3x101x256xf32>
  %e4 = tensor.empty() : tensor<3x101x8xf32>
  %f4 = linalg.fill ins(%zero : f32) outs(%e4 : tensor<3x101x8xf32>) -> tensor<3x101x8xf32>
  %o = linalg.generic {indexing_maps = [#p, #v, #o], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%w, %v : tensor<3x101x256xf32>, tensor<3x256x8xf32>) outs(%f4 : tensor<3x101x8xf32>) {
  ^bb0(%a: f32, %b: f32, %acc: f32):
    %m = arith.mulf %a, %b : f32
    %n = arith.addf %acc, %m : f32
    linalg.yield %n : f32
  } -> tensor<3x101x8xf32>
  return %o : tensor<3x101x8xf32>
}

// How many columns there are is not known: 64 rows go together, the last time those that are left.
// CHECK-LABEL: func.func @dynamic(
// CHECK:         %[[ROWS:.*]] = tensor.dim %q
// CHECK:         scf.for %[[H:[0-9a-z]+]] =
// CHECK:           %[[STEP:.*]] = arith.constant 64 : index
// CHECK-NEXT:      scf.for %[[I:[0-9a-z]+]] = %{{.*}} to %[[ROWS]] step %[[STEP]]
// CHECK:             %[[LEFT:.*]] = arith.subi %[[ROWS]], %[[I]] : index
// CHECK:             %[[SIZE:.*]] = arith.minsi %{{.*}}%[[LEFT]]
// CHECK:             tensor.extract_slice %q[%[[H]], %[[I]], 0] [1, %[[SIZE]], 8] [1, 1, 1] : tensor<3x?x8xf32> to tensor<1x?x8xf32>
// CHECK:             linalg.generic {{.*}} outs(%{{.*}} : tensor<1x?x?xf32>)
// CHECK:             tensor.insert_slice %{{.*}} into %{{.*}}[%[[H]], %[[I]], 0] [1, %[[SIZE]], 8] [1, 1, 1]
func.func @dynamic(%q: tensor<3x?x8xf32>, %k: tensor<3x?x8xf32>, %v: tensor<3x?x8xf32>) -> tensor<3x?x8xf32> {
  %zero = arith.constant 0.0 : f32
  %lowest = arith.constant -3.0e38 : f32
  %c1 = arith.constant 1 : index
  %rows = tensor.dim %q, %c1 : tensor<3x?x8xf32>
  %columns = tensor.dim %k, %c1 : tensor<3x?x8xf32>
  %e0 = tensor.empty(%rows, %columns) : tensor<3x?x?xf32>
  %f0 = linalg.fill ins(%zero : f32) outs(%e0 : tensor<3x?x?xf32>) -> tensor<3x?x?xf32>
  %s = linalg.generic {indexing_maps = [#q, #k, #scores], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%q, %k : tensor<3x?x8xf32>, tensor<3x?x8xf32>) outs(%f0 : tensor<3x?x?xf32>) {
  ^bb0(%a: f32, %b: f32, %acc: f32):
    %m = arith.mulf %a, %b : f32
    %n = arith.addf %acc, %m : f32
    linalg.yield %n : f32
  } -> tensor<3x?x?xf32>
  %e1 = tensor.empty(%rows, %columns) : tensor<3x?x?xf32>
  %t = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel", "parallel"]} ins(%s : tensor<3x?x?xf32>) outs(%e1 : tensor<3x?x?xf32>) {
  ^bb0(%a: f32, %out: f32):
    %x = arith.mulf %a, %lowest : f32
    linalg.yield %x : f32
  } -> tensor<3x?x?xf32>
  %e2 = tensor.empty(%rows) : tensor<3x?xf32>
  %f2 = linalg.fill ins(%lowest : f32) outs(%e2 : tensor<3x?xf32>) -> tensor<3x?xf32>
  %top = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "parallel", "reduction"]} ins(%t : tensor<3x?x?xf32>) outs(%f2 : tensor<3x?xf32>) {
  ^bb0(%a: f32, %acc: f32):
    %n = arith.maximumf %acc, %a : f32
    linalg.yield %n : f32
  } -> tensor<3x?xf32>
  %e3 = tensor.empty(%rows, %columns) : tensor<3x?x?xf32>
  %w = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel", "parallel"]} ins(%t, %top : tensor<3x?x?xf32>, tensor<3x?xf32>) outs(%e3 : tensor<3x?x?xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %n = arith.subf %a, %b : f32
    %x = math.exp %n : f32
    linalg.yield %x : f32
  } -> tensor<3x?x?xf32>
  %e4 = tensor.empty(%rows) : tensor<3x?x8xf32>
  %f4 = linalg.fill ins(%zero : f32) outs(%e4 : tensor<3x?x8xf32>) -> tensor<3x?x8xf32>
  %o = linalg.generic {indexing_maps = [#p, #v, #o], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%w, %v : tensor<3x?x?xf32>, tensor<3x?x8xf32>) outs(%f4 : tensor<3x?x8xf32>) {
  ^bb0(%a: f32, %b: f32, %acc: f32):
    %m = arith.mulf %a, %b : f32
    %n = arith.addf %acc, %m : f32
    linalg.yield %n : f32
  } -> tensor<3x?x8xf32>
  return %o : tensor<3x?x8xf32>
}

// The last row of a block sees the columns before `own + 60`, if there are as many: no row sees others, which are left out.
// CHECK-LABEL: func.func @causal(
// CHECK-SAME:    %[[OFFSET:[a-z]+]]: index)
// CHECK:         scf.for
// CHECK:           scf.for %[[I:[0-9a-z]+]] = %{{.*}} to %{{.*}} step
// CHECK:             %[[OWN:.*]] = arith.addi %[[I]], %[[OFFSET]] : index
// CHECK:             %[[BEHIND:.*]] = arith.addi %[[OWN]], %{{.*}} : index
// CHECK:             %[[MOST:.*]] = arith.minsi %[[BEHIND]], %{{.*}} : index
// CHECK:             %[[END:.*]] = arith.maxsi %[[MOST]], %{{.*}} : index
// CHECK:             tensor.extract_slice %k[%{{.*}}, 0, 0] [1, %[[END]], 8] [1, 1, 1] : tensor<3x256x8xf32> to tensor<1x?x8xf32>
// CHECK:             linalg.generic {{.*}} outs(%{{.*}} : tensor<1x60x?xf32>)
// CHECK:             %[[ROW:.*]] = arith.addi %{{.*}}, %[[I]] : index
// CHECK:             arith.addi %[[ROW]], %[[OFFSET]] : index
// CHECK:             tensor.extract_slice %v[%{{.*}}, 0, 0] [1, %[[END]], 8] [1, 1, 1]
func.func @causal(%q: tensor<3x120x8xf32>, %k: tensor<3x256x8xf32>, %v: tensor<3x256x8xf32>, %offset: index) -> tensor<3x120x8xf32> {
  %zero = arith.constant 0.0 : f32
  %lowest = arith.constant -3.0e38 : f32
  %e0 = tensor.empty() : tensor<3x120x256xf32>
  %f0 = linalg.fill ins(%zero : f32) outs(%e0 : tensor<3x120x256xf32>) -> tensor<3x120x256xf32>
  %s = linalg.generic {indexing_maps = [#q, #k, #scores], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%q, %k : tensor<3x120x8xf32>, tensor<3x256x8xf32>) outs(%f0 : tensor<3x120x256xf32>) {
  ^bb0(%a: f32, %b: f32, %acc: f32):
    %m = arith.mulf %a, %b : f32
    %n = arith.addf %acc, %m : f32
    linalg.yield %n : f32
  } -> tensor<3x120x256xf32>
  %e1 = tensor.empty() : tensor<3x120x256xf32>
  %t = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel", "parallel"]} ins(%s : tensor<3x120x256xf32>) outs(%e1 : tensor<3x120x256xf32>) {
  ^bb0(%a: f32, %out: f32):
    %i = linalg.index 1 : index
    %j = linalg.index 2 : index
    %end = arith.addi %i, %offset : index
    %seen = arith.cmpi sle, %j, %end : index
    %x = arith.select %seen, %a, %lowest {relax.weightless} : f32
    linalg.yield %x : f32
  } -> tensor<3x120x256xf32>
  %e2 = tensor.empty() : tensor<3x120xf32>
  %f2 = linalg.fill ins(%lowest : f32) outs(%e2 : tensor<3x120xf32>) -> tensor<3x120xf32>
  %top = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "parallel", "reduction"]} ins(%t : tensor<3x120x256xf32>) outs(%f2 : tensor<3x120xf32>) {
  ^bb0(%a: f32, %acc: f32):
    %n = arith.maximumf %acc, %a : f32
    linalg.yield %n : f32
  } -> tensor<3x120xf32>
  %e3 = tensor.empty() : tensor<3x120x256xf32>
  %w = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel", "parallel"]} ins(%t, %top : tensor<3x120x256xf32>, tensor<3x120xf32>) outs(%e3 : tensor<3x120x256xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %n = arith.subf %a, %b : f32
    %x = math.exp %n : f32
    linalg.yield %x : f32
  } -> tensor<3x120x256xf32>
  %e4 = tensor.empty() : tensor<3x120x8xf32>
  %f4 = linalg.fill ins(%zero : f32) outs(%e4 : tensor<3x120x8xf32>) -> tensor<3x120x8xf32>
  %o = linalg.generic {indexing_maps = [#p, #v, #o], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%w, %v : tensor<3x120x256xf32>, tensor<3x256x8xf32>) outs(%f4 : tensor<3x120x8xf32>) {
  ^bb0(%a: f32, %b: f32, %acc: f32):
    %m = arith.mulf %a, %b : f32
    %n = arith.addf %acc, %m : f32
    linalg.yield %n : f32
  } -> tensor<3x120x8xf32>
  return %o : tensor<3x120x8xf32>
}

// The first row of a block sees 32 columns up to its own. Indices of columns go on from the first one that is read.
// CHECK-LABEL: func.func @window(
// CHECK:             %[[OWN:.*]] = arith.addi %{{.*}}, %offset : index
// CHECK:             %[[END:.*]] = arith.maxsi
// CHECK:             %[[BEFORE:.*]] = arith.subi %[[OWN]], %{{.*}} : index
// CHECK:             %[[LEAST:.*]] = arith.minsi %[[BEFORE]], %[[END]] : index
// CHECK:             %[[BEGIN:.*]] = arith.maxsi %[[LEAST]], %{{.*}} : index
// CHECK:             %[[COUNT:.*]] = arith.subi %[[END]], %[[BEGIN]] : index
// CHECK:             tensor.extract_slice %k[%{{.*}}, %[[BEGIN]], 0] [1, %[[COUNT]], 8] [1, 1, 1]
// CHECK:             %[[J:.*]] = linalg.index 2
// CHECK-NEXT:        arith.addi %[[J]], %[[BEGIN]] : index
// CHECK:             tensor.extract_slice %v[%{{.*}}, %[[BEGIN]], 0] [1, %[[COUNT]], 8] [1, 1, 1]
func.func @window(%q: tensor<3x120x8xf32>, %k: tensor<3x256x8xf32>, %v: tensor<3x256x8xf32>, %offset: index) -> tensor<3x120x8xf32> {
  %zero = arith.constant 0.0 : f32
  %lowest = arith.constant -3.0e38 : f32
  %window = arith.constant 32 : index
  %e0 = tensor.empty() : tensor<3x120x256xf32>
  %f0 = linalg.fill ins(%zero : f32) outs(%e0 : tensor<3x120x256xf32>) -> tensor<3x120x256xf32>
  %s = linalg.generic {indexing_maps = [#q, #k, #scores], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%q, %k : tensor<3x120x8xf32>, tensor<3x256x8xf32>) outs(%f0 : tensor<3x120x256xf32>) {
  ^bb0(%a: f32, %b: f32, %acc: f32):
    %m = arith.mulf %a, %b : f32
    %n = arith.addf %acc, %m : f32
    linalg.yield %n : f32
  } -> tensor<3x120x256xf32>
  %e1 = tensor.empty() : tensor<3x120x256xf32>
  %t = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel", "parallel"]} ins(%s : tensor<3x120x256xf32>) outs(%e1 : tensor<3x120x256xf32>) {
  ^bb0(%a: f32, %out: f32):
    %i = linalg.index 1 : index
    %j = linalg.index 2 : index
    %end = arith.addi %i, %offset : index
    %upper = arith.cmpi sle, %j, %end : index
    %begin = arith.subi %end, %window : index
    %lower = arith.cmpi sgt, %j, %begin : index
    %seen = arith.andi %upper, %lower : i1
    %x = arith.select %seen, %a, %lowest {relax.weightless} : f32
    linalg.yield %x : f32
  } -> tensor<3x120x256xf32>
  %e2 = tensor.empty() : tensor<3x120xf32>
  %f2 = linalg.fill ins(%lowest : f32) outs(%e2 : tensor<3x120xf32>) -> tensor<3x120xf32>
  %top = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "parallel", "reduction"]} ins(%t : tensor<3x120x256xf32>) outs(%f2 : tensor<3x120xf32>) {
  ^bb0(%a: f32, %acc: f32):
    %n = arith.maximumf %acc, %a : f32
    linalg.yield %n : f32
  } -> tensor<3x120xf32>
  %e3 = tensor.empty() : tensor<3x120x256xf32>
  %w = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel", "parallel"]} ins(%t, %top : tensor<3x120x256xf32>, tensor<3x120xf32>) outs(%e3 : tensor<3x120x256xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %n = arith.subf %a, %b : f32
    %x = math.exp %n : f32
    linalg.yield %x : f32
  } -> tensor<3x120x256xf32>
  %e4 = tensor.empty() : tensor<3x120x8xf32>
  %f4 = linalg.fill ins(%zero : f32) outs(%e4 : tensor<3x120x8xf32>) -> tensor<3x120x8xf32>
  %o = linalg.generic {indexing_maps = [#p, #v, #o], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%w, %v : tensor<3x120x256xf32>, tensor<3x256x8xf32>) outs(%f4 : tensor<3x120x8xf32>) {
  ^bb0(%a: f32, %b: f32, %acc: f32):
    %m = arith.mulf %a, %b : f32
    %n = arith.addf %acc, %m : f32
    linalg.yield %n : f32
  } -> tensor<3x120x8xf32>
  return %o : tensor<3x120x8xf32>
}

// Half of the cache holds all scores, or there is one row alone.
// REMARKS:      and what follows it are not computed for some rows at a time: its scores take 30720 bytes, at most half of a cache of 65536
// REMARKS-NEXT: and what follows it are not computed for some rows at a time: there is a single row
// CHECK-LABEL: func.func @small(
// CHECK-NOT:     scf.for
// CHECK-LABEL: func.func @one_row(
// CHECK-NOT:     scf.for
func.func @small(%q: tensor<3x32x8xf32>, %k: tensor<3x80x8xf32>, %v: tensor<3x80x8xf32>) -> tensor<3x32x8xf32> {
  %zero = arith.constant 0.0 : f32
  %lowest = arith.constant -3.0e38 : f32
  %e0 = tensor.empty() : tensor<3x32x80xf32>
  %f0 = linalg.fill ins(%zero : f32) outs(%e0 : tensor<3x32x80xf32>) -> tensor<3x32x80xf32>
  %s = linalg.generic {indexing_maps = [#q, #k, #scores], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%q, %k : tensor<3x32x8xf32>, tensor<3x80x8xf32>) outs(%f0 : tensor<3x32x80xf32>) {
  ^bb0(%a: f32, %b: f32, %acc: f32):
    %m = arith.mulf %a, %b : f32
    %n = arith.addf %acc, %m : f32
    linalg.yield %n : f32
  } -> tensor<3x32x80xf32>
  %e1 = tensor.empty() : tensor<3x32x80xf32>
  %t = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel", "parallel"]} ins(%s : tensor<3x32x80xf32>) outs(%e1 : tensor<3x32x80xf32>) {
  ^bb0(%a: f32, %out: f32):
    %x = arith.mulf %a, %lowest : f32
    linalg.yield %x : f32
  } -> tensor<3x32x80xf32>
  %e2 = tensor.empty() : tensor<3x32xf32>
  %f2 = linalg.fill ins(%lowest : f32) outs(%e2 : tensor<3x32xf32>) -> tensor<3x32xf32>
  %top = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "parallel", "reduction"]} ins(%t : tensor<3x32x80xf32>) outs(%f2 : tensor<3x32xf32>) {
  ^bb0(%a: f32, %acc: f32):
    %n = arith.maximumf %acc, %a : f32
    linalg.yield %n : f32
  } -> tensor<3x32xf32>
  %e3 = tensor.empty() : tensor<3x32x80xf32>
  %w = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel", "parallel"]} ins(%t, %top : tensor<3x32x80xf32>, tensor<3x32xf32>) outs(%e3 : tensor<3x32x80xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %n = arith.subf %a, %b : f32
    %x = math.exp %n : f32
    linalg.yield %x : f32
  } -> tensor<3x32x80xf32>
  %e4 = tensor.empty() : tensor<3x32x8xf32>
  %f4 = linalg.fill ins(%zero : f32) outs(%e4 : tensor<3x32x8xf32>) -> tensor<3x32x8xf32>
  %o = linalg.generic {indexing_maps = [#p, #v, #o], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%w, %v : tensor<3x32x80xf32>, tensor<3x80x8xf32>) outs(%f4 : tensor<3x32x8xf32>) {
  ^bb0(%a: f32, %b: f32, %acc: f32):
    %m = arith.mulf %a, %b : f32
    %n = arith.addf %acc, %m : f32
    linalg.yield %n : f32
  } -> tensor<3x32x8xf32>
  return %o : tensor<3x32x8xf32>
}

func.func @one_row(%q: tensor<1x1x8xf32>, %k: tensor<1x65536x8xf32>, %v: tensor<1x65536x8xf32>) -> tensor<1x1x8xf32> {
  %zero = arith.constant 0.0 : f32
  %lowest = arith.constant -3.0e38 : f32
  %e0 = tensor.empty() : tensor<1x1x65536xf32>
  %f0 = linalg.fill ins(%zero : f32) outs(%e0 : tensor<1x1x65536xf32>) -> tensor<1x1x65536xf32>
  %s = linalg.generic {indexing_maps = [#q, #k, #scores], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%q, %k : tensor<1x1x8xf32>, tensor<1x65536x8xf32>) outs(%f0 : tensor<1x1x65536xf32>) {
  ^bb0(%a: f32, %b: f32, %acc: f32):
    %m = arith.mulf %a, %b : f32
    %n = arith.addf %acc, %m : f32
    linalg.yield %n : f32
  } -> tensor<1x1x65536xf32>
  %e1 = tensor.empty() : tensor<1x1x65536xf32>
  %t = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel", "parallel"]} ins(%s : tensor<1x1x65536xf32>) outs(%e1 : tensor<1x1x65536xf32>) {
  ^bb0(%a: f32, %out: f32):
    %x = arith.mulf %a, %lowest : f32
    linalg.yield %x : f32
  } -> tensor<1x1x65536xf32>
  %e2 = tensor.empty() : tensor<1x1xf32>
  %f2 = linalg.fill ins(%lowest : f32) outs(%e2 : tensor<1x1xf32>) -> tensor<1x1xf32>
  %top = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "parallel", "reduction"]} ins(%t : tensor<1x1x65536xf32>) outs(%f2 : tensor<1x1xf32>) {
  ^bb0(%a: f32, %acc: f32):
    %n = arith.maximumf %acc, %a : f32
    linalg.yield %n : f32
  } -> tensor<1x1xf32>
  %e3 = tensor.empty() : tensor<1x1x65536xf32>
  %w = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel", "parallel"]} ins(%t, %top : tensor<1x1x65536xf32>, tensor<1x1xf32>) outs(%e3 : tensor<1x1x65536xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %n = arith.subf %a, %b : f32
    %x = math.exp %n : f32
    linalg.yield %x : f32
  } -> tensor<1x1x65536xf32>
  %e4 = tensor.empty() : tensor<1x1x8xf32>
  %f4 = linalg.fill ins(%zero : f32) outs(%e4 : tensor<1x1x8xf32>) -> tensor<1x1x8xf32>
  %o = linalg.generic {indexing_maps = [#p, #v, #o], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%w, %v : tensor<1x1x65536xf32>, tensor<1x65536x8xf32>) outs(%f4 : tensor<1x1x8xf32>) {
  ^bb0(%a: f32, %b: f32, %acc: f32):
    %m = arith.mulf %a, %b : f32
    %n = arith.addf %acc, %m : f32
    linalg.yield %n : f32
  } -> tensor<1x1x8xf32>
  return %o : tensor<1x1x8xf32>
}

// Scores that are read elsewhere stay, and so do two products without a softmax of rows in between.
// REMARKS-NEXT: and what follows it are not computed for some rows at a time: what linalg.generic ({{.*}}) makes is read by others, too
// REMARKS-NOT:  remark
// CHECK-LABEL: func.func @scores_returned(
// CHECK-NOT:     scf.for
// CHECK-LABEL: func.func @no_softmax(
// CHECK-NOT:     scf.for
func.func @scores_returned(%q: tensor<3x120x8xf32>, %k: tensor<3x256x8xf32>, %v: tensor<3x256x8xf32>) -> (tensor<3x120x8xf32>, tensor<3x120x256xf32>) {
  %zero = arith.constant 0.0 : f32
  %lowest = arith.constant -3.0e38 : f32
  %e0 = tensor.empty() : tensor<3x120x256xf32>
  %f0 = linalg.fill ins(%zero : f32) outs(%e0 : tensor<3x120x256xf32>) -> tensor<3x120x256xf32>
  %s = linalg.generic {indexing_maps = [#q, #k, #scores], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%q, %k : tensor<3x120x8xf32>, tensor<3x256x8xf32>) outs(%f0 : tensor<3x120x256xf32>) {
  ^bb0(%a: f32, %b: f32, %acc: f32):
    %m = arith.mulf %a, %b : f32
    %n = arith.addf %acc, %m : f32
    linalg.yield %n : f32
  } -> tensor<3x120x256xf32>
  %e1 = tensor.empty() : tensor<3x120x256xf32>
  %t = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel", "parallel"]} ins(%s : tensor<3x120x256xf32>) outs(%e1 : tensor<3x120x256xf32>) {
  ^bb0(%a: f32, %out: f32):
    %x = arith.mulf %a, %lowest : f32
    linalg.yield %x : f32
  } -> tensor<3x120x256xf32>
  %e2 = tensor.empty() : tensor<3x120xf32>
  %f2 = linalg.fill ins(%lowest : f32) outs(%e2 : tensor<3x120xf32>) -> tensor<3x120xf32>
  %top = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "parallel", "reduction"]} ins(%t : tensor<3x120x256xf32>) outs(%f2 : tensor<3x120xf32>) {
  ^bb0(%a: f32, %acc: f32):
    %n = arith.maximumf %acc, %a : f32
    linalg.yield %n : f32
  } -> tensor<3x120xf32>
  %e3 = tensor.empty() : tensor<3x120x256xf32>
  %w = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel", "parallel"]} ins(%t, %top : tensor<3x120x256xf32>, tensor<3x120xf32>) outs(%e3 : tensor<3x120x256xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %n = arith.subf %a, %b : f32
    %x = math.exp %n : f32
    linalg.yield %x : f32
  } -> tensor<3x120x256xf32>
  %e4 = tensor.empty() : tensor<3x120x8xf32>
  %f4 = linalg.fill ins(%zero : f32) outs(%e4 : tensor<3x120x8xf32>) -> tensor<3x120x8xf32>
  %o = linalg.generic {indexing_maps = [#p, #v, #o], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%w, %v : tensor<3x120x256xf32>, tensor<3x256x8xf32>) outs(%f4 : tensor<3x120x8xf32>) {
  ^bb0(%a: f32, %b: f32, %acc: f32):
    %m = arith.mulf %a, %b : f32
    %n = arith.addf %acc, %m : f32
    linalg.yield %n : f32
  } -> tensor<3x120x8xf32>
  return %o, %s : tensor<3x120x8xf32>, tensor<3x120x256xf32>
}

func.func @no_softmax(%q: tensor<3x120x8xf32>, %k: tensor<3x256x8xf32>, %v: tensor<3x256x8xf32>) -> tensor<3x120x8xf32> {
  %zero = arith.constant 0.0 : f32
  %lowest = arith.constant -3.0e38 : f32
  %e0 = tensor.empty() : tensor<3x120x256xf32>
  %f0 = linalg.fill ins(%zero : f32) outs(%e0 : tensor<3x120x256xf32>) -> tensor<3x120x256xf32>
  %s = linalg.generic {indexing_maps = [#q, #k, #scores], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%q, %k : tensor<3x120x8xf32>, tensor<3x256x8xf32>) outs(%f0 : tensor<3x120x256xf32>) {
  ^bb0(%a: f32, %b: f32, %acc: f32):
    %m = arith.mulf %a, %b : f32
    %n = arith.addf %acc, %m : f32
    linalg.yield %n : f32
  } -> tensor<3x120x256xf32>
  %e1 = tensor.empty() : tensor<3x120x256xf32>
  %t = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel", "parallel"]} ins(%s : tensor<3x120x256xf32>) outs(%e1 : tensor<3x120x256xf32>) {
  ^bb0(%a: f32, %out: f32):
    %x = arith.mulf %a, %lowest : f32
    linalg.yield %x : f32
  } -> tensor<3x120x256xf32>
  %e4 = tensor.empty() : tensor<3x120x8xf32>
  %f4 = linalg.fill ins(%zero : f32) outs(%e4 : tensor<3x120x8xf32>) -> tensor<3x120x8xf32>
  %o = linalg.generic {indexing_maps = [#p, #v, #o], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%t, %v : tensor<3x120x256xf32>, tensor<3x256x8xf32>) outs(%f4 : tensor<3x120x8xf32>) {
  ^bb0(%a: f32, %b: f32, %acc: f32):
    %m = arith.mulf %a, %b : f32
    %n = arith.addf %acc, %m : f32
    linalg.yield %n : f32
  } -> tensor<3x120x8xf32>
  return %o : tensor<3x120x8xf32>
}
