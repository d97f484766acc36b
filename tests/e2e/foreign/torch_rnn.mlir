#map = affine_map<(d0, d1) -> (d0, d1)>
module {
  func.func @main(%arg0: tensor<2x4x6xf32>, %arg1: tensor<2x5xf32>, %arg2: tensor<5x6xf32>, %arg3: tensor<5x5xf32>) -> tensor<2x5xf32> {
    %cst = arith.constant 0.000000e+00 : f32
    %extracted_slice = tensor.extract_slice %arg0[0, 0, 0] [2, 1, 6] [1, 1, 1] : tensor<2x4x6xf32> to tensor<2x1x6xf32>
    %collapsed = tensor.collapse_shape %extracted_slice [[0, 1], [2]] : tensor<2x1x6xf32> into tensor<2x6xf32>
    %0 = tensor.empty() : tensor<6x5xf32>
    %transposed = linalg.transpose ins(%arg2 : tensor<5x6xf32>) outs(%0 : tensor<6x5xf32>) permutation = [1, 0] 
    %1 = tensor.empty() : tensor<2x5xf32>
    %2 = linalg.fill ins(%cst : f32) outs(%1 : tensor<2x5xf32>) -> tensor<2x5xf32>
    %3 = linalg.matmul ins(%collapsed, %transposed : tensor<2x6xf32>, tensor<6x5xf32>) outs(%2 : tensor<2x5xf32>) -> tensor<2x5xf32>
    %4 = tensor.empty() : tensor<5x5xf32>
    %transposed_0 = linalg.transpose ins(%arg3 : tensor<5x5xf32>) outs(%4 : tensor<5x5xf32>) permutation = [1, 0] 
    %5 = linalg.matmul ins(%arg1, %transposed_0 : tensor<2x5xf32>, tensor<5x5xf32>) outs(%2 : tensor<2x5xf32>) -> tensor<2x5xf32>
    %6 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%3, %5 : tensor<2x5xf32>, tensor<2x5xf32>) outs(%1 : tensor<2x5xf32>) {
    ^bb0(%in: f32, %in_7: f32, %out: f32):
      %20 = arith.addf %in, %in_7 : f32
      linalg.yield %20 : f32
    } -> tensor<2x5xf32>
    %7 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%6 : tensor<2x5xf32>) outs(%1 : tensor<2x5xf32>) {
    ^bb0(%in: f32, %out: f32):
      %20 = math.tanh %in : f32
      linalg.yield %20 : f32
    } -> tensor<2x5xf32>
    %extracted_slice_1 = tensor.extract_slice %arg0[0, 1, 0] [2, 1, 6] [1, 1, 1] : tensor<2x4x6xf32> to tensor<2x1x6xf32>
    %collapsed_2 = tensor.collapse_shape %extracted_slice_1 [[0, 1], [2]] : tensor<2x1x6xf32> into tensor<2x6xf32>
    %8 = linalg.matmul ins(%collapsed_2, %transposed : tensor<2x6xf32>, tensor<6x5xf32>) outs(%2 : tensor<2x5xf32>) -> tensor<2x5xf32>
    %9 = linalg.matmul ins(%7, %transposed_0 : tensor<2x5xf32>, tensor<5x5xf32>) outs(%2 : tensor<2x5xf32>) -> tensor<2x5xf32>
    %10 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%8, %9 : tensor<2x5xf32>, tensor<2x5xf32>) outs(%1 : tensor<2x5xf32>) {
    ^bb0(%in: f32, %in_7: f32, %out: f32):
      %20 = arith.addf %in, %in_7 : f32
      linalg.yield %20 : f32
    } -> tensor<2x5xf32>
    %11 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%10 : tensor<2x5xf32>) outs(%1 : tensor<2x5xf32>) {
    ^bb0(%in: f32, %out: f32):
      %20 = math.tanh %in : f32
      linalg.yield %20 : f32
    } -> tensor<2x5xf32>
    %extracted_slice_3 = tensor.extract_slice %arg0[0, 2, 0] [2, 1, 6] [1, 1, 1] : tensor<2x4x6xf32> to tensor<2x1x6xf32>
    %collapsed_4 = tensor.collapse_shape %extracted_slice_3 [[0, 1], [2]] : tensor<2x1x6xf32> into tensor<2x6xf32>
    %12 = linalg.matmul ins(%collapsed_4, %transposed : tensor<2x6xf32>, tensor<6x5xf32>) outs(%2 : tensor<2x5xf32>) -> tensor<2x5xf32>
    %13 = linalg.matmul ins(%11, %transposed_0 : tensor<2x5xf32>, tensor<5x5xf32>) outs(%2 : tensor<2x5xf32>) -> tensor<2x5xf32>
    %14 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%12, %13 : tensor<2x5xf32>, tensor<2x5xf32>) outs(%1 : tensor<2x5xf32>) {
    ^bb0(%in: f32, %in_7: f32, %out: f32):
      %20 = arith.addf %in, %in_7 : f32
      linalg.yield %20 : f32
    } -> tensor<2x5xf32>
    %15 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%14 : tensor<2x5xf32>) outs(%1 : tensor<2x5xf32>) {
    ^bb0(%in: f32, %out: f32):
      %20 = math.tanh %in : f32
      linalg.yield %20 : f32
    } -> tensor<2x5xf32>
    %extracted_slice_5 = tensor.extract_slice %arg0[0, 3, 0] [2, 1, 6] [1, 1, 1] : tensor<2x4x6xf32> to tensor<2x1x6xf32>
    %collapsed_6 = tensor.collapse_shape %extracted_slice_5 [[0, 1], [2]] : tensor<2x1x6xf32> into tensor<2x6xf32>
    %16 = linalg.matmul ins(%collapsed_6, %transposed : tensor<2x6xf32>, tensor<6x5xf32>) outs(%2 : tensor<2x5xf32>) -> tensor<2x5xf32>
    %17 = linalg.matmul ins(%15, %transposed_0 : tensor<2x5xf32>, tensor<5x5xf32>) outs(%2 : tensor<2x5xf32>) -> tensor<2x5xf32>
    %18 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%16, %17 : tensor<2x5xf32>, tensor<2x5xf32>) outs(%1 : tensor<2x5xf32>) {
    ^bb0(%in: f32, %in_7: f32, %out: f32):
      %20 = arith.addf %in, %in_7 : f32
      linalg.yield %20 : f32
    } -> tensor<2x5xf32>
    %19 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%18 : tensor<2x5xf32>) outs(%1 : tensor<2x5xf32>) {
    ^bb0(%in: f32, %out: f32):
      %20 = math.tanh %in : f32
      linalg.yield %20 : f32
    } -> tensor<2x5xf32>
    return %19 : tensor<2x5xf32>
  }
}
