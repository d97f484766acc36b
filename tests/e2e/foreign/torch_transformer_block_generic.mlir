#map = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#map1 = affine_map<(d0, d1, d2) -> (d0, d1, 0)>
#map2 = affine_map<(d0, d1, d2) -> (d2)>
#map3 = affine_map<(d0, d1, d2) -> (d0, d2)>
#map4 = affine_map<(d0, d1, d2) -> (d2, d1)>
#map5 = affine_map<(d0, d1, d2) -> (d0, d1)>
#map6 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d3)>
#map7 = affine_map<(d0, d1, d2, d3) -> (d0, d3, d2)>
#map8 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>
#map9 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
#map10 = affine_map<(d0) -> (d0)>
#map11 = affine_map<(d0, d1) -> (0, d1)>
#map12 = affine_map<(d0, d1) -> (d0, 0)>
#map13 = affine_map<(d0, d1) -> (d0, d1)>
#map14 = affine_map<(d0, d1, d2, d3) -> (d2, d3)>
#map15 = affine_map<(d0, d1, d2, d3) -> ()>
#map16 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, 0)>
"builtin.module"() ({
  "func.func"() <{function_type = (tensor<2x6x16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<48x16xf32>, tensor<16x16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<64x16xf32>, tensor<16x64xf32>) -> tensor<2x6x16xf32>, sym_name = "main"}> ({
  ^bb0(%arg0: tensor<2x6x16xf32>, %arg1: tensor<16xf32>, %arg2: tensor<16xf32>, %arg3: tensor<48x16xf32>, %arg4: tensor<16x16xf32>, %arg5: tensor<16xf32>, %arg6: tensor<16xf32>, %arg7: tensor<64x16xf32>, %arg8: tensor<16x64xf32>):
    %0 = "arith.constant"() <{value = 0 : i64}> : () -> i64
    %1 = "arith.constant"() <{value = 0.000000e+00 : f64}> : () -> f64
    %2 = "arith.constant"() <{value = 0.000000e+00 : f32}> : () -> f32
    %3 = "arith.constant"() <{value = true}> : () -> i1
    %4 = "arith.constant"() <{value = 0xFF800000 : f32}> : () -> f32
    %5 = "arith.constant"() <{value = 1.000000e+00 : f32}> : () -> f32
    %6 = "arith.constant"() <{value = dense<0xFF800000> : tensor<f32>}> : () -> tensor<f32>
    %7 = "arith.constant"() <{value = dense<true> : tensor<6x6xi1>}> : () -> tensor<6x6xi1>
    %8 = "arith.constant"() <{value = 1.000000e-05 : f64}> : () -> f64
    %9 = "arith.constant"() <{value = 1.600000e+01 : f64}> : () -> f64
    %10 = "arith.constant"() <{value = 1.600000e+01 : f32}> : () -> f32
    %11 = "arith.constant"() <{value = 2.000000e+00 : f32}> : () -> f32
    %12 = "tensor.empty"() : () -> tensor<2x6x16xf64>
    %13 = "linalg.generic"(%arg0, %12) <{indexing_maps = [#map, #map], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg178: f32, %arg179: f64):
      %200 = "arith.extf"(%arg178) : (f32) -> f64
      "linalg.yield"(%200) : (f64) -> ()
    }) : (tensor<2x6x16xf32>, tensor<2x6x16xf64>) -> tensor<2x6x16xf64>
    %14 = "tensor.empty"() : () -> tensor<2x6x1xf64>
    %15 = "linalg.fill"(%1, %14) <{operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg176: f64, %arg177: f64):
      "linalg.yield"(%arg176) : (f64) -> ()
    }) : (f64, tensor<2x6x1xf64>) -> tensor<2x6x1xf64>
    %16 = "linalg.generic"(%13, %15) <{indexing_maps = [#map, #map1], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg174: f64, %arg175: f64):
      %199 = "arith.addf"(%arg174, %arg175) <{fastmath = #arith.fastmath<none>}> : (f64, f64) -> f64
      "linalg.yield"(%199) : (f64) -> ()
    }) : (tensor<2x6x16xf64>, tensor<2x6x1xf64>) -> tensor<2x6x1xf64>
    %17 = "linalg.generic"(%16, %14) <{indexing_maps = [#map, #map], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg172: f64, %arg173: f64):
      %198 = "arith.divf"(%arg172, %9) <{fastmath = #arith.fastmath<none>}> : (f64, f64) -> f64
      "linalg.yield"(%198) : (f64) -> ()
    }) : (tensor<2x6x1xf64>, tensor<2x6x1xf64>) -> tensor<2x6x1xf64>
    %18 = "linalg.generic"(%13, %17, %12) <{indexing_maps = [#map, #map1, #map], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg169: f64, %arg170: f64, %arg171: f64):
      %197 = "arith.subf"(%arg169, %arg170) <{fastmath = #arith.fastmath<none>}> : (f64, f64) -> f64
      "linalg.yield"(%197) : (f64) -> ()
    }) : (tensor<2x6x16xf64>, tensor<2x6x1xf64>, tensor<2x6x16xf64>) -> tensor<2x6x16xf64>
    %19 = "linalg.generic"(%18, %18, %12) <{indexing_maps = [#map, #map, #map], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg166: f64, %arg167: f64, %arg168: f64):
      %196 = "arith.mulf"(%arg166, %arg167) <{fastmath = #arith.fastmath<none>}> : (f64, f64) -> f64
      "linalg.yield"(%196) : (f64) -> ()
    }) : (tensor<2x6x16xf64>, tensor<2x6x16xf64>, tensor<2x6x16xf64>) -> tensor<2x6x16xf64>
    %20 = "linalg.generic"(%19, %15) <{indexing_maps = [#map, #map1], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg164: f64, %arg165: f64):
      %195 = "arith.addf"(%arg164, %arg165) <{fastmath = #arith.fastmath<none>}> : (f64, f64) -> f64
      "linalg.yield"(%195) : (f64) -> ()
    }) : (tensor<2x6x16xf64>, tensor<2x6x1xf64>) -> tensor<2x6x1xf64>
    %21 = "linalg.generic"(%20, %14) <{indexing_maps = [#map, #map], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg162: f64, %arg163: f64):
      %194 = "arith.divf"(%arg162, %9) <{fastmath = #arith.fastmath<none>}> : (f64, f64) -> f64
      "linalg.yield"(%194) : (f64) -> ()
    }) : (tensor<2x6x1xf64>, tensor<2x6x1xf64>) -> tensor<2x6x1xf64>
    %22 = "tensor.empty"() : () -> tensor<2x6x1xf32>
    %23 = "linalg.generic"(%21, %22) <{indexing_maps = [#map, #map], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg160: f64, %arg161: f32):
      %193 = "arith.truncf"(%arg160) : (f64) -> f32
      "linalg.yield"(%193) : (f32) -> ()
    }) : (tensor<2x6x1xf64>, tensor<2x6x1xf32>) -> tensor<2x6x1xf32>
    %24 = "linalg.fill"(%2, %22) <{operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg158: f32, %arg159: f32):
      "linalg.yield"(%arg158) : (f32) -> ()
    }) : (f32, tensor<2x6x1xf32>) -> tensor<2x6x1xf32>
    %25 = "linalg.generic"(%arg0, %24) <{indexing_maps = [#map, #map1], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg156: f32, %arg157: f32):
      %192 = "arith.addf"(%arg156, %arg157) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%192) : (f32) -> ()
    }) : (tensor<2x6x16xf32>, tensor<2x6x1xf32>) -> tensor<2x6x1xf32>
    %26 = "linalg.generic"(%25, %22) <{indexing_maps = [#map, #map], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg154: f32, %arg155: f32):
      %191 = "arith.divf"(%arg154, %10) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%191) : (f32) -> ()
    }) : (tensor<2x6x1xf32>, tensor<2x6x1xf32>) -> tensor<2x6x1xf32>
    %27 = "linalg.generic"(%23, %22) <{indexing_maps = [#map, #map], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg152: f32, %arg153: f32):
      %189 = "arith.truncf"(%8) : (f64) -> f32
      %190 = "arith.addf"(%arg152, %189) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%190) : (f32) -> ()
    }) : (tensor<2x6x1xf32>, tensor<2x6x1xf32>) -> tensor<2x6x1xf32>
    %28 = "linalg.generic"(%27, %22) <{indexing_maps = [#map, #map], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg150: f32, %arg151: f32):
      %188 = "math.rsqrt"(%arg150) <{fastmath = #arith.fastmath<none>}> : (f32) -> f32
      "linalg.yield"(%188) : (f32) -> ()
    }) : (tensor<2x6x1xf32>, tensor<2x6x1xf32>) -> tensor<2x6x1xf32>
    %29 = "tensor.empty"() : () -> tensor<2x6x16xf32>
    %30 = "linalg.generic"(%arg0, %26, %29) <{indexing_maps = [#map, #map1, #map], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg147: f32, %arg148: f32, %arg149: f32):
      %187 = "arith.subf"(%arg147, %arg148) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%187) : (f32) -> ()
    }) : (tensor<2x6x16xf32>, tensor<2x6x1xf32>, tensor<2x6x16xf32>) -> tensor<2x6x16xf32>
    %31 = "linalg.generic"(%30, %28, %29) <{indexing_maps = [#map, #map1, #map], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg144: f32, %arg145: f32, %arg146: f32):
      %186 = "arith.mulf"(%arg144, %arg145) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%186) : (f32) -> ()
    }) : (tensor<2x6x16xf32>, tensor<2x6x1xf32>, tensor<2x6x16xf32>) -> tensor<2x6x16xf32>
    %32 = "linalg.generic"(%31, %arg1, %29) <{indexing_maps = [#map, #map2, #map], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg141: f32, %arg142: f32, %arg143: f32):
      %185 = "arith.mulf"(%arg141, %arg142) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%185) : (f32) -> ()
    }) : (tensor<2x6x16xf32>, tensor<16xf32>, tensor<2x6x16xf32>) -> tensor<2x6x16xf32>
    %33 = "linalg.generic"(%32, %arg2, %29) <{indexing_maps = [#map, #map2, #map], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg138: f32, %arg139: f32, %arg140: f32):
      %184 = "arith.addf"(%arg138, %arg139) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%184) : (f32) -> ()
    }) : (tensor<2x6x16xf32>, tensor<16xf32>, tensor<2x6x16xf32>) -> tensor<2x6x16xf32>
    %34 = "tensor.empty"() : () -> tensor<16x48xf32>
    %35 = "linalg.transpose"(%arg3, %34) <{permutation = array<i64: 1, 0>}> ({
    ^bb0(%arg136: f32, %arg137: f32):
      "linalg.yield"(%arg136) : (f32) -> ()
    }) : (tensor<48x16xf32>, tensor<16x48xf32>) -> tensor<16x48xf32>
    %36 = "tensor.collapse_shape"(%33) <{reassociation = [[0, 1], [2]]}> : (tensor<2x6x16xf32>) -> tensor<12x16xf32>
    %37 = "tensor.empty"() : () -> tensor<12x48xf32>
    %38 = "linalg.fill"(%2, %37) <{operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg134: f32, %arg135: f32):
      "linalg.yield"(%arg134) : (f32) -> ()
    }) : (f32, tensor<12x48xf32>) -> tensor<12x48xf32>
    %39 = "linalg.matmul"(%36, %35, %38) <{indexing_maps = [#map3, #map4, #map5], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg131: f32, %arg132: f32, %arg133: f32):
      %182 = "arith.mulf"(%arg131, %arg132) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %183 = "arith.addf"(%arg133, %182) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%183) : (f32) -> ()
    }) : (tensor<12x16xf32>, tensor<16x48xf32>, tensor<12x48xf32>) -> tensor<12x48xf32>
    %40 = "tensor.expand_shape"(%39) <{reassociation = [[0, 1], [2]], static_output_shape = array<i64: 2, 6, 48>}> : (tensor<12x48xf32>) -> tensor<2x6x48xf32>
    %41 = "tensor.extract_slice"(%40) <{operandSegmentSizes = array<i32: 1, 0, 0, 0>, static_offsets = array<i64: 0, 0, 0>, static_sizes = array<i64: 2, 6, 16>, static_strides = array<i64: 1, 1, 1>}> : (tensor<2x6x48xf32>) -> tensor<2x6x16xf32>
    %42 = "tensor.extract_slice"(%40) <{operandSegmentSizes = array<i32: 1, 0, 0, 0>, static_offsets = array<i64: 0, 0, 16>, static_sizes = array<i64: 2, 6, 16>, static_strides = array<i64: 1, 1, 1>}> : (tensor<2x6x48xf32>) -> tensor<2x6x16xf32>
    %43 = "tensor.extract_slice"(%40) <{operandSegmentSizes = array<i32: 1, 0, 0, 0>, static_offsets = array<i64: 0, 0, 32>, static_sizes = array<i64: 2, 6, 16>, static_strides = array<i64: 1, 1, 1>}> : (tensor<2x6x48xf32>) -> tensor<2x6x16xf32>
    %44 = "tensor.expand_shape"(%41) <{reassociation = [[0], [1], [2, 3]], static_output_shape = array<i64: 2, 6, 4, 4>}> : (tensor<2x6x16xf32>) -> tensor<2x6x4x4xf32>
    %45 = "tensor.empty"() : () -> tensor<2x4x6x4xf32>
    %46 = "linalg.transpose"(%44, %45) <{permutation = array<i64: 0, 2, 1, 3>}> ({
    ^bb0(%arg129: f32, %arg130: f32):
      "linalg.yield"(%arg129) : (f32) -> ()
    }) : (tensor<2x6x4x4xf32>, tensor<2x4x6x4xf32>) -> tensor<2x4x6x4xf32>
    %47 = "tensor.expand_shape"(%42) <{reassociation = [[0], [1], [2, 3]], static_output_shape = array<i64: 2, 6, 4, 4>}> : (tensor<2x6x16xf32>) -> tensor<2x6x4x4xf32>
    %48 = "tensor.expand_shape"(%43) <{reassociation = [[0], [1], [2, 3]], static_output_shape = array<i64: 2, 6, 4, 4>}> : (tensor<2x6x16xf32>) -> tensor<2x6x4x4xf32>
    %49 = "linalg.transpose"(%48, %45) <{permutation = array<i64: 0, 2, 1, 3>}> ({
    ^bb0(%arg127: f32, %arg128: f32):
      "linalg.yield"(%arg127) : (f32) -> ()
    }) : (tensor<2x6x4x4xf32>, tensor<2x4x6x4xf32>) -> tensor<2x4x6x4xf32>
    %50 = "tensor.empty"() : () -> tensor<2x4x4x6xf32>
    %51 = "linalg.transpose"(%47, %50) <{permutation = array<i64: 0, 2, 3, 1>}> ({
    ^bb0(%arg125: f32, %arg126: f32):
      "linalg.yield"(%arg125) : (f32) -> ()
    }) : (tensor<2x6x4x4xf32>, tensor<2x4x4x6xf32>) -> tensor<2x4x4x6xf32>
    %52 = "tensor.collapse_shape"(%46) <{reassociation = [[0, 1], [2], [3]]}> : (tensor<2x4x6x4xf32>) -> tensor<8x6x4xf32>
    %53 = "tensor.collapse_shape"(%51) <{reassociation = [[0, 1], [2], [3]]}> : (tensor<2x4x4x6xf32>) -> tensor<8x4x6xf32>
    %54 = "tensor.empty"() : () -> tensor<8x6x6xf32>
    %55 = "linalg.fill"(%2, %54) <{operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg123: f32, %arg124: f32):
      "linalg.yield"(%arg123) : (f32) -> ()
    }) : (f32, tensor<8x6x6xf32>) -> tensor<8x6x6xf32>
    %56 = "linalg.batch_matmul"(%52, %53, %55) <{indexing_maps = [#map6, #map7, #map8], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg120: f32, %arg121: f32, %arg122: f32):
      %180 = "arith.mulf"(%arg120, %arg121) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %181 = "arith.addf"(%arg122, %180) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%181) : (f32) -> ()
    }) : (tensor<8x6x4xf32>, tensor<8x4x6xf32>, tensor<8x6x6xf32>) -> tensor<8x6x6xf32>
    %57 = "tensor.expand_shape"(%56) <{reassociation = [[0, 1], [2], [3]], static_output_shape = array<i64: 2, 4, 6, 6>}> : (tensor<8x6x6xf32>) -> tensor<2x4x6x6xf32>
    %58 = "tensor.empty"() : () -> tensor<2x4x6x6xf32>
    %59 = "linalg.generic"(%57, %58) <{indexing_maps = [#map9, #map9], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg118: f32, %arg119: f32):
      %179 = "arith.divf"(%arg118, %11) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%179) : (f32) -> ()
    }) : (tensor<2x4x6x6xf32>, tensor<2x4x6x6xf32>) -> tensor<2x4x6x6xf32>
    %60 = "tensor.empty"() : () -> tensor<6xi64>
    %61 = "linalg.generic"(%60) <{indexing_maps = [#map10], iterator_types = [#linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 0, 1>}> ({
    ^bb0(%arg117: i64):
      %177 = "linalg.index"() <{dim = 0 : i64}> : () -> index
      %178 = "arith.index_cast"(%177) : (index) -> i64
      "linalg.yield"(%178) : (i64) -> ()
    }) : (tensor<6xi64>) -> tensor<6xi64>
    %62 = "tensor.expand_shape"(%61) <{reassociation = [[0, 1]], static_output_shape = array<i64: 1, 6>}> : (tensor<6xi64>) -> tensor<1x6xi64>
    %63 = "tensor.expand_shape"(%61) <{reassociation = [[0, 1]], static_output_shape = array<i64: 6, 1>}> : (tensor<6xi64>) -> tensor<6x1xi64>
    %64 = "tensor.empty"() : () -> tensor<6x6xi64>
    %65 = "linalg.generic"(%62, %63, %64) <{indexing_maps = [#map11, #map12, #map13], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg114: i64, %arg115: i64, %arg116: i64):
      %176 = "arith.subi"(%arg114, %arg115) <{overflowFlags = #arith.overflow<none>}> : (i64, i64) -> i64
      "linalg.yield"(%176) : (i64) -> ()
    }) : (tensor<1x6xi64>, tensor<6x1xi64>, tensor<6x6xi64>) -> tensor<6x6xi64>
    %66 = "tensor.empty"() : () -> tensor<6x6xi1>
    %67 = "linalg.generic"(%65, %66) <{indexing_maps = [#map13, #map13], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg112: i64, %arg113: i1):
      %175 = "arith.cmpi"(%arg112, %0) <{predicate = 3 : i64}> : (i64, i64) -> i1
      "linalg.yield"(%175) : (i1) -> ()
    }) : (tensor<6x6xi64>, tensor<6x6xi1>) -> tensor<6x6xi1>
    %68 = "linalg.generic"(%67, %7, %66) <{indexing_maps = [#map13, #map13, #map13], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg109: i1, %arg110: i1, %arg111: i1):
      %174 = "arith.andi"(%arg109, %arg110) : (i1, i1) -> i1
      "linalg.yield"(%174) : (i1) -> ()
    }) : (tensor<6x6xi1>, tensor<6x6xi1>, tensor<6x6xi1>) -> tensor<6x6xi1>
    %69 = "linalg.generic"(%68, %66) <{indexing_maps = [#map13, #map13], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg107: i1, %arg108: i1):
      %173 = "arith.xori"(%arg107, %3) : (i1, i1) -> i1
      "linalg.yield"(%173) : (i1) -> ()
    }) : (tensor<6x6xi1>, tensor<6x6xi1>) -> tensor<6x6xi1>
    %70 = "linalg.generic"(%69, %6, %59, %58) <{indexing_maps = [#map14, #map15, #map9, #map9], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 3, 1>}> ({
    ^bb0(%arg103: i1, %arg104: f32, %arg105: f32, %arg106: f32):
      %172 = "arith.select"(%arg103, %arg104, %arg105) : (i1, f32, f32) -> f32
      "linalg.yield"(%172) : (f32) -> ()
    }) : (tensor<6x6xi1>, tensor<f32>, tensor<2x4x6x6xf32>, tensor<2x4x6x6xf32>) -> tensor<2x4x6x6xf32>
    %71 = "tensor.empty"() : () -> tensor<2x4x6xi64>
    %72 = "linalg.fill"(%0, %71) <{operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg101: i64, %arg102: i64):
      "linalg.yield"(%arg101) : (i64) -> ()
    }) : (i64, tensor<2x4x6xi64>) -> tensor<2x4x6xi64>
    %73 = "tensor.empty"() : () -> tensor<2x4x6xf32>
    %74 = "linalg.fill"(%4, %73) <{operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg99: f32, %arg100: f32):
      "linalg.yield"(%arg99) : (f32) -> ()
    }) : (f32, tensor<2x4x6xf32>) -> tensor<2x4x6xf32>
    %75:2 = "linalg.generic"(%70, %74, %72) <{indexing_maps = [#map9, #map8, #map8], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 1, 2>}> ({
    ^bb0(%arg96: f32, %arg97: f32, %arg98: i64):
      %167 = "linalg.index"() <{dim = 3 : i64}> : () -> index
      %168 = "arith.index_cast"(%167) : (index) -> i64
      %169 = "arith.maximumf"(%arg96, %arg97) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %170 = "arith.cmpf"(%arg96, %arg97) <{fastmath = #arith.fastmath<none>, predicate = 2 : i64}> : (f32, f32) -> i1
      %171 = "arith.select"(%170, %168, %arg98) : (i1, i64, i64) -> i64
      "linalg.yield"(%169, %171) : (f32, i64) -> ()
    }) : (tensor<2x4x6x6xf32>, tensor<2x4x6xf32>, tensor<2x4x6xi64>) -> (tensor<2x4x6xf32>, tensor<2x4x6xi64>)
    %76 = "tensor.expand_shape"(%75#0) <{reassociation = [[0], [1], [2, 3]], static_output_shape = array<i64: 2, 4, 6, 1>}> : (tensor<2x4x6xf32>) -> tensor<2x4x6x1xf32>
    %77 = "linalg.generic"(%70, %76, %58) <{indexing_maps = [#map9, #map16, #map9], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg93: f32, %arg94: f32, %arg95: f32):
      %166 = "arith.subf"(%arg93, %arg94) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%166) : (f32) -> ()
    }) : (tensor<2x4x6x6xf32>, tensor<2x4x6x1xf32>, tensor<2x4x6x6xf32>) -> tensor<2x4x6x6xf32>
    %78 = "linalg.generic"(%77, %58) <{indexing_maps = [#map9, #map9], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg91: f32, %arg92: f32):
      %165 = "math.exp"(%arg91) <{fastmath = #arith.fastmath<none>}> : (f32) -> f32
      "linalg.yield"(%165) : (f32) -> ()
    }) : (tensor<2x4x6x6xf32>, tensor<2x4x6x6xf32>) -> tensor<2x4x6x6xf32>
    %79 = "tensor.empty"() : () -> tensor<2x4x6x1xf32>
    %80 = "linalg.fill"(%2, %79) <{operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg89: f32, %arg90: f32):
      "linalg.yield"(%arg89) : (f32) -> ()
    }) : (f32, tensor<2x4x6x1xf32>) -> tensor<2x4x6x1xf32>
    %81 = "linalg.generic"(%78, %80) <{indexing_maps = [#map9, #map16], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg87: f32, %arg88: f32):
      %164 = "arith.addf"(%arg87, %arg88) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%164) : (f32) -> ()
    }) : (tensor<2x4x6x6xf32>, tensor<2x4x6x1xf32>) -> tensor<2x4x6x1xf32>
    %82 = "linalg.generic"(%78, %81, %58) <{indexing_maps = [#map9, #map16, #map9], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg84: f32, %arg85: f32, %arg86: f32):
      %163 = "arith.divf"(%arg84, %arg85) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%163) : (f32) -> ()
    }) : (tensor<2x4x6x6xf32>, tensor<2x4x6x1xf32>, tensor<2x4x6x6xf32>) -> tensor<2x4x6x6xf32>
    %83 = "tensor.collapse_shape"(%82) <{reassociation = [[0, 1], [2], [3]]}> : (tensor<2x4x6x6xf32>) -> tensor<8x6x6xf32>
    %84 = "tensor.collapse_shape"(%49) <{reassociation = [[0, 1], [2], [3]]}> : (tensor<2x4x6x4xf32>) -> tensor<8x6x4xf32>
    %85 = "tensor.empty"() : () -> tensor<8x6x4xf32>
    %86 = "linalg.fill"(%2, %85) <{operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg82: f32, %arg83: f32):
      "linalg.yield"(%arg82) : (f32) -> ()
    }) : (f32, tensor<8x6x4xf32>) -> tensor<8x6x4xf32>
    %87 = "linalg.batch_matmul"(%83, %84, %86) <{indexing_maps = [#map6, #map7, #map8], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg79: f32, %arg80: f32, %arg81: f32):
      %161 = "arith.mulf"(%arg79, %arg80) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %162 = "arith.addf"(%arg81, %161) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%162) : (f32) -> ()
    }) : (tensor<8x6x6xf32>, tensor<8x6x4xf32>, tensor<8x6x4xf32>) -> tensor<8x6x4xf32>
    %88 = "tensor.expand_shape"(%87) <{reassociation = [[0, 1], [2], [3]], static_output_shape = array<i64: 2, 4, 6, 4>}> : (tensor<8x6x4xf32>) -> tensor<2x4x6x4xf32>
    %89 = "tensor.empty"() : () -> tensor<2x6x4x4xf32>
    %90 = "linalg.transpose"(%88, %89) <{permutation = array<i64: 0, 2, 1, 3>}> ({
    ^bb0(%arg77: f32, %arg78: f32):
      "linalg.yield"(%arg77) : (f32) -> ()
    }) : (tensor<2x4x6x4xf32>, tensor<2x6x4x4xf32>) -> tensor<2x6x4x4xf32>
    %91 = "tensor.empty"() : () -> tensor<16x16xf32>
    %92 = "linalg.transpose"(%arg4, %91) <{permutation = array<i64: 1, 0>}> ({
    ^bb0(%arg75: f32, %arg76: f32):
      "linalg.yield"(%arg75) : (f32) -> ()
    }) : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
    %93 = "tensor.collapse_shape"(%90) <{reassociation = [[0, 1], [2, 3]]}> : (tensor<2x6x4x4xf32>) -> tensor<12x16xf32>
    %94 = "tensor.empty"() : () -> tensor<12x16xf32>
    %95 = "linalg.fill"(%2, %94) <{operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg73: f32, %arg74: f32):
      "linalg.yield"(%arg73) : (f32) -> ()
    }) : (f32, tensor<12x16xf32>) -> tensor<12x16xf32>
    %96 = "linalg.matmul"(%93, %92, %95) <{indexing_maps = [#map3, #map4, #map5], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg70: f32, %arg71: f32, %arg72: f32):
      %159 = "arith.mulf"(%arg70, %arg71) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %160 = "arith.addf"(%arg72, %159) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%160) : (f32) -> ()
    }) : (tensor<12x16xf32>, tensor<16x16xf32>, tensor<12x16xf32>) -> tensor<12x16xf32>
    %97 = "tensor.expand_shape"(%96) <{reassociation = [[0, 1], [2]], static_output_shape = array<i64: 2, 6, 16>}> : (tensor<12x16xf32>) -> tensor<2x6x16xf32>
    %98 = "linalg.generic"(%arg0, %97, %29) <{indexing_maps = [#map, #map, #map], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg67: f32, %arg68: f32, %arg69: f32):
      %158 = "arith.addf"(%arg67, %arg68) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%158) : (f32) -> ()
    }) : (tensor<2x6x16xf32>, tensor<2x6x16xf32>, tensor<2x6x16xf32>) -> tensor<2x6x16xf32>
    %99 = "linalg.generic"(%98, %12) <{indexing_maps = [#map, #map], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg65: f32, %arg66: f64):
      %157 = "arith.extf"(%arg65) : (f32) -> f64
      "linalg.yield"(%157) : (f64) -> ()
    }) : (tensor<2x6x16xf32>, tensor<2x6x16xf64>) -> tensor<2x6x16xf64>
    %100 = "linalg.generic"(%99, %15) <{indexing_maps = [#map, #map1], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg63: f64, %arg64: f64):
      %156 = "arith.addf"(%arg63, %arg64) <{fastmath = #arith.fastmath<none>}> : (f64, f64) -> f64
      "linalg.yield"(%156) : (f64) -> ()
    }) : (tensor<2x6x16xf64>, tensor<2x6x1xf64>) -> tensor<2x6x1xf64>
    %101 = "linalg.generic"(%100, %14) <{indexing_maps = [#map, #map], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg61: f64, %arg62: f64):
      %155 = "arith.divf"(%arg61, %9) <{fastmath = #arith.fastmath<none>}> : (f64, f64) -> f64
      "linalg.yield"(%155) : (f64) -> ()
    }) : (tensor<2x6x1xf64>, tensor<2x6x1xf64>) -> tensor<2x6x1xf64>
    %102 = "linalg.generic"(%99, %101, %12) <{indexing_maps = [#map, #map1, #map], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg58: f64, %arg59: f64, %arg60: f64):
      %154 = "arith.subf"(%arg58, %arg59) <{fastmath = #arith.fastmath<none>}> : (f64, f64) -> f64
      "linalg.yield"(%154) : (f64) -> ()
    }) : (tensor<2x6x16xf64>, tensor<2x6x1xf64>, tensor<2x6x16xf64>) -> tensor<2x6x16xf64>
    %103 = "linalg.generic"(%102, %102, %12) <{indexing_maps = [#map, #map, #map], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg55: f64, %arg56: f64, %arg57: f64):
      %153 = "arith.mulf"(%arg55, %arg56) <{fastmath = #arith.fastmath<none>}> : (f64, f64) -> f64
      "linalg.yield"(%153) : (f64) -> ()
    }) : (tensor<2x6x16xf64>, tensor<2x6x16xf64>, tensor<2x6x16xf64>) -> tensor<2x6x16xf64>
    %104 = "linalg.generic"(%103, %15) <{indexing_maps = [#map, #map1], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg53: f64, %arg54: f64):
      %152 = "arith.addf"(%arg53, %arg54) <{fastmath = #arith.fastmath<none>}> : (f64, f64) -> f64
      "linalg.yield"(%152) : (f64) -> ()
    }) : (tensor<2x6x16xf64>, tensor<2x6x1xf64>) -> tensor<2x6x1xf64>
    %105 = "linalg.generic"(%104, %14) <{indexing_maps = [#map, #map], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg51: f64, %arg52: f64):
      %151 = "arith.divf"(%arg51, %9) <{fastmath = #arith.fastmath<none>}> : (f64, f64) -> f64
      "linalg.yield"(%151) : (f64) -> ()
    }) : (tensor<2x6x1xf64>, tensor<2x6x1xf64>) -> tensor<2x6x1xf64>
    %106 = "linalg.generic"(%105, %22) <{indexing_maps = [#map, #map], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg49: f64, %arg50: f32):
      %150 = "arith.truncf"(%arg49) : (f64) -> f32
      "linalg.yield"(%150) : (f32) -> ()
    }) : (tensor<2x6x1xf64>, tensor<2x6x1xf32>) -> tensor<2x6x1xf32>
    %107 = "linalg.generic"(%98, %24) <{indexing_maps = [#map, #map1], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg47: f32, %arg48: f32):
      %149 = "arith.addf"(%arg47, %arg48) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%149) : (f32) -> ()
    }) : (tensor<2x6x16xf32>, tensor<2x6x1xf32>) -> tensor<2x6x1xf32>
    %108 = "linalg.generic"(%107, %22) <{indexing_maps = [#map, #map], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg45: f32, %arg46: f32):
      %148 = "arith.divf"(%arg45, %10) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%148) : (f32) -> ()
    }) : (tensor<2x6x1xf32>, tensor<2x6x1xf32>) -> tensor<2x6x1xf32>
    %109 = "linalg.generic"(%106, %22) <{indexing_maps = [#map, #map], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg43: f32, %arg44: f32):
      %146 = "arith.truncf"(%8) : (f64) -> f32
      %147 = "arith.addf"(%arg43, %146) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%147) : (f32) -> ()
    }) : (tensor<2x6x1xf32>, tensor<2x6x1xf32>) -> tensor<2x6x1xf32>
    %110 = "linalg.generic"(%109, %22) <{indexing_maps = [#map, #map], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg41: f32, %arg42: f32):
      %145 = "math.rsqrt"(%arg41) <{fastmath = #arith.fastmath<none>}> : (f32) -> f32
      "linalg.yield"(%145) : (f32) -> ()
    }) : (tensor<2x6x1xf32>, tensor<2x6x1xf32>) -> tensor<2x6x1xf32>
    %111 = "linalg.generic"(%98, %108, %29) <{indexing_maps = [#map, #map1, #map], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg38: f32, %arg39: f32, %arg40: f32):
      %144 = "arith.subf"(%arg38, %arg39) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%144) : (f32) -> ()
    }) : (tensor<2x6x16xf32>, tensor<2x6x1xf32>, tensor<2x6x16xf32>) -> tensor<2x6x16xf32>
    %112 = "linalg.generic"(%111, %110, %29) <{indexing_maps = [#map, #map1, #map], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg35: f32, %arg36: f32, %arg37: f32):
      %143 = "arith.mulf"(%arg35, %arg36) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%143) : (f32) -> ()
    }) : (tensor<2x6x16xf32>, tensor<2x6x1xf32>, tensor<2x6x16xf32>) -> tensor<2x6x16xf32>
    %113 = "linalg.generic"(%112, %arg5, %29) <{indexing_maps = [#map, #map2, #map], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg32: f32, %arg33: f32, %arg34: f32):
      %142 = "arith.mulf"(%arg32, %arg33) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%142) : (f32) -> ()
    }) : (tensor<2x6x16xf32>, tensor<16xf32>, tensor<2x6x16xf32>) -> tensor<2x6x16xf32>
    %114 = "linalg.generic"(%113, %arg6, %29) <{indexing_maps = [#map, #map2, #map], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg29: f32, %arg30: f32, %arg31: f32):
      %141 = "arith.addf"(%arg29, %arg30) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%141) : (f32) -> ()
    }) : (tensor<2x6x16xf32>, tensor<16xf32>, tensor<2x6x16xf32>) -> tensor<2x6x16xf32>
    %115 = "tensor.empty"() : () -> tensor<16x64xf32>
    %116 = "linalg.transpose"(%arg7, %115) <{permutation = array<i64: 1, 0>}> ({
    ^bb0(%arg27: f32, %arg28: f32):
      "linalg.yield"(%arg27) : (f32) -> ()
    }) : (tensor<64x16xf32>, tensor<16x64xf32>) -> tensor<16x64xf32>
    %117 = "tensor.collapse_shape"(%114) <{reassociation = [[0, 1], [2]]}> : (tensor<2x6x16xf32>) -> tensor<12x16xf32>
    %118 = "tensor.empty"() : () -> tensor<12x64xf32>
    %119 = "linalg.fill"(%2, %118) <{operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg25: f32, %arg26: f32):
      "linalg.yield"(%arg25) : (f32) -> ()
    }) : (f32, tensor<12x64xf32>) -> tensor<12x64xf32>
    %120 = "linalg.matmul"(%117, %116, %119) <{indexing_maps = [#map3, #map4, #map5], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg22: f32, %arg23: f32, %arg24: f32):
      %139 = "arith.mulf"(%arg22, %arg23) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %140 = "arith.addf"(%arg24, %139) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%140) : (f32) -> ()
    }) : (tensor<12x16xf32>, tensor<16x64xf32>, tensor<12x64xf32>) -> tensor<12x64xf32>
    %121 = "tensor.expand_shape"(%120) <{reassociation = [[0, 1], [2]], static_output_shape = array<i64: 2, 6, 64>}> : (tensor<12x64xf32>) -> tensor<2x6x64xf32>
    %122 = "tensor.empty"() : () -> tensor<2x6x64xf32>
    %123 = "linalg.generic"(%121, %122) <{indexing_maps = [#map, #map], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg20: f32, %arg21: f32):
      %135 = "arith.negf"(%arg20) <{fastmath = #arith.fastmath<none>}> : (f32) -> f32
      %136 = "math.exp"(%135) <{fastmath = #arith.fastmath<none>}> : (f32) -> f32
      %137 = "arith.addf"(%136, %5) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %138 = "arith.divf"(%5, %137) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%138) : (f32) -> ()
    }) : (tensor<2x6x64xf32>, tensor<2x6x64xf32>) -> tensor<2x6x64xf32>
    %124 = "linalg.generic"(%121, %123, %122) <{indexing_maps = [#map, #map, #map], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg17: f32, %arg18: f32, %arg19: f32):
      %134 = "arith.mulf"(%arg17, %arg18) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%134) : (f32) -> ()
    }) : (tensor<2x6x64xf32>, tensor<2x6x64xf32>, tensor<2x6x64xf32>) -> tensor<2x6x64xf32>
    %125 = "tensor.empty"() : () -> tensor<64x16xf32>
    %126 = "linalg.transpose"(%arg8, %125) <{permutation = array<i64: 1, 0>}> ({
    ^bb0(%arg15: f32, %arg16: f32):
      "linalg.yield"(%arg15) : (f32) -> ()
    }) : (tensor<16x64xf32>, tensor<64x16xf32>) -> tensor<64x16xf32>
    %127 = "tensor.collapse_shape"(%124) <{reassociation = [[0, 1], [2]]}> : (tensor<2x6x64xf32>) -> tensor<12x64xf32>
    %128 = "linalg.matmul"(%127, %126, %95) <{indexing_maps = [#map3, #map4, #map5], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg12: f32, %arg13: f32, %arg14: f32):
      %132 = "arith.mulf"(%arg12, %arg13) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %133 = "arith.addf"(%arg14, %132) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%133) : (f32) -> ()
    }) : (tensor<12x64xf32>, tensor<64x16xf32>, tensor<12x16xf32>) -> tensor<12x16xf32>
    %129 = "tensor.expand_shape"(%128) <{reassociation = [[0, 1], [2]], static_output_shape = array<i64: 2, 6, 16>}> : (tensor<12x16xf32>) -> tensor<2x6x16xf32>
    %130 = "linalg.generic"(%98, %129, %29) <{indexing_maps = [#map, #map, #map], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg9: f32, %arg10: f32, %arg11: f32):
      %131 = "arith.addf"(%arg9, %arg10) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%131) : (f32) -> ()
    }) : (tensor<2x6x16xf32>, tensor<2x6x16xf32>, tensor<2x6x16xf32>) -> tensor<2x6x16xf32>
    "func.return"(%130) : (tensor<2x6x16xf32>) -> ()
  }) : () -> ()
}) : () -> ()
