#map = affine_map<(d0, d1, d2, d3) -> (d3)>
#map1 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
module {
  func.func @main(%arg0: tensor<1x6x6x3xi8>, %arg1: tensor<4x3x3x3xi8>, %arg2: tensor<4xi32>) -> tensor<1x4x4x4xi8> {
    %c137438953472_i64 = arith.constant 137438953472 : i64
    %c38_i64 = arith.constant 38 : i64
    %c1518500250_i64 = arith.constant 1518500250 : i64
    %c127_i32 = arith.constant 127 : i32
    %c-128_i32 = arith.constant -128 : i32
    %c-1073741824_i64 = arith.constant -1073741824 : i64
    %c1073741824_i64 = arith.constant 1073741824 : i64
    %c5_i32 = arith.constant 5 : i32
    %c0_i32 = arith.constant 0 : i32
    %c-3_i32 = arith.constant -3 : i32
    %0 = tensor.empty() : tensor<1x4x4x4xi32>
    %1 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%arg2 : tensor<4xi32>) outs(%0 : tensor<1x4x4x4xi32>) {
    ^bb0(%in: i32, %out: i32):
      linalg.yield %in : i32
    } -> tensor<1x4x4x4xi32>
    %2 = linalg.conv_2d_nhwc_fhwc_q {dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>} ins(%arg0, %arg1, %c-3_i32, %c0_i32 : tensor<1x6x6x3xi8>, tensor<4x3x3x3xi8>, i32, i32) outs(%1 : tensor<1x4x4x4xi32>) -> tensor<1x4x4x4xi32>
    %3 = tensor.empty() : tensor<1x4x4x4xi8>
    %4 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%2 : tensor<1x4x4x4xi32>) outs(%3 : tensor<1x4x4x4xi8>) {
    ^bb0(%in: i32, %out: i8):
      %5 = arith.extsi %in : i32 to i64
      %6 = arith.muli %5, %c1518500250_i64 : i64
      %7 = arith.addi %6, %c137438953472_i64 : i64
      %8 = arith.cmpi sge, %in, %c0_i32 : i32
      %9 = arith.select %8, %c1073741824_i64, %c-1073741824_i64 : i64
      %10 = arith.addi %9, %7 : i64
      %11 = arith.shrsi %10, %c38_i64 : i64
      %12 = arith.trunci %11 : i64 to i32
      %13 = arith.addi %12, %c5_i32 : i32
      %14 = arith.maxsi %13, %c-128_i32 : i32
      %15 = arith.minsi %14, %c127_i32 : i32
      %16 = arith.trunci %15 : i32 to i8
      linalg.yield %16 : i8
    } -> tensor<1x4x4x4xi8>
    return %4 : tensor<1x4x4x4xi8>
  }
}

