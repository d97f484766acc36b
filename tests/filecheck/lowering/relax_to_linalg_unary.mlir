// RUN: relax-opt %s -p relax-to-linalg | filecheck %s

// f16 is computed in f32.
//
// CHECK-LABEL: func.func @exp_f16(
// CHECK-SAME:    %[[X:[a-z0-9_]+]]: {{.*}}
// CHECK:         %[[V1:[a-z0-9_]+]] = arith.constant 0 : index
// CHECK:         %[[V2:[a-z0-9_]+]] = tensor.dim %[[X]], %[[V1]] : tensor<?x4xf16>
// CHECK:         %[[V3:[a-z0-9_]+]] = tensor.empty(%[[V2]]) : tensor<?x4xf16>
// CHECK:         %[[V4:[a-z0-9_]+]] = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%[[X]] : tensor<?x4xf16>) outs(%[[V3]] : tensor<?x4xf16>) {
// CHECK:         ^bb0(%[[V5:[a-z0-9_]+]]: f16, %[[V6:[a-z0-9_]+]]: f16):
// CHECK:         %[[V7:[a-z0-9_]+]] = arith.extf %[[V5]] : f16 to f32
// CHECK:         %[[V8:[a-z0-9_]+]] = math.exp %[[V7]] : f32
// CHECK:         %[[V9:[a-z0-9_]+]] = arith.truncf %[[V8]] : f32 to f16
// CHECK:         linalg.yield %[[V9]] : f16
// CHECK:         } -> tensor<?x4xf16>
// CHECK:         func.return %[[V4]] : tensor<?x4xf16>
func.func @exp_f16(%x: tensor<?x4xf16, #relax.sym<n>>) -> tensor<?x4xf16, #relax.sym<n>> {
  %r = relax.exp %x : (tensor<?x4xf16, #relax.sym<n>>) -> tensor<?x4xf16, #relax.sym<n>>
  return %r : tensor<?x4xf16, #relax.sym<n>>
}

// Integers have nothing to round.
//
// CHECK-LABEL: func.func @ceil_of_integers(
// CHECK-SAME:    %[[X:[a-z0-9_]+]]: {{.*}}
// CHECK:         %[[V1:[a-z0-9_]+]] = tensor.empty() : tensor<3xi32>
// CHECK:         %[[V2:[a-z0-9_]+]] = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%[[X]] : tensor<3xi32>) outs(%[[V1]] : tensor<3xi32>) {
// CHECK:         ^bb0(%[[V3:[a-z0-9_]+]]: i32, %[[V4:[a-z0-9_]+]]: i32):
// CHECK:         linalg.yield %[[V3]] : i32
// CHECK:         } -> tensor<3xi32>
// CHECK:         func.return %[[V2]] : tensor<3xi32>
func.func @ceil_of_integers(%x: tensor<3xi32>) -> tensor<3xi32> {
  %r = relax.ceil %x : (tensor<3xi32>) -> tensor<3xi32>
  return %r : tensor<3xi32>
}

// The bounds are brought into the range of the type: -5 is 0, and 200 has the bits of -56.
//
// CHECK-LABEL: func.func @clip_unsigned(
// CHECK-SAME:    %[[X:[a-z0-9_]+]]: {{.*}}
// CHECK:         %[[V1:[a-z0-9_]+]] = tensor.empty() : tensor<3xi8>
// CHECK:         %[[V2:[a-z0-9_]+]] = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%[[X]] : tensor<3xi8>) outs(%[[V1]] : tensor<3xi8>) {
// CHECK:         ^bb0(%[[V3:[a-z0-9_]+]]: i8, %[[V4:[a-z0-9_]+]]: i8):
// CHECK:         %[[V5:[a-z0-9_]+]] = arith.constant 0 : i8
// CHECK:         %[[V6:[a-z0-9_]+]] = arith.constant -56 : i8
// CHECK:         %[[V7:[a-z0-9_]+]] = arith.maxui %[[V3]], %[[V5]] : i8
// CHECK:         %[[V8:[a-z0-9_]+]] = arith.minui %[[V7]], %[[V6]] : i8
// CHECK:         linalg.yield %[[V8]] : i8
// CHECK:         } -> tensor<3xi8>
// CHECK:         func.return %[[V2]] : tensor<3xi8>
func.func @clip_unsigned(%x: tensor<3xui8>) -> tensor<3xui8> {
  %r = relax.clip %x {min = -5 : i64, max = 200 : i64} : (tensor<3xui8>) -> tensor<3xui8>
  return %r : tensor<3xui8>
}

// Neither NaN nor what is out of range reaches the conversion.
//
// CHECK-LABEL: func.func @astype_saturates(
// CHECK-SAME:    %[[X:[a-z0-9_]+]]: {{.*}}
// CHECK:         %[[V1:[a-z0-9_]+]] = tensor.empty() : tensor<3xi8>
// CHECK:         %[[V2:[a-z0-9_]+]] = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%[[X]] : tensor<3xf32>) outs(%[[V1]] : tensor<3xi8>) {
// CHECK:         ^bb0(%[[V3:[a-z0-9_]+]]: f32, %[[V4:[a-z0-9_]+]]: i8):
// CHECK:         %[[V5:[a-z0-9_]+]] = arith.constant -1.280000e+02 : f32
// CHECK:         %[[V6:[a-z0-9_]+]] = arith.cmpf olt, %[[V3]], %[[V5]] : f32
// CHECK:         %[[V7:[a-z0-9_]+]] = arith.constant 1.280000e+02 : f32
// CHECK:         %[[V8:[a-z0-9_]+]] = arith.cmpf oge, %[[V3]], %[[V7]] : f32
// CHECK:         %[[V9:[a-z0-9_]+]] = arith.cmpf oge, %[[V3]], %[[V5]] : f32
// CHECK:         %[[V10:[a-z0-9_]+]] = arith.cmpf olt, %[[V3]], %[[V7]] : f32
// CHECK:         %[[V11:[a-z0-9_]+]] = arith.andi %[[V9]], %[[V10]] : i1
// CHECK:         %[[V12:[a-z0-9_]+]] = arith.constant 0.000000e+00 : f32
// CHECK:         %[[V13:[a-z0-9_]+]] = arith.select %[[V11]], %[[V3]], %[[V12]] : f32
// CHECK:         %[[V14:[a-z0-9_]+]] = arith.fptosi %[[V13]] : f32 to i8
// CHECK:         %[[V15:[a-z0-9_]+]] = arith.constant -128 : i8
// CHECK:         %[[V16:[a-z0-9_]+]] = arith.select %[[V6]], %[[V15]], %[[V14]] : i8
// CHECK:         %[[V17:[a-z0-9_]+]] = arith.constant 127 : i8
// CHECK:         %[[V18:[a-z0-9_]+]] = arith.select %[[V8]], %[[V17]], %[[V16]] : i8
// CHECK:         linalg.yield %[[V18]] : i8
// CHECK:         } -> tensor<3xi8>
// CHECK:         func.return %[[V2]] : tensor<3xi8>
func.func @astype_saturates(%x: tensor<3xf32>) -> tensor<3xi8> {
  %r = relax.astype %x {dtype = i8} : (tensor<3xf32>) -> tensor<3xi8>
  return %r : tensor<3xi8>
}

// The sign is that of the operand.
//
// CHECK-LABEL: func.func @astype_extends(
// CHECK-SAME:    %[[X:[a-z0-9_]+]]: {{.*}}
// CHECK:         %[[V1:[a-z0-9_]+]] = tensor.empty() : tensor<3xi32>
// CHECK:         %[[V2:[a-z0-9_]+]] = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%[[X]] : tensor<3xi8>) outs(%[[V1]] : tensor<3xi32>) {
// CHECK:         ^bb0(%[[V3:[a-z0-9_]+]]: i8, %[[V4:[a-z0-9_]+]]: i32):
// CHECK:         %[[V5:[a-z0-9_]+]] = arith.extui %[[V3]] : i8 to i32
// CHECK:         linalg.yield %[[V5]] : i32
// CHECK:         } -> tensor<3xi32>
// CHECK:         func.return %[[V2]] : tensor<3xi32>
func.func @astype_extends(%x: tensor<3xui8>) -> tensor<3xi32> {
  %r = relax.astype %x {dtype = i32} : (tensor<3xui8>) -> tensor<3xi32>
  return %r : tensor<3xi32>
}

// NaN is true.
//
// CHECK-LABEL: func.func @astype_to_bool(
// CHECK-SAME:    %[[X:[a-z0-9_]+]]: {{.*}}
// CHECK:         %[[V1:[a-z0-9_]+]] = tensor.empty() : tensor<3xi1>
// CHECK:         %[[V2:[a-z0-9_]+]] = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%[[X]] : tensor<3xf32>) outs(%[[V1]] : tensor<3xi1>) {
// CHECK:         ^bb0(%[[V3:[a-z0-9_]+]]: f32, %[[V4:[a-z0-9_]+]]: i1):
// CHECK:         %[[V5:[a-z0-9_]+]] = arith.constant 0.000000e+00 : f32
// CHECK:         %[[V6:[a-z0-9_]+]] = arith.cmpf une, %[[V3]], %[[V5]] : f32
// CHECK:         linalg.yield %[[V6]] : i1
// CHECK:         } -> tensor<3xi1>
// CHECK:         func.return %[[V2]] : tensor<3xi1>
func.func @astype_to_bool(%x: tensor<3xf32>) -> tensor<3xi1> {
  %r = relax.astype %x {dtype = i1} : (tensor<3xf32>) -> tensor<3xi1>
  return %r : tensor<3xi1>
}

// The signs of integers are no matter of the scalars of linalg.
//
// CHECK-LABEL: func.func @bitcast(
// CHECK:         linalg.generic {{.*}} ins(%{{[a-z0-9_]+}} : tensor<3xf32>) outs(%{{[a-z0-9_]+}} : tensor<3xi32>) {
// CHECK:         ^bb0(%[[X:[a-z0-9_]+]]: f32, %{{[a-z0-9_]+}}: i32):
// CHECK:         %[[Y:[a-z0-9_]+]] = arith.bitcast %[[X]] : f32 to i32
// CHECK:         linalg.yield %[[Y]] : i32
func.func @bitcast(%x: tensor<3xf32>) -> tensor<3xui32> {
  %r = relax.bitcast %x {dtype = ui32} : (tensor<3xf32>) -> tensor<3xui32>
  return %r : tensor<3xui32>
}
