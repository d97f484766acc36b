#map = affine_map<(d0, d1, d2) -> (d0, 0, d2)>
#map1 = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#map2 = affine_map<(d0, d1, d2) -> (d0, d1, 0)>
module {
  func.func @main(%arg0: tensor<1x?x16xf32>, %arg1: tensor<1x16x32xf32>, %arg2: tensor<1x32x16xf32>, %arg3: tensor<16xf32>) -> tensor<1x?x16xf32> {
    %cst = arith.constant 1.000000e+00 : f32
    %cst_0 = arith.constant 0.000000e+00 : f32
    %cst_1 = arith.constant dense<6.250000e-02> : tensor<1x1x1xf32>
    %cst_2 = arith.constant dense<9.99999974E-6> : tensor<1x1x1xf32>
    %c1 = arith.constant 1 : index
    %dim = tensor.dim %arg0, %c1 : tensor<1x?x16xf32>
    %0 = arith.maxui %dim, %dim : index
    %1 = arith.cmpi eq, %dim, %c1 : index
    %2 = scf.if %1 -> (tensor<1x?x16xf32>) {
      %33 = tensor.empty(%0) : tensor<1x?x16xf32>
      %34 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg0 : tensor<1x?x16xf32>) outs(%33 : tensor<1x?x16xf32>) {
      ^bb0(%in: f32, %out: f32):
        linalg.yield %in : f32
      } -> tensor<1x?x16xf32>
      scf.yield %34 : tensor<1x?x16xf32>
    } else {
      scf.yield %arg0 : tensor<1x?x16xf32>
    }
    %3 = tensor.empty(%0) : tensor<1x?x16xf32>
    %4 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%2, %2 : tensor<1x?x16xf32>, tensor<1x?x16xf32>) outs(%3 : tensor<1x?x16xf32>) {
    ^bb0(%in: f32, %in_5: f32, %out: f32):
      %33 = arith.mulf %in, %in_5 : f32
      linalg.yield %33 : f32
    } -> tensor<1x?x16xf32>
    %5 = tensor.empty(%0) : tensor<1x?xf32>
    %6 = linalg.fill ins(%cst_0 : f32) outs(%5 : tensor<1x?xf32>) -> tensor<1x?xf32>
    %reduced = linalg.reduce ins(%4 : tensor<1x?x16xf32>) outs(%6 : tensor<1x?xf32>) dimensions = [2] 
      (%in: f32, %init: f32) {
        %33 = arith.addf %in, %init : f32
        linalg.yield %33 : f32
      }
    %expanded = tensor.expand_shape %reduced [[0], [1, 2]] output_shape [1, %0, 1] : tensor<1x?xf32> into tensor<1x?x1xf32>
    %dim_3 = tensor.dim %expanded, %c1 : tensor<1x?x1xf32>
    %7 = tensor.empty(%dim_3) : tensor<1x?x1xf32>
    %8 = linalg.generic {indexing_maps = [#map1, #map, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded, %cst_1 : tensor<1x?x1xf32>, tensor<1x1x1xf32>) outs(%7 : tensor<1x?x1xf32>) {
    ^bb0(%in: f32, %in_5: f32, %out: f32):
      %33 = arith.mulf %in, %in_5 : f32
      linalg.yield %33 : f32
    } -> tensor<1x?x1xf32>
    %9 = linalg.generic {indexing_maps = [#map1, #map, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%8, %cst_2 : tensor<1x?x1xf32>, tensor<1x1x1xf32>) outs(%7 : tensor<1x?x1xf32>) {
    ^bb0(%in: f32, %in_5: f32, %out: f32):
      %33 = arith.addf %in, %in_5 : f32
      linalg.yield %33 : f32
    } -> tensor<1x?x1xf32>
    %10 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%9 : tensor<1x?x1xf32>) outs(%7 : tensor<1x?x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %33 = math.rsqrt %in : f32
      linalg.yield %33 : f32
    } -> tensor<1x?x1xf32>
    %11 = arith.maxui %dim, %dim_3 : index
    %12 = scf.if %1 -> (tensor<1x?x16xf32>) {
      %33 = tensor.empty(%11) : tensor<1x?x16xf32>
      %34 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg0 : tensor<1x?x16xf32>) outs(%33 : tensor<1x?x16xf32>) {
      ^bb0(%in: f32, %out: f32):
        linalg.yield %in : f32
      } -> tensor<1x?x16xf32>
      scf.yield %34 : tensor<1x?x16xf32>
    } else {
      scf.yield %arg0 : tensor<1x?x16xf32>
    }
    %13 = arith.cmpi eq, %dim_3, %c1 : index
    %14 = scf.if %13 -> (tensor<1x?x1xf32>) {
      %33 = tensor.empty(%11) : tensor<1x?x1xf32>
      %34 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%10 : tensor<1x?x1xf32>) outs(%33 : tensor<1x?x1xf32>) {
      ^bb0(%in: f32, %out: f32):
        linalg.yield %in : f32
      } -> tensor<1x?x1xf32>
      scf.yield %34 : tensor<1x?x1xf32>
    } else {
      scf.yield %10 : tensor<1x?x1xf32>
    }
    %15 = tensor.empty(%11) : tensor<1x?x16xf32>
    %16 = linalg.generic {indexing_maps = [#map1, #map2, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%12, %14 : tensor<1x?x16xf32>, tensor<1x?x1xf32>) outs(%15 : tensor<1x?x16xf32>) {
    ^bb0(%in: f32, %in_5: f32, %out: f32):
      %33 = arith.mulf %in, %in_5 : f32
      linalg.yield %33 : f32
    } -> tensor<1x?x16xf32>
    %expanded_4 = tensor.expand_shape %arg3 [[0, 1, 2]] output_shape [1, 1, 16] : tensor<16xf32> into tensor<1x1x16xf32>
    %17 = linalg.generic {indexing_maps = [#map1, #map, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%16, %expanded_4 : tensor<1x?x16xf32>, tensor<1x1x16xf32>) outs(%15 : tensor<1x?x16xf32>) {
    ^bb0(%in: f32, %in_5: f32, %out: f32):
      %33 = arith.mulf %in, %in_5 : f32
      linalg.yield %33 : f32
    } -> tensor<1x?x16xf32>
    %18 = tensor.empty(%11) : tensor<1x?x32xf32>
    %19 = linalg.fill ins(%cst_0 : f32) outs(%18 : tensor<1x?x32xf32>) -> tensor<1x?x32xf32>
    %20 = linalg.batch_matmul ins(%17, %arg1 : tensor<1x?x16xf32>, tensor<1x16x32xf32>) outs(%19 : tensor<1x?x32xf32>) -> tensor<1x?x32xf32>
    %21 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%20 : tensor<1x?x32xf32>) outs(%18 : tensor<1x?x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      %33 = arith.negf %in : f32
      %34 = math.exp %33 : f32
      %35 = arith.addf %34, %cst : f32
      %36 = arith.divf %cst, %35 : f32
      linalg.yield %36 : f32
    } -> tensor<1x?x32xf32>
    %22 = arith.cmpi eq, %11, %c1 : index
    %23 = scf.if %22 -> (tensor<1x?x32xf32>) {
      %33 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%20 : tensor<1x?x32xf32>) outs(%18 : tensor<1x?x32xf32>) {
      ^bb0(%in: f32, %out: f32):
        linalg.yield %in : f32
      } -> tensor<1x?x32xf32>
      scf.yield %33 : tensor<1x?x32xf32>
    } else {
      scf.yield %20 : tensor<1x?x32xf32>
    }
    %24 = scf.if %22 -> (tensor<1x?x32xf32>) {
      %33 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%21 : tensor<1x?x32xf32>) outs(%18 : tensor<1x?x32xf32>) {
      ^bb0(%in: f32, %out: f32):
        linalg.yield %in : f32
      } -> tensor<1x?x32xf32>
      scf.yield %33 : tensor<1x?x32xf32>
    } else {
      scf.yield %21 : tensor<1x?x32xf32>
    }
    %25 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%23, %24 : tensor<1x?x32xf32>, tensor<1x?x32xf32>) outs(%18 : tensor<1x?x32xf32>) {
    ^bb0(%in: f32, %in_5: f32, %out: f32):
      %33 = arith.mulf %in, %in_5 : f32
      linalg.yield %33 : f32
    } -> tensor<1x?x32xf32>
    %26 = linalg.fill ins(%cst_0 : f32) outs(%15 : tensor<1x?x16xf32>) -> tensor<1x?x16xf32>
    %27 = linalg.batch_matmul ins(%25, %arg2 : tensor<1x?x32xf32>, tensor<1x32x16xf32>) outs(%26 : tensor<1x?x16xf32>) -> tensor<1x?x16xf32>
    %28 = arith.maxui %dim, %11 : index
    %29 = scf.if %1 -> (tensor<1x?x16xf32>) {
      %33 = tensor.empty(%28) : tensor<1x?x16xf32>
      %34 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg0 : tensor<1x?x16xf32>) outs(%33 : tensor<1x?x16xf32>) {
      ^bb0(%in: f32, %out: f32):
        linalg.yield %in : f32
      } -> tensor<1x?x16xf32>
      scf.yield %34 : tensor<1x?x16xf32>
    } else {
      scf.yield %arg0 : tensor<1x?x16xf32>
    }
    %30 = scf.if %22 -> (tensor<1x?x16xf32>) {
      %33 = tensor.empty(%28) : tensor<1x?x16xf32>
      %34 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%27 : tensor<1x?x16xf32>) outs(%33 : tensor<1x?x16xf32>) {
      ^bb0(%in: f32, %out: f32):
        linalg.yield %in : f32
      } -> tensor<1x?x16xf32>
      scf.yield %34 : tensor<1x?x16xf32>
    } else {
      scf.yield %27 : tensor<1x?x16xf32>
    }
    %31 = tensor.empty(%28) : tensor<1x?x16xf32>
    %32 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%29, %30 : tensor<1x?x16xf32>, tensor<1x?x16xf32>) outs(%31 : tensor<1x?x16xf32>) {
    ^bb0(%in: f32, %in_5: f32, %out: f32):
      %33 = arith.addf %in, %in_5 : f32
      linalg.yield %33 : f32
    } -> tensor<1x?x16xf32>
    return %32 : tensor<1x?x16xf32>
  }
}

