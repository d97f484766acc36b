#map = affine_map<(d0, d1, d2, d3) -> (d3)>
#map1 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
#map2 = affine_map<(d0, d1) -> (d0, d1)>
#map3 = affine_map<(d0, d1) -> (d0)>
module {
  func.func @main(%arg0: tensor<1x8x8x3xf32>, %arg1: tensor<4x3x3x3xf32>, %arg2: tensor<4xf32>, %arg3: tensor<3x3x4x1xf32>, %arg4: tensor<4xf32>, %arg5: tensor<1x4x5xf32>) -> (tensor<1x5xf32>, tensor<1xi32>) {
    %cst = arith.constant 1.600000e+01 : f32
    %c0_i32 = arith.constant 0 : i32
    %cst_0 = arith.constant -3.40282347E+38 : f32
    %cst_1 = arith.constant 6.000000e+00 : f32
    %cst_2 = arith.constant 0.000000e+00 : f32
    %padded = tensor.pad %arg0 low[0, 1, 1, 0] high[0, 1, 1, 0] {
    ^bb0(%arg6: index, %arg7: index, %arg8: index, %arg9: index):
      tensor.yield %cst_2 : f32
    } : tensor<1x8x8x3xf32> to tensor<1x10x10x3xf32>
    %0 = tensor.empty() : tensor<1x8x8x4xf32>
    %1 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%arg2 : tensor<4xf32>) outs(%0 : tensor<1x8x8x4xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<1x8x8x4xf32>
    %2 = linalg.conv_2d_nhwc_fhwc {dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>} ins(%padded, %arg1 : tensor<1x10x10x3xf32>, tensor<4x3x3x3xf32>) outs(%1 : tensor<1x8x8x4xf32>) -> tensor<1x8x8x4xf32>
    %3 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%2 : tensor<1x8x8x4xf32>) outs(%0 : tensor<1x8x8x4xf32>) {
    ^bb0(%in: f32, %out: f32):
      %26 = arith.minimumf %in, %cst_1 : f32
      %27 = arith.maximumf %26, %cst_2 : f32
      linalg.yield %27 : f32
    } -> tensor<1x8x8x4xf32>
    %4 = tensor.empty() : tensor<1x4x4x4xf32>
    %5 = linalg.fill ins(%cst_0 : f32) outs(%4 : tensor<1x4x4x4xf32>) -> tensor<1x4x4x4xf32>
    %6 = tensor.empty() : tensor<2x2xf32>
    %7 = linalg.pooling_nhwc_max {dilations = dense<1> : vector<2xi64>, strides = dense<2> : vector<2xi64>} ins(%3, %6 : tensor<1x8x8x4xf32>, tensor<2x2xf32>) outs(%5 : tensor<1x4x4x4xf32>) -> tensor<1x4x4x4xf32>
    %padded_3 = tensor.pad %7 low[0, 1, 1, 0] high[0, 1, 1, 0] {
    ^bb0(%arg6: index, %arg7: index, %arg8: index, %arg9: index):
      tensor.yield %cst_2 : f32
    } : tensor<1x4x4x4xf32> to tensor<1x6x6x4xf32>
    %8 = tensor.empty() : tensor<1x4x4x4x1xf32>
    %9 = linalg.fill ins(%cst_2 : f32) outs(%8 : tensor<1x4x4x4x1xf32>) -> tensor<1x4x4x4x1xf32>
    %10 = linalg.depthwise_conv_2d_nhwc_hwcm {dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>} ins(%padded_3, %arg3 : tensor<1x6x6x4xf32>, tensor<3x3x4x1xf32>) outs(%9 : tensor<1x4x4x4x1xf32>) -> tensor<1x4x4x4x1xf32>
    %collapsed = tensor.collapse_shape %10 [[0], [1], [2], [3, 4]] : tensor<1x4x4x4x1xf32> into tensor<1x4x4x4xf32>
    %11 = linalg.generic {indexing_maps = [#map, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%arg4, %collapsed : tensor<4xf32>, tensor<1x4x4x4xf32>) outs(%4 : tensor<1x4x4x4xf32>) {
    ^bb0(%in: f32, %in_6: f32, %out: f32):
      %26 = arith.addf %in, %in_6 : f32
      linalg.yield %26 : f32
    } -> tensor<1x4x4x4xf32>
    %12 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%7, %11 : tensor<1x4x4x4xf32>, tensor<1x4x4x4xf32>) outs(%4 : tensor<1x4x4x4xf32>) {
    ^bb0(%in: f32, %in_6: f32, %out: f32):
      %26 = arith.addf %in, %in_6 : f32
      linalg.yield %26 : f32
    } -> tensor<1x4x4x4xf32>
    %13 = tensor.empty() : tensor<1x1x1x4xf32>
    %14 = linalg.fill ins(%cst_2 : f32) outs(%13 : tensor<1x1x1x4xf32>) -> tensor<1x1x1x4xf32>
    %15 = tensor.empty() : tensor<4x4xf32>
    %16 = linalg.pooling_nhwc_sum {dilations = dense<1> : vector<2xi64>, strides = dense<1> : vector<2xi64>} ins(%12, %15 : tensor<1x4x4x4xf32>, tensor<4x4xf32>) outs(%14 : tensor<1x1x1x4xf32>) -> tensor<1x1x1x4xf32>
    %17 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%16 : tensor<1x1x1x4xf32>) outs(%13 : tensor<1x1x1x4xf32>) {
    ^bb0(%in: f32, %out: f32):
      %26 = arith.divf %in, %cst : f32
      linalg.yield %26 : f32
    } -> tensor<1x1x1x4xf32>
    %collapsed_4 = tensor.collapse_shape %17 [[0], [1, 2], [3]] : tensor<1x1x1x4xf32> into tensor<1x1x4xf32>
    %18 = tensor.empty() : tensor<1x1x5xf32>
    %19 = linalg.fill ins(%cst_2 : f32) outs(%18 : tensor<1x1x5xf32>) -> tensor<1x1x5xf32>
    %20 = linalg.batch_matmul ins(%collapsed_4, %arg5 : tensor<1x1x4xf32>, tensor<1x4x5xf32>) outs(%19 : tensor<1x1x5xf32>) -> tensor<1x1x5xf32>
    %collapsed_5 = tensor.collapse_shape %20 [[0, 1], [2]] : tensor<1x1x5xf32> into tensor<1x5xf32>
    %21 = tensor.empty() : tensor<1xi32>
    %22 = linalg.fill ins(%c0_i32 : i32) outs(%21 : tensor<1xi32>) -> tensor<1xi32>
    %23 = tensor.empty() : tensor<1xf32>
    %24 = linalg.fill ins(%cst_0 : f32) outs(%23 : tensor<1xf32>) -> tensor<1xf32>
    %25:2 = linalg.generic {indexing_maps = [#map2, #map3, #map3], iterator_types = ["parallel", "reduction"]} ins(%collapsed_5 : tensor<1x5xf32>) outs(%22, %24 : tensor<1xi32>, tensor<1xf32>) {
    ^bb0(%in: f32, %out: i32, %out_6: f32):
      %26 = linalg.index 1 : index
      %27 = arith.index_cast %26 : index to i32
      %28 = arith.cmpf ugt, %in, %out_6 : f32
      %29 = arith.cmpf ord, %out_6, %out_6 : f32
      %30 = arith.andi %28, %29 : i1
      %31 = arith.select %30, %in, %out_6 : f32
      %32 = arith.select %30, %27, %out : i32
      linalg.yield %32, %31 : i32, f32
    } -> (tensor<1xi32>, tensor<1xf32>)
    return %collapsed_5, %25#0 : tensor<1x5xf32>, tensor<1xi32>
  }
}

