#map = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#map1 = affine_map<(d0, d1, d2) -> (d0, d1, 0)>
#map2 = affine_map<(d0, d1, d2) -> (d2)>
#map3 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
#map4 = affine_map<(d0) -> (d0)>
#map5 = affine_map<(d0, d1) -> (0, d1)>
#map6 = affine_map<(d0, d1) -> (d0, 0)>
#map7 = affine_map<(d0, d1) -> (d0, d1)>
#map8 = affine_map<(d0, d1, d2, d3) -> (d2, d3)>
#map9 = affine_map<(d0, d1, d2, d3) -> ()>
#map10 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>
#map11 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, 0)>
module {
  func.func @main(%arg0: tensor<2x6x16xf32>, %arg1: tensor<16xf32>, %arg2: tensor<16xf32>, %arg3: tensor<48x16xf32>, %arg4: tensor<16x16xf32>, %arg5: tensor<16xf32>, %arg6: tensor<16xf32>, %arg7: tensor<64x16xf32>, %arg8: tensor<16x64xf32>) -> tensor<2x6x16xf32> {
    %c0_i64 = arith.constant 0 : i64
    %cst = arith.constant 0.000000e+00 : f64
    %cst_0 = arith.constant 0.000000e+00 : f32
    %true = arith.constant true
    %cst_1 = arith.constant 0xFF800000 : f32
    %cst_2 = arith.constant 1.000000e+00 : f32
    %cst_3 = arith.constant dense<0xFF800000> : tensor<f32>
    %cst_4 = arith.constant dense<true> : tensor<6x6xi1>
    %cst_5 = arith.constant 1.000000e-05 : f64
    %cst_6 = arith.constant 1.600000e+01 : f64
    %cst_7 = arith.constant 1.600000e+01 : f32
    %cst_8 = arith.constant 2.000000e+00 : f32
    %0 = tensor.empty() : tensor<2x6x16xf64>
    %1 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg0 : tensor<2x6x16xf32>) outs(%0 : tensor<2x6x16xf64>) {
    ^bb0(%in: f32, %out: f64):
      %88 = arith.extf %in : f32 to f64
      linalg.yield %88 : f64
    } -> tensor<2x6x16xf64>
    %2 = tensor.empty() : tensor<2x6x1xf64>
    %3 = linalg.fill ins(%cst : f64) outs(%2 : tensor<2x6x1xf64>) -> tensor<2x6x1xf64>
    %4 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel", "reduction"]} ins(%1 : tensor<2x6x16xf64>) outs(%3 : tensor<2x6x1xf64>) {
    ^bb0(%in: f64, %out: f64):
      %88 = arith.addf %in, %out : f64
      linalg.yield %88 : f64
    } -> tensor<2x6x1xf64>
    %5 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%4 : tensor<2x6x1xf64>) outs(%2 : tensor<2x6x1xf64>) {
    ^bb0(%in: f64, %out: f64):
      %88 = arith.divf %in, %cst_6 : f64
      linalg.yield %88 : f64
    } -> tensor<2x6x1xf64>
    %6 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%1, %5 : tensor<2x6x16xf64>, tensor<2x6x1xf64>) outs(%0 : tensor<2x6x16xf64>) {
    ^bb0(%in: f64, %in_36: f64, %out: f64):
      %88 = arith.subf %in, %in_36 : f64
      linalg.yield %88 : f64
    } -> tensor<2x6x16xf64>
    %7 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%6, %6 : tensor<2x6x16xf64>, tensor<2x6x16xf64>) outs(%0 : tensor<2x6x16xf64>) {
    ^bb0(%in: f64, %in_36: f64, %out: f64):
      %88 = arith.mulf %in, %in_36 : f64
      linalg.yield %88 : f64
    } -> tensor<2x6x16xf64>
    %8 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel", "reduction"]} ins(%7 : tensor<2x6x16xf64>) outs(%3 : tensor<2x6x1xf64>) {
    ^bb0(%in: f64, %out: f64):
      %88 = arith.addf %in, %out : f64
      linalg.yield %88 : f64
    } -> tensor<2x6x1xf64>
    %9 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%8 : tensor<2x6x1xf64>) outs(%2 : tensor<2x6x1xf64>) {
    ^bb0(%in: f64, %out: f64):
      %88 = arith.divf %in, %cst_6 : f64
      linalg.yield %88 : f64
    } -> tensor<2x6x1xf64>
    %10 = tensor.empty() : tensor<2x6x1xf32>
    %11 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%9 : tensor<2x6x1xf64>) outs(%10 : tensor<2x6x1xf32>) {
    ^bb0(%in: f64, %out: f32):
      %88 = arith.truncf %in : f64 to f32
      linalg.yield %88 : f32
    } -> tensor<2x6x1xf32>
    %12 = linalg.fill ins(%cst_0 : f32) outs(%10 : tensor<2x6x1xf32>) -> tensor<2x6x1xf32>
    %13 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel", "reduction"]} ins(%arg0 : tensor<2x6x16xf32>) outs(%12 : tensor<2x6x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %88 = arith.addf %in, %out : f32
      linalg.yield %88 : f32
    } -> tensor<2x6x1xf32>
    %14 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%13 : tensor<2x6x1xf32>) outs(%10 : tensor<2x6x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %88 = arith.divf %in, %cst_7 : f32
      linalg.yield %88 : f32
    } -> tensor<2x6x1xf32>
    %15 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%11 : tensor<2x6x1xf32>) outs(%10 : tensor<2x6x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %88 = arith.truncf %cst_5 : f64 to f32
      %89 = arith.addf %in, %88 : f32
      linalg.yield %89 : f32
    } -> tensor<2x6x1xf32>
    %16 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%15 : tensor<2x6x1xf32>) outs(%10 : tensor<2x6x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %88 = math.rsqrt %in : f32
      linalg.yield %88 : f32
    } -> tensor<2x6x1xf32>
    %17 = tensor.empty() : tensor<2x6x16xf32>
    %18 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg0, %14 : tensor<2x6x16xf32>, tensor<2x6x1xf32>) outs(%17 : tensor<2x6x16xf32>) {
    ^bb0(%in: f32, %in_36: f32, %out: f32):
      %88 = arith.subf %in, %in_36 : f32
      linalg.yield %88 : f32
    } -> tensor<2x6x16xf32>
    %19 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%18, %16 : tensor<2x6x16xf32>, tensor<2x6x1xf32>) outs(%17 : tensor<2x6x16xf32>) {
    ^bb0(%in: f32, %in_36: f32, %out: f32):
      %88 = arith.mulf %in, %in_36 : f32
      linalg.yield %88 : f32
    } -> tensor<2x6x16xf32>
    %20 = linalg.generic {indexing_maps = [#map, #map2, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%19, %arg1 : tensor<2x6x16xf32>, tensor<16xf32>) outs(%17 : tensor<2x6x16xf32>) {
    ^bb0(%in: f32, %in_36: f32, %out: f32):
      %88 = arith.mulf %in, %in_36 : f32
      linalg.yield %88 : f32
    } -> tensor<2x6x16xf32>
    %21 = linalg.generic {indexing_maps = [#map, #map2, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%20, %arg2 : tensor<2x6x16xf32>, tensor<16xf32>) outs(%17 : tensor<2x6x16xf32>) {
    ^bb0(%in: f32, %in_36: f32, %out: f32):
      %88 = arith.addf %in, %in_36 : f32
      linalg.yield %88 : f32
    } -> tensor<2x6x16xf32>
    %22 = tensor.empty() : tensor<16x48xf32>
    %transposed = linalg.transpose ins(%arg3 : tensor<48x16xf32>) outs(%22 : tensor<16x48xf32>) permutation = [1, 0] 
    %collapsed = tensor.collapse_shape %21 [[0, 1], [2]] : tensor<2x6x16xf32> into tensor<12x16xf32>
    %23 = tensor.empty() : tensor<12x48xf32>
    %24 = linalg.fill ins(%cst_0 : f32) outs(%23 : tensor<12x48xf32>) -> tensor<12x48xf32>
    %25 = linalg.matmul ins(%collapsed, %transposed : tensor<12x16xf32>, tensor<16x48xf32>) outs(%24 : tensor<12x48xf32>) -> tensor<12x48xf32>
    %expanded = tensor.expand_shape %25 [[0, 1], [2]] output_shape [2, 6, 48] : tensor<12x48xf32> into tensor<2x6x48xf32>
    %extracted_slice = tensor.extract_slice %expanded[0, 0, 0] [2, 6, 16] [1, 1, 1] : tensor<2x6x48xf32> to tensor<2x6x16xf32>
    %extracted_slice_9 = tensor.extract_slice %expanded[0, 0, 16] [2, 6, 16] [1, 1, 1] : tensor<2x6x48xf32> to tensor<2x6x16xf32>
    %extracted_slice_10 = tensor.extract_slice %expanded[0, 0, 32] [2, 6, 16] [1, 1, 1] : tensor<2x6x48xf32> to tensor<2x6x16xf32>
    %expanded_11 = tensor.expand_shape %extracted_slice [[0], [1], [2, 3]] output_shape [2, 6, 4, 4] : tensor<2x6x16xf32> into tensor<2x6x4x4xf32>
    %26 = tensor.empty() : tensor<2x4x6x4xf32>
    %transposed_12 = linalg.transpose ins(%expanded_11 : tensor<2x6x4x4xf32>) outs(%26 : tensor<2x4x6x4xf32>) permutation = [0, 2, 1, 3] 
    %expanded_13 = tensor.expand_shape %extracted_slice_9 [[0], [1], [2, 3]] output_shape [2, 6, 4, 4] : tensor<2x6x16xf32> into tensor<2x6x4x4xf32>
    %expanded_14 = tensor.expand_shape %extracted_slice_10 [[0], [1], [2, 3]] output_shape [2, 6, 4, 4] : tensor<2x6x16xf32> into tensor<2x6x4x4xf32>
    %transposed_15 = linalg.transpose ins(%expanded_14 : tensor<2x6x4x4xf32>) outs(%26 : tensor<2x4x6x4xf32>) permutation = [0, 2, 1, 3] 
    %27 = tensor.empty() : tensor<2x4x4x6xf32>
    %transposed_16 = linalg.transpose ins(%expanded_13 : tensor<2x6x4x4xf32>) outs(%27 : tensor<2x4x4x6xf32>) permutation = [0, 2, 3, 1] 
    %collapsed_17 = tensor.collapse_shape %transposed_12 [[0, 1], [2], [3]] : tensor<2x4x6x4xf32> into tensor<8x6x4xf32>
    %collapsed_18 = tensor.collapse_shape %transposed_16 [[0, 1], [2], [3]] : tensor<2x4x4x6xf32> into tensor<8x4x6xf32>
    %28 = tensor.empty() : tensor<8x6x6xf32>
    %29 = linalg.fill ins(%cst_0 : f32) outs(%28 : tensor<8x6x6xf32>) -> tensor<8x6x6xf32>
    %30 = linalg.batch_matmul ins(%collapsed_17, %collapsed_18 : tensor<8x6x4xf32>, tensor<8x4x6xf32>) outs(%29 : tensor<8x6x6xf32>) -> tensor<8x6x6xf32>
    %expanded_19 = tensor.expand_shape %30 [[0, 1], [2], [3]] output_shape [2, 4, 6, 6] : tensor<8x6x6xf32> into tensor<2x4x6x6xf32>
    %31 = tensor.empty() : tensor<2x4x6x6xf32>
    %32 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded_19 : tensor<2x4x6x6xf32>) outs(%31 : tensor<2x4x6x6xf32>) {
    ^bb0(%in: f32, %out: f32):
      %88 = arith.divf %in, %cst_8 : f32
      linalg.yield %88 : f32
    } -> tensor<2x4x6x6xf32>
    %33 = tensor.empty() : tensor<6xi64>
    %34 = linalg.generic {indexing_maps = [#map4], iterator_types = ["parallel"]} outs(%33 : tensor<6xi64>) {
    ^bb0(%out: i64):
      %88 = linalg.index 0 : index
      %89 = arith.index_cast %88 : index to i64
      linalg.yield %89 : i64
    } -> tensor<6xi64>
    %expanded_20 = tensor.expand_shape %34 [[0, 1]] output_shape [1, 6] : tensor<6xi64> into tensor<1x6xi64>
    %expanded_21 = tensor.expand_shape %34 [[0, 1]] output_shape [6, 1] : tensor<6xi64> into tensor<6x1xi64>
    %35 = tensor.empty() : tensor<6x6xi64>
    %36 = linalg.generic {indexing_maps = [#map5, #map6, #map7], iterator_types = ["parallel", "parallel"]} ins(%expanded_20, %expanded_21 : tensor<1x6xi64>, tensor<6x1xi64>) outs(%35 : tensor<6x6xi64>) {
    ^bb0(%in: i64, %in_36: i64, %out: i64):
      %88 = arith.subi %in, %in_36 : i64
      linalg.yield %88 : i64
    } -> tensor<6x6xi64>
    %37 = tensor.empty() : tensor<6x6xi1>
    %38 = linalg.generic {indexing_maps = [#map7, #map7], iterator_types = ["parallel", "parallel"]} ins(%36 : tensor<6x6xi64>) outs(%37 : tensor<6x6xi1>) {
    ^bb0(%in: i64, %out: i1):
      %88 = arith.cmpi sle, %in, %c0_i64 : i64
      linalg.yield %88 : i1
    } -> tensor<6x6xi1>
    %39 = linalg.generic {indexing_maps = [#map7, #map7, #map7], iterator_types = ["parallel", "parallel"]} ins(%38, %cst_4 : tensor<6x6xi1>, tensor<6x6xi1>) outs(%37 : tensor<6x6xi1>) {
    ^bb0(%in: i1, %in_36: i1, %out: i1):
      %88 = arith.andi %in, %in_36 : i1
      linalg.yield %88 : i1
    } -> tensor<6x6xi1>
    %40 = linalg.generic {indexing_maps = [#map7, #map7], iterator_types = ["parallel", "parallel"]} ins(%39 : tensor<6x6xi1>) outs(%37 : tensor<6x6xi1>) {
    ^bb0(%in: i1, %out: i1):
      %88 = arith.xori %in, %true : i1
      linalg.yield %88 : i1
    } -> tensor<6x6xi1>
    %41 = linalg.generic {indexing_maps = [#map8, #map9, #map3, #map3], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%40, %cst_3, %32 : tensor<6x6xi1>, tensor<f32>, tensor<2x4x6x6xf32>) outs(%31 : tensor<2x4x6x6xf32>) {
    ^bb0(%in: i1, %in_36: f32, %in_37: f32, %out: f32):
      %88 = arith.select %in, %in_36, %in_37 : f32
      linalg.yield %88 : f32
    } -> tensor<2x4x6x6xf32>
    %42 = tensor.empty() : tensor<2x4x6xi64>
    %43 = linalg.fill ins(%c0_i64 : i64) outs(%42 : tensor<2x4x6xi64>) -> tensor<2x4x6xi64>
    %44 = tensor.empty() : tensor<2x4x6xf32>
    %45 = linalg.fill ins(%cst_1 : f32) outs(%44 : tensor<2x4x6xf32>) -> tensor<2x4x6xf32>
    %46:2 = linalg.generic {indexing_maps = [#map3, #map10, #map10], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%41 : tensor<2x4x6x6xf32>) outs(%45, %43 : tensor<2x4x6xf32>, tensor<2x4x6xi64>) {
    ^bb0(%in: f32, %out: f32, %out_36: i64):
      %88 = linalg.index 3 : index
      %89 = arith.index_cast %88 : index to i64
      %90 = arith.maximumf %in, %out : f32
      %91 = arith.cmpf ogt, %in, %out : f32
      %92 = arith.select %91, %89, %out_36 : i64
      linalg.yield %90, %92 : f32, i64
    } -> (tensor<2x4x6xf32>, tensor<2x4x6xi64>)
    %expanded_22 = tensor.expand_shape %46#0 [[0], [1], [2, 3]] output_shape [2, 4, 6, 1] : tensor<2x4x6xf32> into tensor<2x4x6x1xf32>
    %47 = linalg.generic {indexing_maps = [#map3, #map11, #map3], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%41, %expanded_22 : tensor<2x4x6x6xf32>, tensor<2x4x6x1xf32>) outs(%31 : tensor<2x4x6x6xf32>) {
    ^bb0(%in: f32, %in_36: f32, %out: f32):
      %88 = arith.subf %in, %in_36 : f32
      linalg.yield %88 : f32
    } -> tensor<2x4x6x6xf32>
    %48 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%47 : tensor<2x4x6x6xf32>) outs(%31 : tensor<2x4x6x6xf32>) {
    ^bb0(%in: f32, %out: f32):
      %88 = math.exp %in : f32
      linalg.yield %88 : f32
    } -> tensor<2x4x6x6xf32>
    %49 = tensor.empty() : tensor<2x4x6x1xf32>
    %50 = linalg.fill ins(%cst_0 : f32) outs(%49 : tensor<2x4x6x1xf32>) -> tensor<2x4x6x1xf32>
    %51 = linalg.generic {indexing_maps = [#map3, #map11], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%48 : tensor<2x4x6x6xf32>) outs(%50 : tensor<2x4x6x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %88 = arith.addf %in, %out : f32
      linalg.yield %88 : f32
    } -> tensor<2x4x6x1xf32>
    %52 = linalg.generic {indexing_maps = [#map3, #map11, #map3], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%48, %51 : tensor<2x4x6x6xf32>, tensor<2x4x6x1xf32>) outs(%31 : tensor<2x4x6x6xf32>) {
    ^bb0(%in: f32, %in_36: f32, %out: f32):
      %88 = arith.divf %in, %in_36 : f32
      linalg.yield %88 : f32
    } -> tensor<2x4x6x6xf32>
    %collapsed_23 = tensor.collapse_shape %52 [[0, 1], [2], [3]] : tensor<2x4x6x6xf32> into tensor<8x6x6xf32>
    %collapsed_24 = tensor.collapse_shape %transposed_15 [[0, 1], [2], [3]] : tensor<2x4x6x4xf32> into tensor<8x6x4xf32>
    %53 = tensor.empty() : tensor<8x6x4xf32>
    %54 = linalg.fill ins(%cst_0 : f32) outs(%53 : tensor<8x6x4xf32>) -> tensor<8x6x4xf32>
    %55 = linalg.batch_matmul ins(%collapsed_23, %collapsed_24 : tensor<8x6x6xf32>, tensor<8x6x4xf32>) outs(%54 : tensor<8x6x4xf32>) -> tensor<8x6x4xf32>
    %expanded_25 = tensor.expand_shape %55 [[0, 1], [2], [3]] output_shape [2, 4, 6, 4] : tensor<8x6x4xf32> into tensor<2x4x6x4xf32>
    %56 = tensor.empty() : tensor<2x6x4x4xf32>
    %transposed_26 = linalg.transpose ins(%expanded_25 : tensor<2x4x6x4xf32>) outs(%56 : tensor<2x6x4x4xf32>) permutation = [0, 2, 1, 3] 
    %57 = tensor.empty() : tensor<16x16xf32>
    %transposed_27 = linalg.transpose ins(%arg4 : tensor<16x16xf32>) outs(%57 : tensor<16x16xf32>) permutation = [1, 0] 
    %collapsed_28 = tensor.collapse_shape %transposed_26 [[0, 1], [2, 3]] : tensor<2x6x4x4xf32> into tensor<12x16xf32>
    %58 = tensor.empty() : tensor<12x16xf32>
    %59 = linalg.fill ins(%cst_0 : f32) outs(%58 : tensor<12x16xf32>) -> tensor<12x16xf32>
    %60 = linalg.matmul ins(%collapsed_28, %transposed_27 : tensor<12x16xf32>, tensor<16x16xf32>) outs(%59 : tensor<12x16xf32>) -> tensor<12x16xf32>
    %expanded_29 = tensor.expand_shape %60 [[0, 1], [2]] output_shape [2, 6, 16] : tensor<12x16xf32> into tensor<2x6x16xf32>
    %61 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg0, %expanded_29 : tensor<2x6x16xf32>, tensor<2x6x16xf32>) outs(%17 : tensor<2x6x16xf32>) {
    ^bb0(%in: f32, %in_36: f32, %out: f32):
      %88 = arith.addf %in, %in_36 : f32
      linalg.yield %88 : f32
    } -> tensor<2x6x16xf32>
    %62 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%61 : tensor<2x6x16xf32>) outs(%0 : tensor<2x6x16xf64>) {
    ^bb0(%in: f32, %out: f64):
      %88 = arith.extf %in : f32 to f64
      linalg.yield %88 : f64
    } -> tensor<2x6x16xf64>
    %63 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel", "reduction"]} ins(%62 : tensor<2x6x16xf64>) outs(%3 : tensor<2x6x1xf64>) {
    ^bb0(%in: f64, %out: f64):
      %88 = arith.addf %in, %out : f64
      linalg.yield %88 : f64
    } -> tensor<2x6x1xf64>
    %64 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%63 : tensor<2x6x1xf64>) outs(%2 : tensor<2x6x1xf64>) {
    ^bb0(%in: f64, %out: f64):
      %88 = arith.divf %in, %cst_6 : f64
      linalg.yield %88 : f64
    } -> tensor<2x6x1xf64>
    %65 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%62, %64 : tensor<2x6x16xf64>, tensor<2x6x1xf64>) outs(%0 : tensor<2x6x16xf64>) {
    ^bb0(%in: f64, %in_36: f64, %out: f64):
      %88 = arith.subf %in, %in_36 : f64
      linalg.yield %88 : f64
    } -> tensor<2x6x16xf64>
    %66 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%65, %65 : tensor<2x6x16xf64>, tensor<2x6x16xf64>) outs(%0 : tensor<2x6x16xf64>) {
    ^bb0(%in: f64, %in_36: f64, %out: f64):
      %88 = arith.mulf %in, %in_36 : f64
      linalg.yield %88 : f64
    } -> tensor<2x6x16xf64>
    %67 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel", "reduction"]} ins(%66 : tensor<2x6x16xf64>) outs(%3 : tensor<2x6x1xf64>) {
    ^bb0(%in: f64, %out: f64):
      %88 = arith.addf %in, %out : f64
      linalg.yield %88 : f64
    } -> tensor<2x6x1xf64>
    %68 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%67 : tensor<2x6x1xf64>) outs(%2 : tensor<2x6x1xf64>) {
    ^bb0(%in: f64, %out: f64):
      %88 = arith.divf %in, %cst_6 : f64
      linalg.yield %88 : f64
    } -> tensor<2x6x1xf64>
    %69 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%68 : tensor<2x6x1xf64>) outs(%10 : tensor<2x6x1xf32>) {
    ^bb0(%in: f64, %out: f32):
      %88 = arith.truncf %in : f64 to f32
      linalg.yield %88 : f32
    } -> tensor<2x6x1xf32>
    %70 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel", "reduction"]} ins(%61 : tensor<2x6x16xf32>) outs(%12 : tensor<2x6x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %88 = arith.addf %in, %out : f32
      linalg.yield %88 : f32
    } -> tensor<2x6x1xf32>
    %71 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%70 : tensor<2x6x1xf32>) outs(%10 : tensor<2x6x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %88 = arith.divf %in, %cst_7 : f32
      linalg.yield %88 : f32
    } -> tensor<2x6x1xf32>
    %72 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%69 : tensor<2x6x1xf32>) outs(%10 : tensor<2x6x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %88 = arith.truncf %cst_5 : f64 to f32
      %89 = arith.addf %in, %88 : f32
      linalg.yield %89 : f32
    } -> tensor<2x6x1xf32>
    %73 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%72 : tensor<2x6x1xf32>) outs(%10 : tensor<2x6x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %88 = math.rsqrt %in : f32
      linalg.yield %88 : f32
    } -> tensor<2x6x1xf32>
    %74 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%61, %71 : tensor<2x6x16xf32>, tensor<2x6x1xf32>) outs(%17 : tensor<2x6x16xf32>) {
    ^bb0(%in: f32, %in_36: f32, %out: f32):
      %88 = arith.subf %in, %in_36 : f32
      linalg.yield %88 : f32
    } -> tensor<2x6x16xf32>
    %75 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%74, %73 : tensor<2x6x16xf32>, tensor<2x6x1xf32>) outs(%17 : tensor<2x6x16xf32>) {
    ^bb0(%in: f32, %in_36: f32, %out: f32):
      %88 = arith.mulf %in, %in_36 : f32
      linalg.yield %88 : f32
    } -> tensor<2x6x16xf32>
    %76 = linalg.generic {indexing_maps = [#map, #map2, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%75, %arg5 : tensor<2x6x16xf32>, tensor<16xf32>) outs(%17 : tensor<2x6x16xf32>) {
    ^bb0(%in: f32, %in_36: f32, %out: f32):
      %88 = arith.mulf %in, %in_36 : f32
      linalg.yield %88 : f32
    } -> tensor<2x6x16xf32>
    %77 = linalg.generic {indexing_maps = [#map, #map2, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%76, %arg6 : tensor<2x6x16xf32>, tensor<16xf32>) outs(%17 : tensor<2x6x16xf32>) {
    ^bb0(%in: f32, %in_36: f32, %out: f32):
      %88 = arith.addf %in, %in_36 : f32
      linalg.yield %88 : f32
    } -> tensor<2x6x16xf32>
    %78 = tensor.empty() : tensor<16x64xf32>
    %transposed_30 = linalg.transpose ins(%arg7 : tensor<64x16xf32>) outs(%78 : tensor<16x64xf32>) permutation = [1, 0] 
    %collapsed_31 = tensor.collapse_shape %77 [[0, 1], [2]] : tensor<2x6x16xf32> into tensor<12x16xf32>
    %79 = tensor.empty() : tensor<12x64xf32>
    %80 = linalg.fill ins(%cst_0 : f32) outs(%79 : tensor<12x64xf32>) -> tensor<12x64xf32>
    %81 = linalg.matmul ins(%collapsed_31, %transposed_30 : tensor<12x16xf32>, tensor<16x64xf32>) outs(%80 : tensor<12x64xf32>) -> tensor<12x64xf32>
    %expanded_32 = tensor.expand_shape %81 [[0, 1], [2]] output_shape [2, 6, 64] : tensor<12x64xf32> into tensor<2x6x64xf32>
    %82 = tensor.empty() : tensor<2x6x64xf32>
    %83 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded_32 : tensor<2x6x64xf32>) outs(%82 : tensor<2x6x64xf32>) {
    ^bb0(%in: f32, %out: f32):
      %88 = arith.negf %in : f32
      %89 = math.exp %88 : f32
      %90 = arith.addf %89, %cst_2 : f32
      %91 = arith.divf %cst_2, %90 : f32
      linalg.yield %91 : f32
    } -> tensor<2x6x64xf32>
    %84 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded_32, %83 : tensor<2x6x64xf32>, tensor<2x6x64xf32>) outs(%82 : tensor<2x6x64xf32>) {
    ^bb0(%in: f32, %in_36: f32, %out: f32):
      %88 = arith.mulf %in, %in_36 : f32
      linalg.yield %88 : f32
    } -> tensor<2x6x64xf32>
    %85 = tensor.empty() : tensor<64x16xf32>
    %transposed_33 = linalg.transpose ins(%arg8 : tensor<16x64xf32>) outs(%85 : tensor<64x16xf32>) permutation = [1, 0] 
    %collapsed_34 = tensor.collapse_shape %84 [[0, 1], [2]] : tensor<2x6x64xf32> into tensor<12x64xf32>
    %86 = linalg.matmul ins(%collapsed_34, %transposed_33 : tensor<12x64xf32>, tensor<64x16xf32>) outs(%59 : tensor<12x16xf32>) -> tensor<12x16xf32>
    %expanded_35 = tensor.expand_shape %86 [[0, 1], [2]] output_shape [2, 6, 16] : tensor<12x16xf32> into tensor<2x6x16xf32>
    %87 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%61, %expanded_35 : tensor<2x6x16xf32>, tensor<2x6x16xf32>) outs(%17 : tensor<2x6x16xf32>) {
    ^bb0(%in: f32, %in_36: f32, %out: f32):
      %88 = arith.addf %in, %in_36 : f32
      linalg.yield %88 : f32
    } -> tensor<2x6x16xf32>
    return %87 : tensor<2x6x16xf32>
  }
}
