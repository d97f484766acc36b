#map = affine_map<(d0, d1) -> (d0, d1)>
#map1 = affine_map<(d0, d1, d2) -> (d0, d1)>
#map2 = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#map3 = affine_map<(d0, d1, d2, d3) -> (d1, d3)>
#map4 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
#map5 = affine_map<(d0, d1) -> (d0, 0)>
"builtin.module"() ({
  "func.func"() <{function_type = (tensor<4x6xf32>, tensor<2x3xi32>, tensor<2x5x4xf32>, tensor<1x3x4x2xf32>, tensor<4x6xi1>) -> (tensor<4x6xf32>, tensor<2x3x4xf32>, tensor<8x6xf32>, tensor<6x9xf32>, tensor<4x12xf32>, tensor<1x6x8x2xf32>, tensor<4x6xf32>, tensor<2x3xf32>, tensor<4x6xf32>, tensor<4x6xi32>, tensor<1x6xf32>, tensor<4x6xf32>, tensor<6x4xf32>), sym_name = "main"}> ({
  ^bb0(%arg0: tensor<4x6xf32>, %arg1: tensor<2x3xi32>, %arg2: tensor<2x5x4xf32>, %arg3: tensor<1x3x4x2xf32>, %arg4: tensor<4x6xi1>):
    %0 = "arith.constant"() <{value = 4.000000e+00 : f32}> : () -> f32
    %1 = "arith.constant"() <{value = 5 : index}> : () -> index
    %2 = "arith.constant"() <{value = -3.40282347E+38 : f32}> : () -> f32
    %3 = "arith.constant"() <{value = 2147483647 : i32}> : () -> i32
    %4 = "arith.constant"() <{value = 2.14748365E+9 : f32}> : () -> f32
    %5 = "arith.constant"() <{value = -2.14748365E+9 : f32}> : () -> f32
    %6 = "arith.constant"() <{value = 1.000000e+00 : f32}> : () -> f32
    %7 = "arith.constant"() <{value = 1 : i32}> : () -> i32
    %8 = "arith.constant"() <{value = 4 : i32}> : () -> i32
    %9 = "arith.constant"() <{value = 3 : i32}> : () -> i32
    %10 = "arith.constant"() <{value = 2 : i32}> : () -> i32
    %11 = "arith.constant"() <{value = 0.000000e+00 : f32}> : () -> f32
    %12 = "arith.constant"() <{value = 0 : i32}> : () -> i32
    %13 = "arith.constant"() <{value = 2 : index}> : () -> index
    %14 = "arith.constant"() <{value = 2.500000e+00 : f32}> : () -> f32
    %15 = "arith.constant"() <{value = 0 : index}> : () -> index
    %16 = "arith.constant"() <{value = 1 : index}> : () -> index
    %17 = "tensor.empty"() : () -> tensor<4x6xf32>
    %18 = "linalg.generic"(%17) <{indexing_maps = [#map], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 0, 1>}> ({
    ^bb0(%arg37: f32):
      %112 = "linalg.index"() <{dim = 0 : i64}> : () -> index
      %113 = "linalg.index"() <{dim = 1 : i64}> : () -> index
      %114 = "arith.subi"(%1, %113) <{overflowFlags = #arith.overflow<none>}> : (index, index) -> index
      %115 = "tensor.extract"(%arg0, %112, %114) : (tensor<4x6xf32>, index, index) -> f32
      "linalg.yield"(%115) : (f32) -> ()
    }) : (tensor<4x6xf32>) -> tensor<4x6xf32>
    %19 = "tensor.empty"() : () -> tensor<2x3x4xf32>
    %20 = "linalg.generic"(%arg1, %19) <{indexing_maps = [#map1, #map2], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg35: i32, %arg36: f32):
      %108 = "linalg.index"() <{dim = 0 : i64}> : () -> index
      %109 = "arith.index_cast"(%arg35) : (i32) -> index
      %110 = "linalg.index"() <{dim = 2 : i64}> : () -> index
      %111 = "tensor.extract"(%arg2, %108, %109, %110) : (tensor<2x5x4xf32>, index, index, index) -> f32
      "linalg.yield"(%111) : (f32) -> ()
    }) : (tensor<2x3xi32>, tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
    %21 = "tensor.empty"() : () -> tensor<8x6xf32>
    %22 = "tensor.insert_slice"(%arg0, %21) <{operandSegmentSizes = array<i32: 1, 1, 0, 0, 0>, static_offsets = array<i64: 0, 0>, static_sizes = array<i64: 4, 6>, static_strides = array<i64: 1, 1>}> : (tensor<4x6xf32>, tensor<8x6xf32>) -> tensor<8x6xf32>
    %23 = "tensor.insert_slice"(%18, %22) <{operandSegmentSizes = array<i32: 1, 1, 0, 0, 0>, static_offsets = array<i64: 4, 0>, static_sizes = array<i64: 4, 6>, static_strides = array<i64: 1, 1>}> : (tensor<4x6xf32>, tensor<8x6xf32>) -> tensor<8x6xf32>
    %24 = "tensor.pad"(%arg0, %16, %13, %16, %16) <{operandSegmentSizes = array<i32: 1, 2, 2>, static_high = array<i64: -9223372036854775808, -9223372036854775808>, static_low = array<i64: -9223372036854775808, -9223372036854775808>}> ({
    ^bb0(%arg33: index, %arg34: index):
      "tensor.yield"(%14) : (f32) -> ()
    }) : (tensor<4x6xf32>, index, index, index, index) -> tensor<6x9xf32>
    %25 = "tensor.empty"() : () -> tensor<1x4x2x6xf32>
    %26 = "linalg.generic"(%arg0, %25) <{indexing_maps = [#map3, #map4], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg31: f32, %arg32: f32):
      "linalg.yield"(%arg31) : (f32) -> ()
    }) : (tensor<4x6xf32>, tensor<1x4x2x6xf32>) -> tensor<1x4x2x6xf32>
    %27 = "tensor.collapse_shape"(%26) <{reassociation = [[0, 1], [2, 3]]}> : (tensor<1x4x2x6xf32>) -> tensor<4x12xf32>
    %28 = "tensor.empty"() : () -> tensor<1x6x8x2xf32>
    %29 = "linalg.generic"(%28) <{indexing_maps = [#map4], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 0, 1>}> ({
    ^bb0(%arg30: f32):
      %64 = "linalg.index"() <{dim = 1 : i64}> : () -> index
      %65 = "linalg.index"() <{dim = 2 : i64}> : () -> index
      %66 = "linalg.index"() <{dim = 3 : i64}> : () -> index
      %67 = "arith.index_cast"(%64) : (index) -> i32
      %68 = "arith.index_cast"(%65) : (index) -> i32
      %69 = "arith.muli"(%67, %10) <{overflowFlags = #arith.overflow<none>}> : (i32, i32) -> i32
      %70 = "arith.floordivsi"(%69, %8) : (i32, i32) -> i32
      %71 = "arith.remsi"(%69, %8) : (i32, i32) -> i32
      %72 = "arith.sitofp"(%71) : (i32) -> f32
      %73 = "arith.divf"(%72, %0) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %74 = "arith.muli"(%68, %10) <{overflowFlags = #arith.overflow<none>}> : (i32, i32) -> i32
      %75 = "arith.floordivsi"(%74, %8) : (i32, i32) -> i32
      %76 = "arith.remsi"(%74, %8) : (i32, i32) -> i32
      %77 = "arith.sitofp"(%76) : (i32) -> f32
      %78 = "arith.divf"(%77, %0) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %79 = "arith.addi"(%70, %7) <{overflowFlags = #arith.overflow<none>}> : (i32, i32) -> i32
      %80 = "arith.maxsi"(%70, %12) : (i32, i32) -> i32
      %81 = "arith.minsi"(%80, %10) : (i32, i32) -> i32
      %82 = "arith.maxsi"(%79, %12) : (i32, i32) -> i32
      %83 = "arith.minsi"(%82, %10) : (i32, i32) -> i32
      %84 = "arith.index_cast"(%81) : (i32) -> index
      %85 = "arith.index_cast"(%83) : (i32) -> index
      %86 = "arith.addi"(%75, %7) <{overflowFlags = #arith.overflow<none>}> : (i32, i32) -> i32
      %87 = "arith.maxsi"(%75, %12) : (i32, i32) -> i32
      %88 = "arith.minsi"(%87, %9) : (i32, i32) -> i32
      %89 = "arith.maxsi"(%86, %12) : (i32, i32) -> i32
      %90 = "arith.minsi"(%89, %9) : (i32, i32) -> i32
      %91 = "arith.index_cast"(%88) : (i32) -> index
      %92 = "arith.index_cast"(%90) : (i32) -> index
      %93 = "tensor.extract"(%arg3, %15, %84, %91, %66) : (tensor<1x3x4x2xf32>, index, index, index, index) -> f32
      %94 = "tensor.extract"(%arg3, %15, %84, %92, %66) : (tensor<1x3x4x2xf32>, index, index, index, index) -> f32
      %95 = "tensor.extract"(%arg3, %15, %85, %91, %66) : (tensor<1x3x4x2xf32>, index, index, index, index) -> f32
      %96 = "tensor.extract"(%arg3, %15, %85, %92, %66) : (tensor<1x3x4x2xf32>, index, index, index, index) -> f32
      %97 = "arith.subf"(%6, %78) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %98 = "arith.mulf"(%93, %97) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %99 = "arith.mulf"(%94, %78) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %100 = "arith.addf"(%98, %99) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %101 = "arith.mulf"(%95, %97) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %102 = "arith.mulf"(%96, %78) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %103 = "arith.addf"(%101, %102) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %104 = "arith.subf"(%6, %73) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %105 = "arith.mulf"(%100, %104) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %106 = "arith.mulf"(%103, %73) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %107 = "arith.addf"(%105, %106) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%107) : (f32) -> ()
    }) : (tensor<1x6x8x2xf32>) -> tensor<1x6x8x2xf32>
    %30 = "linalg.generic"(%arg4, %arg0, %18, %17) <{indexing_maps = [#map, #map, #map, #map], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 3, 1>}> ({
    ^bb0(%arg26: i1, %arg27: f32, %arg28: f32, %arg29: f32):
      %63 = "arith.select"(%arg26, %arg27, %arg28) : (i1, f32, f32) -> f32
      "linalg.yield"(%63) : (f32) -> ()
    }) : (tensor<4x6xi1>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x6xf32>
    %31 = "tensor.extract_slice"(%arg0) <{operandSegmentSizes = array<i32: 1, 0, 0, 0>, static_offsets = array<i64: 1, 2>, static_sizes = array<i64: 2, 3>, static_strides = array<i64: 1, 1>}> : (tensor<4x6xf32>) -> tensor<2x3xf32>
    %32 = "linalg.generic"(%arg0, %17) <{indexing_maps = [#map, #map], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg24: f32, %arg25: f32):
      %62 = "math.exp"(%arg24) <{fastmath = #arith.fastmath<none>}> : (f32) -> f32
      "linalg.yield"(%62) : (f32) -> ()
    }) : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x6xf32>
    %33 = "tensor.empty"() : () -> tensor<4xf32>
    %34 = "linalg.fill"(%11, %33) <{operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg22: f32, %arg23: f32):
      "linalg.yield"(%arg22) : (f32) -> ()
    }) : (f32, tensor<4xf32>) -> tensor<4xf32>
    %35 = "linalg.reduce"(%32, %34) <{dimensions = array<i64: 1>}> ({
    ^bb0(%arg20: f32, %arg21: f32):
      %61 = "arith.addf"(%arg20, %arg21) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%61) : (f32) -> ()
    }) : (tensor<4x6xf32>, tensor<4xf32>) -> tensor<4xf32>
    %36 = "tensor.expand_shape"(%35) <{reassociation = [[0, 1]], static_output_shape = array<i64: 4, 1>}> : (tensor<4xf32>) -> tensor<4x1xf32>
    %37 = "tensor.empty"() : () -> tensor<4x1xf32>
    %38 = "linalg.generic"(%36, %37) <{indexing_maps = [#map, #map], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg18: f32, %arg19: f32):
      %60 = "arith.divf"(%6, %arg18) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%60) : (f32) -> ()
    }) : (tensor<4x1xf32>, tensor<4x1xf32>) -> tensor<4x1xf32>
    %39 = "linalg.generic"(%32, %38, %17) <{indexing_maps = [#map, #map5, #map], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg15: f32, %arg16: f32, %arg17: f32):
      %59 = "arith.mulf"(%arg15, %arg16) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%59) : (f32) -> ()
    }) : (tensor<4x6xf32>, tensor<4x1xf32>, tensor<4x6xf32>) -> tensor<4x6xf32>
    %40 = "tensor.empty"() : () -> tensor<4x6xi32>
    %41 = "linalg.generic"(%arg0, %40) <{indexing_maps = [#map, #map], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg13: f32, %arg14: i32):
      %54 = "math.roundeven"(%arg13) <{fastmath = #arith.fastmath<none>}> : (f32) -> f32
      %55 = "arith.maximumf"(%54, %5) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %56 = "arith.fptosi"(%55) : (f32) -> i32
      %57 = "arith.cmpf"(%54, %4) <{fastmath = #arith.fastmath<none>, predicate = 10 : i64}> : (f32, f32) -> i1
      %58 = "arith.select"(%57, %3, %56) : (i1, i32, i32) -> i32
      "linalg.yield"(%58) : (i32) -> ()
    }) : (tensor<4x6xf32>, tensor<4x6xi32>) -> tensor<4x6xi32>
    %42 = "tensor.empty"() : () -> tensor<6xf32>
    %43 = "linalg.fill"(%2, %42) <{operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg11: f32, %arg12: f32):
      "linalg.yield"(%arg11) : (f32) -> ()
    }) : (f32, tensor<6xf32>) -> tensor<6xf32>
    %44 = "linalg.reduce"(%arg0, %43) <{dimensions = array<i64: 0>}> ({
    ^bb0(%arg9: f32, %arg10: f32):
      %53 = "arith.maximumf"(%arg9, %arg10) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%53) : (f32) -> ()
    }) : (tensor<4x6xf32>, tensor<6xf32>) -> tensor<6xf32>
    %45 = "tensor.expand_shape"(%44) <{reassociation = [[0, 1]], static_output_shape = array<i64: 1, 6>}> : (tensor<6xf32>) -> tensor<1x6xf32>
    %46 = "linalg.generic"(%arg0, %17) <{indexing_maps = [#map, #map], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg7: f32, %arg8: f32):
      %49 = "arith.negf"(%arg7) <{fastmath = #arith.fastmath<none>}> : (f32) -> f32
      %50 = "math.exp"(%49) <{fastmath = #arith.fastmath<none>}> : (f32) -> f32
      %51 = "arith.addf"(%50, %6) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %52 = "arith.divf"(%6, %51) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%52) : (f32) -> ()
    }) : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x6xf32>
    %47 = "tensor.empty"() : () -> tensor<6x4xf32>
    %48 = "linalg.transpose"(%arg0, %47) <{permutation = array<i64: 1, 0>}> ({
    ^bb0(%arg5: f32, %arg6: f32):
      "linalg.yield"(%arg5) : (f32) -> ()
    }) : (tensor<4x6xf32>, tensor<6x4xf32>) -> tensor<6x4xf32>
    "func.return"(%18, %20, %23, %24, %27, %29, %30, %31, %39, %41, %45, %46, %48) : (tensor<4x6xf32>, tensor<2x3x4xf32>, tensor<8x6xf32>, tensor<6x9xf32>, tensor<4x12xf32>, tensor<1x6x8x2xf32>, tensor<4x6xf32>, tensor<2x3xf32>, tensor<4x6xf32>, tensor<4x6xi32>, tensor<1x6xf32>, tensor<4x6xf32>, tensor<6x4xf32>) -> ()
  }) : () -> ()
}) : () -> ()

