#map = affine_map<(d0, d1, d2) -> (d0, d1)>
#map1 = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#map2 = affine_map<(d0, d1, d2) -> (d0, d1, 0)>
#map3 = affine_map<(d0, d1) -> (d0, d1)>
module {
  func.func @main(%arg0: tensor<2x5xi64>, %arg1: tensor<10x8xf32>) -> (tensor<2x5xi64>, tensor<2x10x8xf32>, tensor<2x5x8xf32>, tensor<2x5x11xf32>, tensor<2x5xf32>, tensor<2x5xf32>) {
    %c0_i64 = arith.constant 0 : i64
    %c2_i64 = arith.constant 2 : i64
    %c10 = arith.constant 10 : index
    %cst = arith.constant 0.000000e+00 : f32
    %cst_0 = arith.constant 0xFF800000 : f32
    %cst_1 = arith.constant 0.000000e+00 : f64
    %cst_2 = arith.constant 7.000000e+00 : f64
    %cst_3 = arith.constant dense<0.000000e+00> : tensor<2x5x8xf32>
    %cst_4 = arith.constant 1.000000e-05 : f64
    %cst_5 = arith.constant 8.000000e+00 : f32
    %c4 = arith.constant 4 : index
    %cst_6 = arith.constant 8.000000e+00 : f64
    %0 = tensor.empty() : tensor<2x5x8xf32>
    %1 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg0 : tensor<2x5xi64>) outs(%0 : tensor<2x5x8xf32>) {
    ^bb0(%in: i64, %out: f32):
      %34 = arith.index_cast %in : i64 to index
      %35 = linalg.index 2 : index
      %36 = arith.cmpi slt, %34, %c10 : index
      cf.assert %36, "index must be smaller than dim size"
      %37 = arith.cmpi sge, %in, %c0_i64 : i64
      cf.assert %37, "index must be larger or equal to 0"
      %extracted = tensor.extract %arg1[%34, %35] : tensor<10x8xf32>
      linalg.yield %extracted : f32
    } -> tensor<2x5x8xf32>
    %2 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%1 : tensor<2x5x8xf32>) outs(%0 : tensor<2x5x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      %34 = math.fpowi %in, %c2_i64 : f32, i64
      linalg.yield %34 : f32
    } -> tensor<2x5x8xf32>
    %3 = tensor.empty() : tensor<2x5x1xf32>
    %4 = linalg.fill ins(%cst : f32) outs(%3 : tensor<2x5x1xf32>) -> tensor<2x5x1xf32>
    %5 = linalg.generic {indexing_maps = [#map1, #map2], iterator_types = ["parallel", "parallel", "reduction"]} ins(%2 : tensor<2x5x8xf32>) outs(%4 : tensor<2x5x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %34 = arith.addf %in, %out : f32
      linalg.yield %34 : f32
    } -> tensor<2x5x1xf32>
    %6 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%5 : tensor<2x5x1xf32>) outs(%3 : tensor<2x5x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %34 = arith.divf %in, %cst_5 : f32
      linalg.yield %34 : f32
    } -> tensor<2x5x1xf32>
    %7 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%6 : tensor<2x5x1xf32>) outs(%3 : tensor<2x5x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %34 = arith.truncf %cst_4 : f64 to f32
      %35 = arith.addf %in, %34 : f32
      linalg.yield %35 : f32
    } -> tensor<2x5x1xf32>
    %8 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%7 : tensor<2x5x1xf32>) outs(%3 : tensor<2x5x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %34 = math.rsqrt %in : f32
      linalg.yield %34 : f32
    } -> tensor<2x5x1xf32>
    %9 = linalg.generic {indexing_maps = [#map1, #map2, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%1, %8 : tensor<2x5x8xf32>, tensor<2x5x1xf32>) outs(%0 : tensor<2x5x8xf32>) {
    ^bb0(%in: f32, %in_7: f32, %out: f32):
      %34 = arith.mulf %in, %in_7 : f32
      linalg.yield %34 : f32
    } -> tensor<2x5x8xf32>
    %10 = tensor.empty() : tensor<2x5xi64>
    %11 = linalg.fill ins(%c0_i64 : i64) outs(%10 : tensor<2x5xi64>) -> tensor<2x5xi64>
    %12 = tensor.empty() : tensor<2x5xf32>
    %13 = linalg.fill ins(%cst_0 : f32) outs(%12 : tensor<2x5xf32>) -> tensor<2x5xf32>
    %14:2 = linalg.generic {indexing_maps = [#map1, #map, #map], iterator_types = ["parallel", "parallel", "reduction"]} ins(%9 : tensor<2x5x8xf32>) outs(%13, %11 : tensor<2x5xf32>, tensor<2x5xi64>) {
    ^bb0(%in: f32, %out: f32, %out_7: i64):
      %34 = linalg.index 2 : index
      %35 = arith.index_cast %34 : index to i64
      %36 = arith.maximumf %in, %out : f32
      %37 = arith.cmpf ogt, %in, %out : f32
      %38 = arith.select %37, %35, %out_7 : i64
      linalg.yield %36, %38 : f32, i64
    } -> (tensor<2x5xf32>, tensor<2x5xi64>)
    %15 = linalg.fill ins(%cst : f32) outs(%0 : tensor<2x5x8xf32>) -> tensor<2x5x8xf32>
    %16 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%9 : tensor<2x5x8xf32>) outs(%15 : tensor<2x5x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      %34 = linalg.index 0 : index
      %35 = linalg.index 1 : index
      %36 = linalg.index 2 : index
      %37 = arith.subi %c4, %35 : index
      %extracted = tensor.extract %9[%34, %37, %36] : tensor<2x5x8xf32>
      linalg.yield %extracted : f32
    } -> tensor<2x5x8xf32>
    %concat = tensor.concat dim(1) %9, %16 : (tensor<2x5x8xf32>, tensor<2x5x8xf32>) -> tensor<2x10x8xf32>
    %17 = tensor.empty() : tensor<2x5x8xi1>
    %18 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%9 : tensor<2x5x8xf32>) outs(%17 : tensor<2x5x8xi1>) {
    ^bb0(%in: f32, %out: i1):
      %34 = arith.cmpf ogt, %in, %cst : f32
      linalg.yield %34 : i1
    } -> tensor<2x5x8xi1>
    %19 = linalg.generic {indexing_maps = [#map1, #map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%18, %9, %cst_3 : tensor<2x5x8xi1>, tensor<2x5x8xf32>, tensor<2x5x8xf32>) outs(%0 : tensor<2x5x8xf32>) {
    ^bb0(%in: i1, %in_7: f32, %in_8: f32, %out: f32):
      %34 = arith.select %in, %in_7, %in_8 : f32
      linalg.yield %34 : f32
    } -> tensor<2x5x8xf32>
    %padded = tensor.pad %9 low[0, 0, 1] high[0, 0, 2] {
    ^bb0(%arg2: index, %arg3: index, %arg4: index):
      tensor.yield %cst : f32
    } : tensor<2x5x8xf32> to tensor<2x5x11xf32>
    %20 = tensor.empty() : tensor<2x5x8xf64>
    %21 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%9 : tensor<2x5x8xf32>) outs(%20 : tensor<2x5x8xf64>) {
    ^bb0(%in: f32, %out: f64):
      %34 = arith.extf %in : f32 to f64
      linalg.yield %34 : f64
    } -> tensor<2x5x8xf64>
    %22 = tensor.empty() : tensor<2x5x1xf64>
    %23 = linalg.fill ins(%cst_1 : f64) outs(%22 : tensor<2x5x1xf64>) -> tensor<2x5x1xf64>
    %24 = linalg.generic {indexing_maps = [#map1, #map2], iterator_types = ["parallel", "parallel", "reduction"]} ins(%21 : tensor<2x5x8xf64>) outs(%23 : tensor<2x5x1xf64>) {
    ^bb0(%in: f64, %out: f64):
      %34 = arith.addf %in, %out : f64
      linalg.yield %34 : f64
    } -> tensor<2x5x1xf64>
    %25 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%24 : tensor<2x5x1xf64>) outs(%22 : tensor<2x5x1xf64>) {
    ^bb0(%in: f64, %out: f64):
      %34 = arith.divf %in, %cst_6 : f64
      linalg.yield %34 : f64
    } -> tensor<2x5x1xf64>
    %26 = linalg.generic {indexing_maps = [#map1, #map2, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%21, %25 : tensor<2x5x8xf64>, tensor<2x5x1xf64>) outs(%20 : tensor<2x5x8xf64>) {
    ^bb0(%in: f64, %in_7: f64, %out: f64):
      %34 = arith.subf %in, %in_7 : f64
      linalg.yield %34 : f64
    } -> tensor<2x5x8xf64>
    %27 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%26, %26 : tensor<2x5x8xf64>, tensor<2x5x8xf64>) outs(%20 : tensor<2x5x8xf64>) {
    ^bb0(%in: f64, %in_7: f64, %out: f64):
      %34 = arith.mulf %in, %in_7 : f64
      linalg.yield %34 : f64
    } -> tensor<2x5x8xf64>
    %28 = tensor.empty() : tensor<2x5xf64>
    %29 = linalg.fill ins(%cst_1 : f64) outs(%28 : tensor<2x5xf64>) -> tensor<2x5xf64>
    %30 = linalg.generic {indexing_maps = [#map1, #map], iterator_types = ["parallel", "parallel", "reduction"]} ins(%27 : tensor<2x5x8xf64>) outs(%29 : tensor<2x5xf64>) {
    ^bb0(%in: f64, %out: f64):
      %34 = arith.addf %in, %out : f64
      linalg.yield %34 : f64
    } -> tensor<2x5xf64>
    %31 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel"]} ins(%30 : tensor<2x5xf64>) outs(%28 : tensor<2x5xf64>) {
    ^bb0(%in: f64, %out: f64):
      %34 = arith.divf %in, %cst_2 : f64
      linalg.yield %34 : f64
    } -> tensor<2x5xf64>
    %32 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel"]} ins(%31 : tensor<2x5xf64>) outs(%12 : tensor<2x5xf32>) {
    ^bb0(%in: f64, %out: f32):
      %34 = arith.truncf %in : f64 to f32
      linalg.yield %34 : f32
    } -> tensor<2x5xf32>
    %33 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel"]} ins(%32 : tensor<2x5xf32>) outs(%12 : tensor<2x5xf32>) {
    ^bb0(%in: f32, %out: f32):
      %34 = math.sqrt %in : f32
      linalg.yield %34 : f32
    } -> tensor<2x5xf32>
    return %14#1, %concat, %19, %padded, %33, %14#0 : tensor<2x5xi64>, tensor<2x10x8xf32>, tensor<2x5x8xf32>, tensor<2x5x11xf32>, tensor<2x5xf32>, tensor<2x5xf32>
  }
}
