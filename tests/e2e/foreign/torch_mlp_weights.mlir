#map = affine_map<(d0, d1) -> (d0, d1)>
#map1 = affine_map<(d0, d1) -> (d1)>
module {
  func.func @main(%arg0: tensor<3x8xf32>) -> tensor<3x4xf32> {
    %w0 = arith.constant dense_resource<torch_tensor_16_8_torch.float32> : tensor<16x8xf32>
    %w1 = arith.constant dense_resource<torch_tensor_16_torch.float32_1> : tensor<16xf32>
    %w2 = arith.constant dense_resource<torch_tensor_4_16_torch.float32_2> : tensor<4x16xf32>
    %w3 = arith.constant dense_resource<torch_tensor_4_torch.float32_3> : tensor<4xf32>
    %cst = arith.constant 0.000000e+00 : f32
    %cst_0 = arith.constant 1.000000e+00 : f32
    %cst_1 = arith.constant 5.000000e-01 : f32
    %cst_2 = arith.constant 1.41421354 : f32
    %0 = tensor.empty() : tensor<8x16xf32>
    %transposed = linalg.transpose ins(%w0 : tensor<16x8xf32>) outs(%0 : tensor<8x16xf32>) permutation = [1, 0] 
    %1 = tensor.empty() : tensor<3x16xf32>
    %2 = linalg.fill ins(%cst : f32) outs(%1 : tensor<3x16xf32>) -> tensor<3x16xf32>
    %3 = linalg.matmul ins(%arg0, %transposed : tensor<3x8xf32>, tensor<8x16xf32>) outs(%2 : tensor<3x16xf32>) -> tensor<3x16xf32>
    %4 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel", "parallel"]} ins(%3, %w1 : tensor<3x16xf32>, tensor<16xf32>) outs(%1 : tensor<3x16xf32>) {
    ^bb0(%in: f32, %in_4: f32, %out: f32):
      %11 = arith.addf %in, %in_4 : f32
      linalg.yield %11 : f32
    } -> tensor<3x16xf32>
    %5 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%4 : tensor<3x16xf32>) outs(%1 : tensor<3x16xf32>) {
    ^bb0(%in: f32, %out: f32):
      %11 = arith.divf %in, %cst_2 : f32
      %12 = math.erf %11 : f32
      %13 = arith.addf %12, %cst_0 : f32
      %14 = arith.mulf %13, %cst_1 : f32
      %15 = arith.mulf %in, %14 : f32
      linalg.yield %15 : f32
    } -> tensor<3x16xf32>
    %6 = tensor.empty() : tensor<16x4xf32>
    %transposed_3 = linalg.transpose ins(%w2 : tensor<4x16xf32>) outs(%6 : tensor<16x4xf32>) permutation = [1, 0] 
    %7 = tensor.empty() : tensor<3x4xf32>
    %8 = linalg.fill ins(%cst : f32) outs(%7 : tensor<3x4xf32>) -> tensor<3x4xf32>
    %9 = linalg.matmul ins(%5, %transposed_3 : tensor<3x16xf32>, tensor<16x4xf32>) outs(%8 : tensor<3x4xf32>) -> tensor<3x4xf32>
    %10 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel", "parallel"]} ins(%9, %w3 : tensor<3x4xf32>, tensor<4xf32>) outs(%7 : tensor<3x4xf32>) {
    ^bb0(%in: f32, %in_4: f32, %out: f32):
      %11 = arith.addf %in, %in_4 : f32
      linalg.yield %11 : f32
    } -> tensor<3x4xf32>
    return %10 : tensor<3x4xf32>
  }
}

{-#
  dialect_resources: {
    builtin: {
      torch_tensor_16_8_torch.float32: "0x040000006CBF803D7F4687BDBDF2A33EDFD5563DA12189BEFD22393E79E9263FE673F23EFE27B4BE55F921BFEA8E9FBE6E45A93C4ECD94BFEC0AE0BD037A1FBFE075BBBE8F548BBE18F221BE3DC1523E1471053F979E83BD46E82E3F334AAABE21F9333ED249E73E8589403DF855BEBE32F6EBBE0A5B6ABED57AE13D2B3B01BF1F32D6BDE20BA3BDDB748A3E9ACFDB3D69F3353E5061A7BE70B984BD9EB2C83EC0283F3F0F2921BF41C8413FA5452C3F0604C83EBA66073E7EBA20BE6CA03A3FBFE97A3FF99B663F5255283F91FA363E2FAA1ABFFAF311BBBE0EA83E07E924BF704D4A3E18175C3EDB2FB23E2D9117BF5765A9BE71745FBE12BC15BF9BA35E3F03E87DBEB56E283E9F6304BE3DAF4A3F9701293F6623A23E4E068DBF551CD53C0F06AF3ED081003F282F9EBEAB37693FE20329BFE759A9BE705FEF3E7EEDC83C3327803F2D0BC13D0219A2BE015041BEADAA0BBF068B23BFA662A13E48C7943E1AB4253FD82DC1BEAC34583F7B2413BE3686493F1B965DBEA248BCBEBDC7FF3DA806043FB2DFA43D38E595BE16AD2BBF046533BFD3AF803ED55DFD3ED73CA8BDCA8409BFB17FDF3EF3E323BFA18BB6BE07FB9E3E500290BF3CD2453E6AE694BE09CE5F3D67091BBD13F7CE3D41B5B13E8524C2BEBDE2353F48E1B93EDDFED73E431A153F629FC93E8A15D83ED3D01A3D87A036BF43498ABDE9FEC4BE671C36BFED53043E",
      torch_tensor_16_torch.float32_1: "0x04000000758C91BEA2D003BF0F8105BFF76D093EDAA3373E4946293F5AFAE3BB015B053F6A7D333FA138133F246197BF82451D3FACE22D3E8FF8583E85113E3EBFF8433E",
      torch_tensor_4_16_torch.float32_2: "0x04000000438A233E7CC337BEC96873BFAF0E5FBD5FC1CDBECB420A3F34D913BE21F52A3DC77FD9BE27B882BE2BF5BCBBC6203EBF66F3193E693C59BDABC517BFA67C99BF6257833EEF5C18BEA2AE87BE85D2F1BD4982683F1AFCCBBC7165313D67583EBF02DC523F7EE0EA3E5291083F7B44C33CE3A9EA3EBEEC3D3EF6F99C3E79D89BBD5CA83CBF80B1033FC2AC77BFF5B1F5BD586ED1BD717C05BFA3F59C3E3B23CDBD35AD5FBE5914853E2B0274BE19CA313FEBF1333EC6DB72BEADDD78BF756427BF451D0B3F3546CFBCC5F510BE1256523FDA2D24BFABED95BE03F771BE331A963E71DDA9BEF4089DBE89754DBFA4B6BA3E265FCE3EA7E773BE9642A73D6E7525BF",
      torch_tensor_4_torch.float32_3: "0x040000007E9171BEB260303FFFFC8A3DFFDC933F"
    }
  }
#-}
