// An encoder layer of BERT-base, for b sequences of s tokens.
// Written by bert_layer.py.
builtin.module {
  func.func @main(%x: tensor<?x?x768xf32, #relax.sym<b, s>>, %mask: tensor<?x1x1x?xf32, #relax.sym<b, s>>, %attention_self_query_weight: tensor<768x768xf32> {relax.name = "attention.self.query.weight"}, %attention_self_query_bias: tensor<768xf32> {relax.name = "attention.self.query.bias"}, %attention_self_key_weight: tensor<768x768xf32> {relax.name = "attention.self.key.weight"}, %attention_self_key_bias: tensor<768xf32> {relax.name = "attention.self.key.bias"}, %attention_self_value_weight: tensor<768x768xf32> {relax.name = "attention.self.value.weight"}, %attention_self_value_bias: tensor<768xf32> {relax.name = "attention.self.value.bias"}, %attention_output_dense_weight: tensor<768x768xf32> {relax.name = "attention.output.dense.weight"}, %attention_output_dense_bias: tensor<768xf32> {relax.name = "attention.output.dense.bias"}, %attention_output_LayerNorm_weight: tensor<768xf32> {relax.name = "attention.output.LayerNorm.weight"}, %attention_output_LayerNorm_bias: tensor<768xf32> {relax.name = "attention.output.LayerNorm.bias"}, %intermediate_dense_weight: tensor<3072x768xf32> {relax.name = "intermediate.dense.weight"}, %intermediate_dense_bias: tensor<3072xf32> {relax.name = "intermediate.dense.bias"}, %output_dense_weight: tensor<768x3072xf32> {relax.name = "output.dense.weight"}, %output_dense_bias: tensor<768xf32> {relax.name = "output.dense.bias"}, %output_LayerNorm_weight: tensor<768xf32> {relax.name = "output.LayerNorm.weight"}, %output_LayerNorm_bias: tensor<768xf32> {relax.name = "output.LayerNorm.bias"}) -> tensor<?x?x768xf32, #relax.sym<b, s>> attributes {relax.num_input = 2 : i64} {
    %0 = relax.dataflow {
      %1 = relax.permute_dims %attention_self_query_weight {axes = array<i64: 1, 0>} : (tensor<768x768xf32>) -> tensor<768x768xf32>
      %2 = relax.matmul %x, %1 : (tensor<?x?x768xf32, #relax.sym<b, s>>, tensor<768x768xf32>) -> tensor<?x?x768xf32, #relax.sym<b, s>>
      %3 = relax.add %2, %attention_self_query_bias : (tensor<?x?x768xf32, #relax.sym<b, s>>, tensor<768xf32>) -> tensor<?x?x768xf32, #relax.sym<b, s>>
      %4 = relax.shape : () -> !relax.shape<[b, s, 12, 64]>
      %5 = relax.reshape %3, %4 : (tensor<?x?x768xf32, #relax.sym<b, s>>, !relax.shape<[b, s, 12, 64]>) -> tensor<?x?x12x64xf32, #relax.sym<b, s>>
      %6 = relax.permute_dims %attention_self_key_weight {axes = array<i64: 1, 0>} : (tensor<768x768xf32>) -> tensor<768x768xf32>
      %7 = relax.matmul %x, %6 : (tensor<?x?x768xf32, #relax.sym<b, s>>, tensor<768x768xf32>) -> tensor<?x?x768xf32, #relax.sym<b, s>>
      %8 = relax.add %7, %attention_self_key_bias : (tensor<?x?x768xf32, #relax.sym<b, s>>, tensor<768xf32>) -> tensor<?x?x768xf32, #relax.sym<b, s>>
      %9 = relax.shape : () -> !relax.shape<[b, s, 12, 64]>
      %10 = relax.reshape %8, %9 : (tensor<?x?x768xf32, #relax.sym<b, s>>, !relax.shape<[b, s, 12, 64]>) -> tensor<?x?x12x64xf32, #relax.sym<b, s>>
      %11 = relax.permute_dims %attention_self_value_weight {axes = array<i64: 1, 0>} : (tensor<768x768xf32>) -> tensor<768x768xf32>
      %12 = relax.matmul %x, %11 : (tensor<?x?x768xf32, #relax.sym<b, s>>, tensor<768x768xf32>) -> tensor<?x?x768xf32, #relax.sym<b, s>>
      %13 = relax.add %12, %attention_self_value_bias : (tensor<?x?x768xf32, #relax.sym<b, s>>, tensor<768xf32>) -> tensor<?x?x768xf32, #relax.sym<b, s>>
      %14 = relax.shape : () -> !relax.shape<[b, s, 12, 64]>
      %15 = relax.reshape %13, %14 : (tensor<?x?x768xf32, #relax.sym<b, s>>, !relax.shape<[b, s, 12, 64]>) -> tensor<?x?x12x64xf32, #relax.sym<b, s>>
      %16 = relax.nn.attention_bias %5, %10, %15, %mask : (tensor<?x?x12x64xf32, #relax.sym<b, s>>, tensor<?x?x12x64xf32, #relax.sym<b, s>>, tensor<?x?x12x64xf32, #relax.sym<b, s>>, tensor<?x1x1x?xf32, #relax.sym<b, s>>) -> tensor<?x?x12x64xf32, #relax.sym<b, s>>
      %17 = relax.shape : () -> !relax.shape<[b, s, 768]>
      %18 = relax.reshape %16, %17 : (tensor<?x?x12x64xf32, #relax.sym<b, s>>, !relax.shape<[b, s, 768]>) -> tensor<?x?x768xf32, #relax.sym<b, s>>
      %19 = relax.permute_dims %attention_output_dense_weight {axes = array<i64: 1, 0>} : (tensor<768x768xf32>) -> tensor<768x768xf32>
      %20 = relax.matmul %18, %19 : (tensor<?x?x768xf32, #relax.sym<b, s>>, tensor<768x768xf32>) -> tensor<?x?x768xf32, #relax.sym<b, s>>
      %21 = relax.add %20, %attention_output_dense_bias : (tensor<?x?x768xf32, #relax.sym<b, s>>, tensor<768xf32>) -> tensor<?x?x768xf32, #relax.sym<b, s>>
      %22 = relax.add %21, %x : (tensor<?x?x768xf32, #relax.sym<b, s>>, tensor<?x?x768xf32, #relax.sym<b, s>>) -> tensor<?x?x768xf32, #relax.sym<b, s>>
      %23 = relax.nn.layer_norm %22, %attention_output_LayerNorm_weight, %attention_output_LayerNorm_bias {axes = array<i64: -1>, epsilon = 1.000000e-12 : f64} : (tensor<?x?x768xf32, #relax.sym<b, s>>, tensor<768xf32>, tensor<768xf32>) -> tensor<?x?x768xf32, #relax.sym<b, s>>
      %24 = relax.permute_dims %intermediate_dense_weight {axes = array<i64: 1, 0>} : (tensor<3072x768xf32>) -> tensor<768x3072xf32>
      %25 = relax.matmul %23, %24 : (tensor<?x?x768xf32, #relax.sym<b, s>>, tensor<768x3072xf32>) -> tensor<?x?x3072xf32, #relax.sym<b, s>>
      %26 = relax.add %25, %intermediate_dense_bias : (tensor<?x?x3072xf32, #relax.sym<b, s>>, tensor<3072xf32>) -> tensor<?x?x3072xf32, #relax.sym<b, s>>
      %27 = relax.nn.gelu %26 : (tensor<?x?x3072xf32, #relax.sym<b, s>>) -> tensor<?x?x3072xf32, #relax.sym<b, s>>
      %28 = relax.permute_dims %output_dense_weight {axes = array<i64: 1, 0>} : (tensor<768x3072xf32>) -> tensor<3072x768xf32>
      %29 = relax.matmul %27, %28 : (tensor<?x?x3072xf32, #relax.sym<b, s>>, tensor<3072x768xf32>) -> tensor<?x?x768xf32, #relax.sym<b, s>>
      %30 = relax.add %29, %output_dense_bias : (tensor<?x?x768xf32, #relax.sym<b, s>>, tensor<768xf32>) -> tensor<?x?x768xf32, #relax.sym<b, s>>
      %31 = relax.add %30, %23 : (tensor<?x?x768xf32, #relax.sym<b, s>>, tensor<?x?x768xf32, #relax.sym<b, s>>) -> tensor<?x?x768xf32, #relax.sym<b, s>>
      %32 = relax.nn.layer_norm %31, %output_LayerNorm_weight, %output_LayerNorm_bias {axes = array<i64: -1>, epsilon = 1.000000e-12 : f64} : (tensor<?x?x768xf32, #relax.sym<b, s>>, tensor<768xf32>, tensor<768xf32>) -> tensor<?x?x768xf32, #relax.sym<b, s>>
      relax.output %32 : tensor<?x?x768xf32, #relax.sym<b, s>>
    } : tensor<?x?x768xf32, #relax.sym<b, s>>
    func.return %0 : tensor<?x?x768xf32, #relax.sym<b, s>>
  }
}
