#map = affine_map<(d0) -> (d0)>
#map1 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
#map2 = affine_map<(d0, d1, d2, d3) -> (d1, 0, 0)>
#map3 = affine_map<(d0, d1, d2, d3) -> (d0, d1, 0, 0)>
#map4 = affine_map<(d0, d1) -> (d0, d1)>
#map5 = affine_map<(d0, d1) -> (d0)>
#map6 = affine_map<(d0, d1) -> (d0, 0)>
module {
  func.func @main(%arg0: tensor<2x3x16x16xf32>, %arg1: tensor<8x3x3x3xf32>, %arg2: tensor<8xf32>, %arg3: tensor<8xf32>, %arg4: tensor<8xf32>, %arg5: tensor<8xf32>, %arg6: tensor<8xf32>, %arg7: tensor<8x8x1x1xf32>, %arg8: tensor<8x1x3x3xf32>, %arg9: tensor<5x8xf32>) -> tensor<2x5xf32> {
    %c0_i64 = arith.constant 0 : i64
    %cst = arith.constant 0.000000e+00 : f32
    %cst_0 = arith.constant 1.000000e+00 : f32
    %cst_1 = arith.constant 0xFF800000 : f32
    %cst_2 = arith.constant 1.000000e-05 : f64
    %cst_3 = arith.constant 1.600000e+01 : f32
    %padded = tensor.pad %arg0 low[0, 0, 1, 1] high[0, 0, 1, 1] {
    ^bb0(%arg10: index, %arg11: index, %arg12: index, %arg13: index):
      tensor.yield %cst : f32
    } : tensor<2x3x16x16xf32> to tensor<2x3x18x18xf32>
    %0 = tensor.empty() : tensor<2x8x8x8xf32>
    %broadcasted = linalg.broadcast ins(%arg2 : tensor<8xf32>) outs(%0 : tensor<2x8x8x8xf32>) dimensions = [0, 2, 3] 
    %1 = linalg.conv_2d_nchw_fchw {dilations = dense<1> : vector<2xi64>, strides = dense<2> : vector<2xi64>} ins(%padded, %arg1 : tensor<2x3x18x18xf32>, tensor<8x3x3x3xf32>) outs(%broadcasted : tensor<2x8x8x8xf32>) -> tensor<2x8x8x8xf32>
    %2 = tensor.empty() : tensor<8xf32>
    %3 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%arg6 : tensor<8xf32>) outs(%2 : tensor<8xf32>) {
    ^bb0(%in: f32, %out: f32):
      %41 = arith.truncf %cst_2 : f64 to f32
      %42 = arith.addf %in, %41 : f32
      linalg.yield %42 : f32
    } -> tensor<8xf32>
    %4 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%3 : tensor<8xf32>) outs(%2 : tensor<8xf32>) {
    ^bb0(%in: f32, %out: f32):
      %41 = math.sqrt %in : f32
      linalg.yield %41 : f32
    } -> tensor<8xf32>
    %5 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%4 : tensor<8xf32>) outs(%2 : tensor<8xf32>) {
    ^bb0(%in: f32, %out: f32):
      %41 = arith.cmpf one, %in, %cst : f32
      cf.assert %41, "unimplemented: tensor with zero element"
      %42 = arith.divf %cst_0, %in : f32
      linalg.yield %42 : f32
    } -> tensor<8xf32>
    %expanded = tensor.expand_shape %arg5 [[0, 1, 2]] output_shape [8, 1, 1] : tensor<8xf32> into tensor<8x1x1xf32>
    %expanded_4 = tensor.expand_shape %5 [[0, 1, 2]] output_shape [8, 1, 1] : tensor<8xf32> into tensor<8x1x1xf32>
    %6 = linalg.generic {indexing_maps = [#map1, #map2, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%1, %expanded : tensor<2x8x8x8xf32>, tensor<8x1x1xf32>) outs(%0 : tensor<2x8x8x8xf32>) {
    ^bb0(%in: f32, %in_11: f32, %out: f32):
      %41 = arith.subf %in, %in_11 : f32
      linalg.yield %41 : f32
    } -> tensor<2x8x8x8xf32>
    %7 = linalg.generic {indexing_maps = [#map1, #map2, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%6, %expanded_4 : tensor<2x8x8x8xf32>, tensor<8x1x1xf32>) outs(%0 : tensor<2x8x8x8xf32>) {
    ^bb0(%in: f32, %in_11: f32, %out: f32):
      %41 = arith.mulf %in, %in_11 : f32
      linalg.yield %41 : f32
    } -> tensor<2x8x8x8xf32>
    %expanded_5 = tensor.expand_shape %arg3 [[0, 1, 2]] output_shape [8, 1, 1] : tensor<8xf32> into tensor<8x1x1xf32>
    %8 = linalg.generic {indexing_maps = [#map1, #map2, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%7, %expanded_5 : tensor<2x8x8x8xf32>, tensor<8x1x1xf32>) outs(%0 : tensor<2x8x8x8xf32>) {
    ^bb0(%in: f32, %in_11: f32, %out: f32):
      %41 = arith.mulf %in, %in_11 : f32
      linalg.yield %41 : f32
    } -> tensor<2x8x8x8xf32>
    %expanded_6 = tensor.expand_shape %arg4 [[0, 1, 2]] output_shape [8, 1, 1] : tensor<8xf32> into tensor<8x1x1xf32>
    %9 = linalg.generic {indexing_maps = [#map1, #map2, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%8, %expanded_6 : tensor<2x8x8x8xf32>, tensor<8x1x1xf32>) outs(%0 : tensor<2x8x8x8xf32>) {
    ^bb0(%in: f32, %in_11: f32, %out: f32):
      %41 = arith.addf %in, %in_11 : f32
      linalg.yield %41 : f32
    } -> tensor<2x8x8x8xf32>
    %10 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%9 : tensor<2x8x8x8xf32>) outs(%0 : tensor<2x8x8x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      %41 = arith.cmpf ugt, %in, %cst : f32
      %42 = arith.select %41, %in, %cst : f32
      linalg.yield %42 : f32
    } -> tensor<2x8x8x8xf32>
    %padded_7 = tensor.pad %10 low[0, 0, 1, 1] high[0, 0, 1, 1] {
    ^bb0(%arg10: index, %arg11: index, %arg12: index, %arg13: index):
      tensor.yield %cst_1 : f32
    } : tensor<2x8x8x8xf32> to tensor<2x8x10x10xf32>
    %11 = tensor.empty() : tensor<2x8x4x4xf32>
    %12 = linalg.fill ins(%cst_1 : f32) outs(%11 : tensor<2x8x4x4xf32>) -> tensor<2x8x4x4xf32>
    %13 = tensor.empty() : tensor<3x3xf32>
    %14 = linalg.pooling_nchw_max {dilations = dense<1> : vector<2xi64>, strides = dense<2> : vector<2xi64>} ins(%padded_7, %13 : tensor<2x8x10x10xf32>, tensor<3x3xf32>) outs(%12 : tensor<2x8x4x4xf32>) -> tensor<2x8x4x4xf32>
    %padded_8 = tensor.pad %14 low[0, 0, 1, 1] high[0, 0, 1, 1] {
    ^bb0(%arg10: index, %arg11: index, %arg12: index, %arg13: index):
      tensor.yield %cst : f32
    } : tensor<2x8x4x4xf32> to tensor<2x8x6x6xf32>
    %15 = linalg.fill ins(%cst : f32) outs(%11 : tensor<2x8x4x4xf32>) -> tensor<2x8x4x4xf32>
    %collapsed = tensor.collapse_shape %arg8 [[0, 1], [2], [3]] : tensor<8x1x3x3xf32> into tensor<8x3x3xf32>
    %16 = linalg.depthwise_conv_2d_nchw_chw {dilations = dense<1> : vector<2xi64>, strides = dense<1> : vector<2xi64>} ins(%padded_8, %collapsed : tensor<2x8x6x6xf32>, tensor<8x3x3xf32>) outs(%15 : tensor<2x8x4x4xf32>) -> tensor<2x8x4x4xf32>
    %17 = linalg.conv_2d_nchw_fchw {dilations = dense<1> : vector<2xi64>, strides = dense<1> : vector<2xi64>} ins(%16, %arg7 : tensor<2x8x4x4xf32>, tensor<8x8x1x1xf32>) outs(%15 : tensor<2x8x4x4xf32>) -> tensor<2x8x4x4xf32>
    %18 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%14, %17 : tensor<2x8x4x4xf32>, tensor<2x8x4x4xf32>) outs(%11 : tensor<2x8x4x4xf32>) {
    ^bb0(%in: f32, %in_11: f32, %out: f32):
      %41 = arith.addf %in, %in_11 : f32
      linalg.yield %41 : f32
    } -> tensor<2x8x4x4xf32>
    %19 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%18 : tensor<2x8x4x4xf32>) outs(%11 : tensor<2x8x4x4xf32>) {
    ^bb0(%in: f32, %out: f32):
      %41 = arith.negf %in : f32
      %42 = math.exp %41 : f32
      %43 = arith.addf %42, %cst_0 : f32
      %44 = arith.divf %cst_0, %43 : f32
      linalg.yield %44 : f32
    } -> tensor<2x8x4x4xf32>
    %20 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%18, %19 : tensor<2x8x4x4xf32>, tensor<2x8x4x4xf32>) outs(%11 : tensor<2x8x4x4xf32>) {
    ^bb0(%in: f32, %in_11: f32, %out: f32):
      %41 = arith.mulf %in, %in_11 : f32
      linalg.yield %41 : f32
    } -> tensor<2x8x4x4xf32>
    %21 = tensor.empty() : tensor<2x8x1x1xf32>
    %22 = linalg.fill ins(%cst : f32) outs(%21 : tensor<2x8x1x1xf32>) -> tensor<2x8x1x1xf32>
    %23 = linalg.generic {indexing_maps = [#map1, #map3], iterator_types = ["parallel", "parallel", "reduction", "reduction"]} ins(%20 : tensor<2x8x4x4xf32>) outs(%22 : tensor<2x8x1x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %41 = arith.addf %in, %out : f32
      linalg.yield %41 : f32
    } -> tensor<2x8x1x1xf32>
    %24 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%23 : tensor<2x8x1x1xf32>) outs(%21 : tensor<2x8x1x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %41 = arith.divf %in, %cst_3 : f32
      linalg.yield %41 : f32
    } -> tensor<2x8x1x1xf32>
    %collapsed_9 = tensor.collapse_shape %24 [[0], [1, 2, 3]] : tensor<2x8x1x1xf32> into tensor<2x8xf32>
    %25 = tensor.empty() : tensor<8x5xf32>
    %transposed = linalg.transpose ins(%arg9 : tensor<5x8xf32>) outs(%25 : tensor<8x5xf32>) permutation = [1, 0] 
    %26 = tensor.empty() : tensor<2x5xf32>
    %27 = linalg.fill ins(%cst : f32) outs(%26 : tensor<2x5xf32>) -> tensor<2x5xf32>
    %28 = linalg.matmul ins(%collapsed_9, %transposed : tensor<2x8xf32>, tensor<8x5xf32>) outs(%27 : tensor<2x5xf32>) -> tensor<2x5xf32>
    %29 = tensor.empty() : tensor<2xi64>
    %30 = linalg.fill ins(%c0_i64 : i64) outs(%29 : tensor<2xi64>) -> tensor<2xi64>
    %31 = tensor.empty() : tensor<2xf32>
    %32 = linalg.fill ins(%cst_1 : f32) outs(%31 : tensor<2xf32>) -> tensor<2xf32>
    %33:2 = linalg.generic {indexing_maps = [#map4, #map5, #map5], iterator_types = ["parallel", "reduction"]} ins(%28 : tensor<2x5xf32>) outs(%32, %30 : tensor<2xf32>, tensor<2xi64>) {
    ^bb0(%in: f32, %out: f32, %out_11: i64):
      %41 = linalg.index 1 : index
      %42 = arith.index_cast %41 : index to i64
      %43 = arith.maximumf %in, %out : f32
      %44 = arith.cmpf ogt, %in, %out : f32
      %45 = arith.select %44, %42, %out_11 : i64
      linalg.yield %43, %45 : f32, i64
    } -> (tensor<2xf32>, tensor<2xi64>)
    %expanded_10 = tensor.expand_shape %33#0 [[0, 1]] output_shape [2, 1] : tensor<2xf32> into tensor<2x1xf32>
    %34 = linalg.generic {indexing_maps = [#map4, #map6, #map4], iterator_types = ["parallel", "parallel"]} ins(%28, %expanded_10 : tensor<2x5xf32>, tensor<2x1xf32>) outs(%26 : tensor<2x5xf32>) {
    ^bb0(%in: f32, %in_11: f32, %out: f32):
      %41 = arith.subf %in, %in_11 : f32
      linalg.yield %41 : f32
    } -> tensor<2x5xf32>
    %35 = linalg.generic {indexing_maps = [#map4, #map4], iterator_types = ["parallel", "parallel"]} ins(%34 : tensor<2x5xf32>) outs(%26 : tensor<2x5xf32>) {
    ^bb0(%in: f32, %out: f32):
      %41 = math.exp %in : f32
      linalg.yield %41 : f32
    } -> tensor<2x5xf32>
    %36 = tensor.empty() : tensor<2x1xf32>
    %37 = linalg.fill ins(%cst : f32) outs(%36 : tensor<2x1xf32>) -> tensor<2x1xf32>
    %38 = linalg.generic {indexing_maps = [#map4, #map6], iterator_types = ["parallel", "reduction"]} ins(%35 : tensor<2x5xf32>) outs(%37 : tensor<2x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %41 = arith.addf %in, %out : f32
      linalg.yield %41 : f32
    } -> tensor<2x1xf32>
    %39 = linalg.generic {indexing_maps = [#map4, #map4], iterator_types = ["parallel", "parallel"]} ins(%38 : tensor<2x1xf32>) outs(%36 : tensor<2x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %41 = math.log %in : f32
      linalg.yield %41 : f32
    } -> tensor<2x1xf32>
    %40 = linalg.generic {indexing_maps = [#map4, #map6, #map4], iterator_types = ["parallel", "parallel"]} ins(%34, %39 : tensor<2x5xf32>, tensor<2x1xf32>) outs(%26 : tensor<2x5xf32>) {
    ^bb0(%in: f32, %in_11: f32, %out: f32):
      %41 = arith.subf %in, %in_11 : f32
      linalg.yield %41 : f32
    } -> tensor<2x5xf32>
    return %40 : tensor<2x5xf32>
  }
}
