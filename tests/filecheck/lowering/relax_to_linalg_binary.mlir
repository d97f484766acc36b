// RUN: relax-opt %s -p relax-to-linalg | filecheck %s

// A dim 1 is read at 0.
//
// CHECK-LABEL: func.func @sub_broadcast(
// CHECK-SAME:    %[[X:[a-z0-9_]+]]: {{.*}}, %[[Y:[a-z0-9_]+]]: {{.*}}
// CHECK:         %[[V2:[a-z0-9_]+]] = arith.constant 0 : index
// CHECK:         %[[V3:[a-z0-9_]+]] = tensor.dim %[[X]], %[[V2]] : tensor<?x4xf32>
// CHECK:         %[[V4:[a-z0-9_]+]] = tensor.empty(%[[V3]]) : tensor<?x4xf32>
// CHECK:         %[[V5:[a-z0-9_]+]] = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%[[X]], %[[Y]] : tensor<?x4xf32>, tensor<1x4xf32>) outs(%[[V4]] : tensor<?x4xf32>) {
// CHECK:         ^bb0(%[[V6:[a-z0-9_]+]]: f32, %[[V7:[a-z0-9_]+]]: f32, %[[V8:[a-z0-9_]+]]: f32):
// CHECK:         %[[V9:[a-z0-9_]+]] = arith.subf %[[V6]], %[[V7]] : f32
// CHECK:         linalg.yield %[[V9]] : f32
// CHECK:         } -> tensor<?x4xf32>
// CHECK:         func.return %[[V5]] : tensor<?x4xf32>
func.func @sub_broadcast(%x: tensor<?x4xf32, #relax.sym<n>>, %y: tensor<1x4xf32>) -> tensor<?x4xf32, #relax.sym<n>> {
  %r = relax.subtract %x, %y : (tensor<?x4xf32, #relax.sym<n>>, tensor<1x4xf32>) -> tensor<?x4xf32, #relax.sym<n>>
  return %r : tensor<?x4xf32, #relax.sym<n>>
}

// No divisor traps.
//
// CHECK-LABEL: func.func @divide_signed(
// CHECK-SAME:    %[[X:[a-z0-9_]+]]: {{.*}}, %[[Y:[a-z0-9_]+]]: {{.*}}
// CHECK:         %[[V2:[a-z0-9_]+]] = tensor.empty() : tensor<3xi32>
// CHECK:         %[[V3:[a-z0-9_]+]] = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%[[X]], %[[Y]] : tensor<3xi32>, tensor<3xi32>) outs(%[[V2]] : tensor<3xi32>) {
// CHECK:         ^bb0(%[[V4:[a-z0-9_]+]]: i32, %[[V5:[a-z0-9_]+]]: i32, %[[V6:[a-z0-9_]+]]: i32):
// CHECK:         %[[V7:[a-z0-9_]+]] = arith.constant 1 : i32
// CHECK:         %[[V8:[a-z0-9_]+]] = arith.constant 0 : i32
// CHECK:         %[[V9:[a-z0-9_]+]] = arith.cmpi eq, %[[V5]], %[[V8]] : i32
// CHECK:         %[[V10:[a-z0-9_]+]] = arith.constant -1 : i32
// CHECK:         %[[V11:[a-z0-9_]+]] = arith.cmpi eq, %[[V5]], %[[V10]] : i32
// CHECK:         %[[V12:[a-z0-9_]+]] = arith.ori %[[V9]], %[[V11]] : i1
// CHECK:         %[[V13:[a-z0-9_]+]] = arith.select %[[V12]], %[[V7]], %[[V5]] : i32
// CHECK:         %[[V14:[a-z0-9_]+]] = arith.divsi %[[V4]], %[[V13]] : i32
// CHECK:         %[[V15:[a-z0-9_]+]] = arith.subi %[[V8]], %[[V4]] : i32
// CHECK:         %[[V16:[a-z0-9_]+]] = arith.select %[[V11]], %[[V15]], %[[V14]] : i32
// CHECK:         %[[V17:[a-z0-9_]+]] = arith.select %[[V9]], %[[V8]], %[[V16]] : i32
// CHECK:         linalg.yield %[[V17]] : i32
// CHECK:         } -> tensor<3xi32>
// CHECK:         func.return %[[V3]] : tensor<3xi32>
func.func @divide_signed(%x: tensor<3xi32>, %y: tensor<3xi32>) -> tensor<3xi32> {
  %r = relax.divide %x, %y : (tensor<3xi32>, tensor<3xi32>) -> tensor<3xi32>
  return %r : tensor<3xi32>
}

// Twin of the signed one.
//
// CHECK-LABEL: func.func @divide_unsigned(
// CHECK-SAME:    %[[X:[a-z0-9_]+]]: {{.*}}, %[[Y:[a-z0-9_]+]]: {{.*}}
// CHECK:         %[[V2:[a-z0-9_]+]] = tensor.empty() : tensor<3xi32>
// CHECK:         %[[V3:[a-z0-9_]+]] = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%[[X]], %[[Y]] : tensor<3xi32>, tensor<3xi32>) outs(%[[V2]] : tensor<3xi32>) {
// CHECK:         ^bb0(%[[V4:[a-z0-9_]+]]: i32, %[[V5:[a-z0-9_]+]]: i32, %[[V6:[a-z0-9_]+]]: i32):
// CHECK:         %[[V7:[a-z0-9_]+]] = arith.constant 1 : i32
// CHECK:         %[[V8:[a-z0-9_]+]] = arith.constant 0 : i32
// CHECK:         %[[V9:[a-z0-9_]+]] = arith.cmpi eq, %[[V5]], %[[V8]] : i32
// CHECK:         %[[V10:[a-z0-9_]+]] = arith.select %[[V9]], %[[V7]], %[[V5]] : i32
// CHECK:         %[[V11:[a-z0-9_]+]] = arith.divui %[[V4]], %[[V10]] : i32
// CHECK:         %[[V12:[a-z0-9_]+]] = arith.select %[[V9]], %[[V8]], %[[V11]] : i32
// CHECK:         linalg.yield %[[V12]] : i32
// CHECK:         } -> tensor<3xi32>
// CHECK:         func.return %[[V3]] : tensor<3xi32>
func.func @divide_unsigned(%x: tensor<3xui32>, %y: tensor<3xui32>) -> tensor<3xui32> {
  %r = relax.divide %x, %y : (tensor<3xui32>, tensor<3xui32>) -> tensor<3xui32>
  return %r : tensor<3xui32>
}

// CHECK-LABEL: func.func @less_unsigned(
// CHECK-SAME:    %[[X:[a-z0-9_]+]]: {{.*}}, %[[Y:[a-z0-9_]+]]: {{.*}}
// CHECK:         %[[V2:[a-z0-9_]+]] = tensor.empty() : tensor<3xi1>
// CHECK:         %[[V3:[a-z0-9_]+]] = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%[[X]], %[[Y]] : tensor<3xi32>, tensor<3xi32>) outs(%[[V2]] : tensor<3xi1>) {
// CHECK:         ^bb0(%[[V4:[a-z0-9_]+]]: i32, %[[V5:[a-z0-9_]+]]: i32, %[[V6:[a-z0-9_]+]]: i1):
// CHECK:         %[[V7:[a-z0-9_]+]] = arith.cmpi ult, %[[V4]], %[[V5]] : i32
// CHECK:         linalg.yield %[[V7]] : i1
// CHECK:         } -> tensor<3xi1>
// CHECK:         func.return %[[V3]] : tensor<3xi1>
func.func @less_unsigned(%x: tensor<3xui32>, %y: tensor<3xui32>) -> tensor<3xi1> {
  %r = relax.less %x, %y : (tensor<3xui32>, tensor<3xui32>) -> tensor<3xi1>
  return %r : tensor<3xi1>
}

// A count beyond the width fills with the sign.
//
// CHECK-LABEL: func.func @right_shift_signed(
// CHECK-SAME:    %[[X:[a-z0-9_]+]]: {{.*}}, %[[Y:[a-z0-9_]+]]: {{.*}}
// CHECK:         %[[V2:[a-z0-9_]+]] = tensor.empty() : tensor<3xi32>
// CHECK:         %[[V3:[a-z0-9_]+]] = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%[[X]], %[[Y]] : tensor<3xi32>, tensor<3xi32>) outs(%[[V2]] : tensor<3xi32>) {
// CHECK:         ^bb0(%[[V4:[a-z0-9_]+]]: i32, %[[V5:[a-z0-9_]+]]: i32, %[[V6:[a-z0-9_]+]]: i32):
// CHECK:         %[[V7:[a-z0-9_]+]] = arith.constant 32 : i32
// CHECK:         %[[V8:[a-z0-9_]+]] = arith.cmpi ult, %[[V5]], %[[V7]] : i32
// CHECK:         %[[V9:[a-z0-9_]+]] = arith.constant 31 : i32
// CHECK:         %[[V10:[a-z0-9_]+]] = arith.select %[[V8]], %[[V5]], %[[V9]] : i32
// CHECK:         %[[V11:[a-z0-9_]+]] = arith.shrsi %[[V4]], %[[V10]] : i32
// CHECK:         linalg.yield %[[V11]] : i32
// CHECK:         } -> tensor<3xi32>
// CHECK:         func.return %[[V3]] : tensor<3xi32>
func.func @right_shift_signed(%x: tensor<3xi32>, %y: tensor<3xi32>) -> tensor<3xi32> {
  %r = relax.right_shift %x, %y : (tensor<3xi32>, tensor<3xi32>) -> tensor<3xi32>
  return %r : tensor<3xi32>
}

// CHECK-LABEL: func.func @where(
// CHECK-SAME:    %[[C:[a-z0-9_]+]]: {{.*}}, %[[X:[a-z0-9_]+]]: {{.*}}, %[[Y:[a-z0-9_]+]]: {{.*}}
// CHECK:         %[[V3:[a-z0-9_]+]] = tensor.empty() : tensor<3x4xf32>
// CHECK:         %[[V4:[a-z0-9_]+]] = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, 0)>, affine_map<(d0, d1) -> (d1)>, affine_map<(d0, d1) -> ()>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%[[C]], %[[X]], %[[Y]] : tensor<3x1xi1>, tensor<4xf32>, tensor<f32>) outs(%[[V3]] : tensor<3x4xf32>) {
// CHECK:         ^bb0(%[[V5:[a-z0-9_]+]]: i1, %[[V6:[a-z0-9_]+]]: f32, %[[V7:[a-z0-9_]+]]: f32, %[[V8:[a-z0-9_]+]]: f32):
// CHECK:         %[[V9:[a-z0-9_]+]] = arith.select %[[V5]], %[[V6]], %[[V7]] : f32
// CHECK:         linalg.yield %[[V9]] : f32
// CHECK:         } -> tensor<3x4xf32>
// CHECK:         func.return %[[V4]] : tensor<3x4xf32>
func.func @where(%c: tensor<3x1xi1>, %x: tensor<4xf32>, %y: tensor<f32>) -> tensor<3x4xf32> {
  %r = relax.where %c, %x, %y : (tensor<3x1xi1>, tensor<4xf32>, tensor<f32>) -> tensor<3x4xf32>
  return %r : tensor<3x4xf32>
}

// A symbol is never broadcast: sizes that may differ are equal when the program runs.
//
// CHECK-LABEL: func.func @unrelated(
// CHECK-SAME:    %[[X:[a-z0-9_]+]]: {{.*}}, %[[Y:[a-z0-9_]+]]: {{.*}}
// CHECK-DAG:     %[[N:.*]] = tensor.dim %[[X]]
// CHECK-DAG:     %[[M:.*]] = tensor.dim %[[Y]]
// CHECK:         %[[SAME:.*]] = arith.cmpi eq, %[[N]], %[[M]]
// CHECK:         cf.assert %[[SAME]], {{.*}}relax.add: expected n == m
// CHECK:         linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>]
func.func @unrelated(%x: tensor<?xf32, #relax.sym<n>>, %y: tensor<?xf32, #relax.sym<m>>) -> tensor<?xf32, #relax.sym<n>> {
  %r = relax.add %x, %y : (tensor<?xf32, #relax.sym<n>>, tensor<?xf32, #relax.sym<m>>) -> tensor<?xf32, #relax.sym<n>>
  return %r : tensor<?xf32, #relax.sym<n>>
}
