// A Llama of 2 layers: rms_norm, rotary embedding, grouped-query attention with a cache of keys and values, silu MLP.
// prefill: s tokens and their positions -> logits, caches. decode: one token and the caches of m tokens -> the same.
// Written by llama_decoder.py.
builtin.module {
  func.func @prefill(%tokens: tensor<1x?xi64, #relax.sym<s>>, %positions: tensor<?xi64, #relax.sym<s>>, %model_embed_tokens_weight: tensor<1000x256xf32> {relax.name = "model.embed_tokens.weight"}, %model_layers_0_input_layernorm_weight: tensor<256xf32> {relax.name = "model.layers.0.input_layernorm.weight"}, %model_layers_0_self_attn_q_proj_weight: tensor<256x256xf32> {relax.name = "model.layers.0.self_attn.q_proj.weight"}, %model_layers_0_self_attn_k_proj_weight: tensor<64x256xf32> {relax.name = "model.layers.0.self_attn.k_proj.weight"}, %model_layers_0_self_attn_v_proj_weight: tensor<64x256xf32> {relax.name = "model.layers.0.self_attn.v_proj.weight"}, %model_layers_0_self_attn_o_proj_weight: tensor<256x256xf32> {relax.name = "model.layers.0.self_attn.o_proj.weight"}, %model_layers_0_post_attention_layernorm_weight: tensor<256xf32> {relax.name = "model.layers.0.post_attention_layernorm.weight"}, %model_layers_0_mlp_gate_proj_weight: tensor<688x256xf32> {relax.name = "model.layers.0.mlp.gate_proj.weight"}, %model_layers_0_mlp_up_proj_weight: tensor<688x256xf32> {relax.name = "model.layers.0.mlp.up_proj.weight"}, %model_layers_0_mlp_down_proj_weight: tensor<256x688xf32> {relax.name = "model.layers.0.mlp.down_proj.weight"}, %model_layers_1_input_layernorm_weight: tensor<256xf32> {relax.name = "model.layers.1.input_layernorm.weight"}, %model_layers_1_self_attn_q_proj_weight: tensor<256x256xf32> {relax.name = "model.layers.1.self_attn.q_proj.weight"}, %model_layers_1_self_attn_k_proj_weight: tensor<64x256xf32> {relax.name = "model.layers.1.self_attn.k_proj.weight"}, %model_layers_1_self_attn_v_proj_weight: tensor<64x256xf32> {relax.name = "model.layers.1.self_attn.v_proj.weight"}, %model_layers_1_self_attn_o_proj_weight: tensor<256x256xf32> {relax.name = "model.layers.1.self_attn.o_proj.weight"}, %model_layers_1_post_attention_layernorm_weight: tensor<256xf32> {relax.name = "model.layers.1.post_attention_layernorm.weight"}, %model_layers_1_mlp_gate_proj_weight: tensor<688x256xf32> {relax.name = "model.layers.1.mlp.gate_proj.weight"}, %model_layers_1_mlp_up_proj_weight: tensor<688x256xf32> {relax.name = "model.layers.1.mlp.up_proj.weight"}, %model_layers_1_mlp_down_proj_weight: tensor<256x688xf32> {relax.name = "model.layers.1.mlp.down_proj.weight"}, %model_norm_weight: tensor<256xf32> {relax.name = "model.norm.weight"}, %lm_head_weight: tensor<1000x256xf32> {relax.name = "lm_head.weight"}) -> (tensor<1x?x1000xf32, #relax.sym<s>>, tensor<1x?x2x32xf32, #relax.sym<s>>, tensor<1x?x2x32xf32, #relax.sym<s>>, tensor<1x?x2x32xf32, #relax.sym<s>>, tensor<1x?x2x32xf32, #relax.sym<s>>) attributes {relax.num_input = 2 : i64} {
    %0, %1, %2, %3, %4 = relax.dataflow {
      %5 = relax.astype %positions {dtype = f32} : (tensor<?xi64, #relax.sym<s>>) -> tensor<?xf32, #relax.sym<s>>
      %6 = relax.shape : () -> !relax.shape<[s, 1]>
      %7 = relax.reshape %5, %6 : (tensor<?xf32, #relax.sym<s>>, !relax.shape<[s, 1]>) -> tensor<?x1xf32, #relax.sym<s>>
      %8 = relax.constant {value = dense<[[1.000000e+00, 0.562341332, 0.316227764, 0.177827939, 1.000000e-01, 0.0562341325, 0.0316227749, 0.0177827943, 1.000000e-02, 0.00562341325, 0.00316227763, 0.00177827943, 1.000000e-03, 0.000562341302, 0.000316227757, 0.00017782794]]> : tensor<1x16xf32>} : () -> tensor<1x16xf32>
      %9 = relax.multiply %7, %8 : (tensor<?x1xf32, #relax.sym<s>>, tensor<1x16xf32>) -> tensor<?x16xf32, #relax.sym<s>>
      %10 = relax.concat %9, %9 {axis = 1 : i64} : (tensor<?x16xf32, #relax.sym<s>>, tensor<?x16xf32, #relax.sym<s>>) -> tensor<?x32xf32, #relax.sym<s>>
      %11 = relax.shape : () -> !relax.shape<[s, 1, 32]>
      %12 = relax.reshape %10, %11 : (tensor<?x32xf32, #relax.sym<s>>, !relax.shape<[s, 1, 32]>) -> tensor<?x1x32xf32, #relax.sym<s>>
      %13 = relax.cos %12 : (tensor<?x1x32xf32, #relax.sym<s>>) -> tensor<?x1x32xf32, #relax.sym<s>>
      %14 = relax.sin %12 : (tensor<?x1x32xf32, #relax.sym<s>>) -> tensor<?x1x32xf32, #relax.sym<s>>
      %15 = relax.take %model_embed_tokens_weight, %tokens {axis = 0 : i64} : (tensor<1000x256xf32>, tensor<1x?xi64, #relax.sym<s>>) -> tensor<1x?x256xf32, #relax.sym<s>>
      %16 = relax.nn.rms_norm %15, %model_layers_0_input_layernorm_weight {axes = array<i64: -1>, epsilon = 1.000000e-05 : f64} : (tensor<1x?x256xf32, #relax.sym<s>>, tensor<256xf32>) -> tensor<1x?x256xf32, #relax.sym<s>>
      %17 = relax.permute_dims %model_layers_0_self_attn_q_proj_weight {axes = array<i64: 1, 0>} : (tensor<256x256xf32>) -> tensor<256x256xf32>
      %18 = relax.matmul %16, %17 : (tensor<1x?x256xf32, #relax.sym<s>>, tensor<256x256xf32>) -> tensor<1x?x256xf32, #relax.sym<s>>
      %19 = relax.shape : () -> !relax.shape<[1, s, 8, 32]>
      %20 = relax.reshape %18, %19 : (tensor<1x?x256xf32, #relax.sym<s>>, !relax.shape<[1, s, 8, 32]>) -> tensor<1x?x8x32xf32, #relax.sym<s>>
      %21 = relax.permute_dims %model_layers_0_self_attn_k_proj_weight {axes = array<i64: 1, 0>} : (tensor<64x256xf32>) -> tensor<256x64xf32>
      %22 = relax.matmul %16, %21 : (tensor<1x?x256xf32, #relax.sym<s>>, tensor<256x64xf32>) -> tensor<1x?x64xf32, #relax.sym<s>>
      %23 = relax.shape : () -> !relax.shape<[1, s, 2, 32]>
      %24 = relax.reshape %22, %23 : (tensor<1x?x64xf32, #relax.sym<s>>, !relax.shape<[1, s, 2, 32]>) -> tensor<1x?x2x32xf32, #relax.sym<s>>
      %25 = relax.permute_dims %model_layers_0_self_attn_v_proj_weight {axes = array<i64: 1, 0>} : (tensor<64x256xf32>) -> tensor<256x64xf32>
      %26 = relax.matmul %16, %25 : (tensor<1x?x256xf32, #relax.sym<s>>, tensor<256x64xf32>) -> tensor<1x?x64xf32, #relax.sym<s>>
      %27 = relax.shape : () -> !relax.shape<[1, s, 2, 32]>
      %28 = relax.reshape %26, %27 : (tensor<1x?x64xf32, #relax.sym<s>>, !relax.shape<[1, s, 2, 32]>) -> tensor<1x?x2x32xf32, #relax.sym<s>>
      %29, %30 = relax.split %20 {sections = 2 : i64, axis = 3 : i64} : (tensor<1x?x8x32xf32, #relax.sym<s>>) -> (tensor<1x?x8x16xf32, #relax.sym<s>>, tensor<1x?x8x16xf32, #relax.sym<s>>)
      %31 = relax.negative %30 : (tensor<1x?x8x16xf32, #relax.sym<s>>) -> tensor<1x?x8x16xf32, #relax.sym<s>>
      %32 = relax.concat %31, %29 {axis = 3 : i64} : (tensor<1x?x8x16xf32, #relax.sym<s>>, tensor<1x?x8x16xf32, #relax.sym<s>>) -> tensor<1x?x8x32xf32, #relax.sym<s>>
      %33 = relax.multiply %20, %13 : (tensor<1x?x8x32xf32, #relax.sym<s>>, tensor<?x1x32xf32, #relax.sym<s>>) -> tensor<1x?x8x32xf32, #relax.sym<s>>
      %34 = relax.multiply %32, %14 : (tensor<1x?x8x32xf32, #relax.sym<s>>, tensor<?x1x32xf32, #relax.sym<s>>) -> tensor<1x?x8x32xf32, #relax.sym<s>>
      %35 = relax.add %33, %34 : (tensor<1x?x8x32xf32, #relax.sym<s>>, tensor<1x?x8x32xf32, #relax.sym<s>>) -> tensor<1x?x8x32xf32, #relax.sym<s>>
      %36, %37 = relax.split %24 {sections = 2 : i64, axis = 3 : i64} : (tensor<1x?x2x32xf32, #relax.sym<s>>) -> (tensor<1x?x2x16xf32, #relax.sym<s>>, tensor<1x?x2x16xf32, #relax.sym<s>>)
      %38 = relax.negative %37 : (tensor<1x?x2x16xf32, #relax.sym<s>>) -> tensor<1x?x2x16xf32, #relax.sym<s>>
      %39 = relax.concat %38, %36 {axis = 3 : i64} : (tensor<1x?x2x16xf32, #relax.sym<s>>, tensor<1x?x2x16xf32, #relax.sym<s>>) -> tensor<1x?x2x32xf32, #relax.sym<s>>
      %40 = relax.multiply %24, %13 : (tensor<1x?x2x32xf32, #relax.sym<s>>, tensor<?x1x32xf32, #relax.sym<s>>) -> tensor<1x?x2x32xf32, #relax.sym<s>>
      %41 = relax.multiply %39, %14 : (tensor<1x?x2x32xf32, #relax.sym<s>>, tensor<?x1x32xf32, #relax.sym<s>>) -> tensor<1x?x2x32xf32, #relax.sym<s>>
      %42 = relax.add %40, %41 : (tensor<1x?x2x32xf32, #relax.sym<s>>, tensor<1x?x2x32xf32, #relax.sym<s>>) -> tensor<1x?x2x32xf32, #relax.sym<s>>
      %43 = relax.nn.attention %35, %42, %28 {causal_mask = "BottomRight"} : (tensor<1x?x8x32xf32, #relax.sym<s>>, tensor<1x?x2x32xf32, #relax.sym<s>>, tensor<1x?x2x32xf32, #relax.sym<s>>) -> tensor<1x?x8x32xf32, #relax.sym<s>>
      %44 = relax.shape : () -> !relax.shape<[1, s, 256]>
      %45 = relax.reshape %43, %44 : (tensor<1x?x8x32xf32, #relax.sym<s>>, !relax.shape<[1, s, 256]>) -> tensor<1x?x256xf32, #relax.sym<s>>
      %46 = relax.permute_dims %model_layers_0_self_attn_o_proj_weight {axes = array<i64: 1, 0>} : (tensor<256x256xf32>) -> tensor<256x256xf32>
      %47 = relax.matmul %45, %46 : (tensor<1x?x256xf32, #relax.sym<s>>, tensor<256x256xf32>) -> tensor<1x?x256xf32, #relax.sym<s>>
      %48 = relax.add %15, %47 : (tensor<1x?x256xf32, #relax.sym<s>>, tensor<1x?x256xf32, #relax.sym<s>>) -> tensor<1x?x256xf32, #relax.sym<s>>
      %49 = relax.nn.rms_norm %48, %model_layers_0_post_attention_layernorm_weight {axes = array<i64: -1>, epsilon = 1.000000e-05 : f64} : (tensor<1x?x256xf32, #relax.sym<s>>, tensor<256xf32>) -> tensor<1x?x256xf32, #relax.sym<s>>
      %50 = relax.permute_dims %model_layers_0_mlp_gate_proj_weight {axes = array<i64: 1, 0>} : (tensor<688x256xf32>) -> tensor<256x688xf32>
      %51 = relax.matmul %49, %50 : (tensor<1x?x256xf32, #relax.sym<s>>, tensor<256x688xf32>) -> tensor<1x?x688xf32, #relax.sym<s>>
      %52 = relax.nn.silu %51 : (tensor<1x?x688xf32, #relax.sym<s>>) -> tensor<1x?x688xf32, #relax.sym<s>>
      %53 = relax.permute_dims %model_layers_0_mlp_up_proj_weight {axes = array<i64: 1, 0>} : (tensor<688x256xf32>) -> tensor<256x688xf32>
      %54 = relax.matmul %49, %53 : (tensor<1x?x256xf32, #relax.sym<s>>, tensor<256x688xf32>) -> tensor<1x?x688xf32, #relax.sym<s>>
      %55 = relax.multiply %52, %54 : (tensor<1x?x688xf32, #relax.sym<s>>, tensor<1x?x688xf32, #relax.sym<s>>) -> tensor<1x?x688xf32, #relax.sym<s>>
      %56 = relax.permute_dims %model_layers_0_mlp_down_proj_weight {axes = array<i64: 1, 0>} : (tensor<256x688xf32>) -> tensor<688x256xf32>
      %57 = relax.matmul %55, %56 : (tensor<1x?x688xf32, #relax.sym<s>>, tensor<688x256xf32>) -> tensor<1x?x256xf32, #relax.sym<s>>
      %58 = relax.add %48, %57 : (tensor<1x?x256xf32, #relax.sym<s>>, tensor<1x?x256xf32, #relax.sym<s>>) -> tensor<1x?x256xf32, #relax.sym<s>>
      %59 = relax.nn.rms_norm %58, %model_layers_1_input_layernorm_weight {axes = array<i64: -1>, epsilon = 1.000000e-05 : f64} : (tensor<1x?x256xf32, #relax.sym<s>>, tensor<256xf32>) -> tensor<1x?x256xf32, #relax.sym<s>>
      %60 = relax.permute_dims %model_layers_1_self_attn_q_proj_weight {axes = array<i64: 1, 0>} : (tensor<256x256xf32>) -> tensor<256x256xf32>
      %61 = relax.matmul %59, %60 : (tensor<1x?x256xf32, #relax.sym<s>>, tensor<256x256xf32>) -> tensor<1x?x256xf32, #relax.sym<s>>
      %62 = relax.shape : () -> !relax.shape<[1, s, 8, 32]>
      %63 = relax.reshape %61, %62 : (tensor<1x?x256xf32, #relax.sym<s>>, !relax.shape<[1, s, 8, 32]>) -> tensor<1x?x8x32xf32, #relax.sym<s>>
      %64 = relax.permute_dims %model_layers_1_self_attn_k_proj_weight {axes = array<i64: 1, 0>} : (tensor<64x256xf32>) -> tensor<256x64xf32>
      %65 = relax.matmul %59, %64 : (tensor<1x?x256xf32, #relax.sym<s>>, tensor<256x64xf32>) -> tensor<1x?x64xf32, #relax.sym<s>>
      %66 = relax.shape : () -> !relax.shape<[1, s, 2, 32]>
      %67 = relax.reshape %65, %66 : (tensor<1x?x64xf32, #relax.sym<s>>, !relax.shape<[1, s, 2, 32]>) -> tensor<1x?x2x32xf32, #relax.sym<s>>
      %68 = relax.permute_dims %model_layers_1_self_attn_v_proj_weight {axes = array<i64: 1, 0>} : (tensor<64x256xf32>) -> tensor<256x64xf32>
      %69 = relax.matmul %59, %68 : (tensor<1x?x256xf32, #relax.sym<s>>, tensor<256x64xf32>) -> tensor<1x?x64xf32, #relax.sym<s>>
      %70 = relax.shape : () -> !relax.shape<[1, s, 2, 32]>
      %71 = relax.reshape %69, %70 : (tensor<1x?x64xf32, #relax.sym<s>>, !relax.shape<[1, s, 2, 32]>) -> tensor<1x?x2x32xf32, #relax.sym<s>>
      %72, %73 = relax.split %63 {sections = 2 : i64, axis = 3 : i64} : (tensor<1x?x8x32xf32, #relax.sym<s>>) -> (tensor<1x?x8x16xf32, #relax.sym<s>>, tensor<1x?x8x16xf32, #relax.sym<s>>)
      %74 = relax.negative %73 : (tensor<1x?x8x16xf32, #relax.sym<s>>) -> tensor<1x?x8x16xf32, #relax.sym<s>>
      %75 = relax.concat %74, %72 {axis = 3 : i64} : (tensor<1x?x8x16xf32, #relax.sym<s>>, tensor<1x?x8x16xf32, #relax.sym<s>>) -> tensor<1x?x8x32xf32, #relax.sym<s>>
      %76 = relax.multiply %63, %13 : (tensor<1x?x8x32xf32, #relax.sym<s>>, tensor<?x1x32xf32, #relax.sym<s>>) -> tensor<1x?x8x32xf32, #relax.sym<s>>
      %77 = relax.multiply %75, %14 : (tensor<1x?x8x32xf32, #relax.sym<s>>, tensor<?x1x32xf32, #relax.sym<s>>) -> tensor<1x?x8x32xf32, #relax.sym<s>>
      %78 = relax.add %76, %77 : (tensor<1x?x8x32xf32, #relax.sym<s>>, tensor<1x?x8x32xf32, #relax.sym<s>>) -> tensor<1x?x8x32xf32, #relax.sym<s>>
      %79, %80 = relax.split %67 {sections = 2 : i64, axis = 3 : i64} : (tensor<1x?x2x32xf32, #relax.sym<s>>) -> (tensor<1x?x2x16xf32, #relax.sym<s>>, tensor<1x?x2x16xf32, #relax.sym<s>>)
      %81 = relax.negative %80 : (tensor<1x?x2x16xf32, #relax.sym<s>>) -> tensor<1x?x2x16xf32, #relax.sym<s>>
      %82 = relax.concat %81, %79 {axis = 3 : i64} : (tensor<1x?x2x16xf32, #relax.sym<s>>, tensor<1x?x2x16xf32, #relax.sym<s>>) -> tensor<1x?x2x32xf32, #relax.sym<s>>
      %83 = relax.multiply %67, %13 : (tensor<1x?x2x32xf32, #relax.sym<s>>, tensor<?x1x32xf32, #relax.sym<s>>) -> tensor<1x?x2x32xf32, #relax.sym<s>>
      %84 = relax.multiply %82, %14 : (tensor<1x?x2x32xf32, #relax.sym<s>>, tensor<?x1x32xf32, #relax.sym<s>>) -> tensor<1x?x2x32xf32, #relax.sym<s>>
      %85 = relax.add %83, %84 : (tensor<1x?x2x32xf32, #relax.sym<s>>, tensor<1x?x2x32xf32, #relax.sym<s>>) -> tensor<1x?x2x32xf32, #relax.sym<s>>
      %86 = relax.nn.attention %78, %85, %71 {causal_mask = "BottomRight"} : (tensor<1x?x8x32xf32, #relax.sym<s>>, tensor<1x?x2x32xf32, #relax.sym<s>>, tensor<1x?x2x32xf32, #relax.sym<s>>) -> tensor<1x?x8x32xf32, #relax.sym<s>>
      %87 = relax.shape : () -> !relax.shape<[1, s, 256]>
      %88 = relax.reshape %86, %87 : (tensor<1x?x8x32xf32, #relax.sym<s>>, !relax.shape<[1, s, 256]>) -> tensor<1x?x256xf32, #relax.sym<s>>
      %89 = relax.permute_dims %model_layers_1_self_attn_o_proj_weight {axes = array<i64: 1, 0>} : (tensor<256x256xf32>) -> tensor<256x256xf32>
      %90 = relax.matmul %88, %89 : (tensor<1x?x256xf32, #relax.sym<s>>, tensor<256x256xf32>) -> tensor<1x?x256xf32, #relax.sym<s>>
      %91 = relax.add %58, %90 : (tensor<1x?x256xf32, #relax.sym<s>>, tensor<1x?x256xf32, #relax.sym<s>>) -> tensor<1x?x256xf32, #relax.sym<s>>
      %92 = relax.nn.rms_norm %91, %model_layers_1_post_attention_layernorm_weight {axes = array<i64: -1>, epsilon = 1.000000e-05 : f64} : (tensor<1x?x256xf32, #relax.sym<s>>, tensor<256xf32>) -> tensor<1x?x256xf32, #relax.sym<s>>
      %93 = relax.permute_dims %model_layers_1_mlp_gate_proj_weight {axes = array<i64: 1, 0>} : (tensor<688x256xf32>) -> tensor<256x688xf32>
      %94 = relax.matmul %92, %93 : (tensor<1x?x256xf32, #relax.sym<s>>, tensor<256x688xf32>) -> tensor<1x?x688xf32, #relax.sym<s>>
      %95 = relax.nn.silu %94 : (tensor<1x?x688xf32, #relax.sym<s>>) -> tensor<1x?x688xf32, #relax.sym<s>>
      %96 = relax.permute_dims %model_layers_1_mlp_up_proj_weight {axes = array<i64: 1, 0>} : (tensor<688x256xf32>) -> tensor<256x688xf32>
      %97 = relax.matmul %92, %96 : (tensor<1x?x256xf32, #relax.sym<s>>, tensor<256x688xf32>) -> tensor<1x?x688xf32, #relax.sym<s>>
      %98 = relax.multiply %95, %97 : (tensor<1x?x688xf32, #relax.sym<s>>, tensor<1x?x688xf32, #relax.sym<s>>) -> tensor<1x?x688xf32, #relax.sym<s>>
      %99 = relax.permute_dims %model_layers_1_mlp_down_proj_weight {axes = array<i64: 1, 0>} : (tensor<256x688xf32>) -> tensor<688x256xf32>
      %100 = relax.matmul %98, %99 : (tensor<1x?x688xf32, #relax.sym<s>>, tensor<688x256xf32>) -> tensor<1x?x256xf32, #relax.sym<s>>
      %101 = relax.add %91, %100 : (tensor<1x?x256xf32, #relax.sym<s>>, tensor<1x?x256xf32, #relax.sym<s>>) -> tensor<1x?x256xf32, #relax.sym<s>>
      %102 = relax.nn.rms_norm %101, %model_norm_weight {axes = array<i64: -1>, epsilon = 1.000000e-05 : f64} : (tensor<1x?x256xf32, #relax.sym<s>>, tensor<256xf32>) -> tensor<1x?x256xf32, #relax.sym<s>>
      %103 = relax.permute_dims %lm_head_weight {axes = array<i64: 1, 0>} : (tensor<1000x256xf32>) -> tensor<256x1000xf32>
      %104 = relax.matmul %102, %103 : (tensor<1x?x256xf32, #relax.sym<s>>, tensor<256x1000xf32>) -> tensor<1x?x1000xf32, #relax.sym<s>>
      relax.output %104, %42, %28, %85, %71 : tensor<1x?x1000xf32, #relax.sym<s>>, tensor<1x?x2x32xf32, #relax.sym<s>>, tensor<1x?x2x32xf32, #relax.sym<s>>, tensor<1x?x2x32xf32, #relax.sym<s>>, tensor<1x?x2x32xf32, #relax.sym<s>>
    } : tensor<1x?x1000xf32, #relax.sym<s>>, tensor<1x?x2x32xf32, #relax.sym<s>>, tensor<1x?x2x32xf32, #relax.sym<s>>, tensor<1x?x2x32xf32, #relax.sym<s>>, tensor<1x?x2x32xf32, #relax.sym<s>>
    func.return %0, %1, %2, %3, %4 : tensor<1x?x1000xf32, #relax.sym<s>>, tensor<1x?x2x32xf32, #relax.sym<s>>, tensor<1x?x2x32xf32, #relax.sym<s>>, tensor<1x?x2x32xf32, #relax.sym<s>>, tensor<1x?x2x32xf32, #relax.sym<s>>
  }
  func.func @decode(%token: tensor<1x1xi64>, %position: tensor<1xi64>, %key: tensor<1x?x2x32xf32, #relax.sym<m>>, %value: tensor<1x?x2x32xf32, #relax.sym<m>>, %key_1: tensor<1x?x2x32xf32, #relax.sym<m>>, %value_1: tensor<1x?x2x32xf32, #relax.sym<m>>, %model_embed_tokens_weight: tensor<1000x256xf32> {relax.name = "model.embed_tokens.weight"}, %model_layers_0_input_layernorm_weight: tensor<256xf32> {relax.name = "model.layers.0.input_layernorm.weight"}, %model_layers_0_self_attn_q_proj_weight: tensor<256x256xf32> {relax.name = "model.layers.0.self_attn.q_proj.weight"}, %model_layers_0_self_attn_k_proj_weight: tensor<64x256xf32> {relax.name = "model.layers.0.self_attn.k_proj.weight"}, %model_layers_0_self_attn_v_proj_weight: tensor<64x256xf32> {relax.name = "model.layers.0.self_attn.v_proj.weight"}, %model_layers_0_self_attn_o_proj_weight: tensor<256x256xf32> {relax.name = "model.layers.0.self_attn.o_proj.weight"}, %model_layers_0_post_attention_layernorm_weight: tensor<256xf32> {relax.name = "model.layers.0.post_attention_layernorm.weight"}, %model_layers_0_mlp_gate_proj_weight: tensor<688x256xf32> {relax.name = "model.layers.0.mlp.gate_proj.weight"}, %model_layers_0_mlp_up_proj_weight: tensor<688x256xf32> {relax.name = "model.layers.0.mlp.up_proj.weight"}, %model_layers_0_mlp_down_proj_weight: tensor<256x688xf32> {relax.name = "model.layers.0.mlp.down_proj.weight"}, %model_layers_1_input_layernorm_weight: tensor<256xf32> {relax.name = "model.layers.1.input_layernorm.weight"}, %model_layers_1_self_attn_q_proj_weight: tensor<256x256xf32> {relax.name = "model.layers.1.self_attn.q_proj.weight"}, %model_layers_1_self_attn_k_proj_weight: tensor<64x256xf32> {relax.name = "model.layers.1.self_attn.k_proj.weight"}, %model_layers_1_self_attn_v_proj_weight: tensor<64x256xf32> {relax.name = "model.layers.1.self_attn.v_proj.weight"}, %model_layers_1_self_attn_o_proj_weight: tensor<256x256xf32> {relax.name = "model.layers.1.self_attn.o_proj.weight"}, %model_layers_1_post_attention_layernorm_weight: tensor<256xf32> {relax.name = "model.layers.1.post_attention_layernorm.weight"}, %model_layers_1_mlp_gate_proj_weight: tensor<688x256xf32> {relax.name = "model.layers.1.mlp.gate_proj.weight"}, %model_layers_1_mlp_up_proj_weight: tensor<688x256xf32> {relax.name = "model.layers.1.mlp.up_proj.weight"}, %model_layers_1_mlp_down_proj_weight: tensor<256x688xf32> {relax.name = "model.layers.1.mlp.down_proj.weight"}, %model_norm_weight: tensor<256xf32> {relax.name = "model.norm.weight"}, %lm_head_weight: tensor<1000x256xf32> {relax.name = "lm_head.weight"}) -> (tensor<1x1x1000xf32>, tensor<1x?x2x32xf32, #relax.sym<m + 1>>, tensor<1x?x2x32xf32, #relax.sym<m + 1>>, tensor<1x?x2x32xf32, #relax.sym<m + 1>>, tensor<1x?x2x32xf32, #relax.sym<m + 1>>) attributes {relax.num_input = 6 : i64} {
    %0, %1, %2, %3, %4 = relax.dataflow {
      %5 = relax.astype %position {dtype = f32} : (tensor<1xi64>) -> tensor<1xf32>
      %6 = relax.shape : () -> !relax.shape<[1, 1]>
      %7 = relax.reshape %5, %6 : (tensor<1xf32>, !relax.shape<[1, 1]>) -> tensor<1x1xf32>
      %8 = relax.constant {value = dense<[[1.000000e+00, 0.562341332, 0.316227764, 0.177827939, 1.000000e-01, 0.0562341325, 0.0316227749, 0.0177827943, 1.000000e-02, 0.00562341325, 0.00316227763, 0.00177827943, 1.000000e-03, 0.000562341302, 0.000316227757, 0.00017782794]]> : tensor<1x16xf32>} : () -> tensor<1x16xf32>
      %9 = relax.multiply %7, %8 : (tensor<1x1xf32>, tensor<1x16xf32>) -> tensor<1x16xf32>
      %10 = relax.concat %9, %9 {axis = 1 : i64} : (tensor<1x16xf32>, tensor<1x16xf32>) -> tensor<1x32xf32>
      %11 = relax.shape : () -> !relax.shape<[1, 1, 32]>
      %12 = relax.reshape %10, %11 : (tensor<1x32xf32>, !relax.shape<[1, 1, 32]>) -> tensor<1x1x32xf32>
      %13 = relax.cos %12 : (tensor<1x1x32xf32>) -> tensor<1x1x32xf32>
      %14 = relax.sin %12 : (tensor<1x1x32xf32>) -> tensor<1x1x32xf32>
      %15 = relax.take %model_embed_tokens_weight, %token {axis = 0 : i64} : (tensor<1000x256xf32>, tensor<1x1xi64>) -> tensor<1x1x256xf32>
      %16 = relax.nn.rms_norm %15, %model_layers_0_input_layernorm_weight {axes = array<i64: -1>, epsilon = 1.000000e-05 : f64} : (tensor<1x1x256xf32>, tensor<256xf32>) -> tensor<1x1x256xf32>
      %17 = relax.permute_dims %model_layers_0_self_attn_q_proj_weight {axes = array<i64: 1, 0>} : (tensor<256x256xf32>) -> tensor<256x256xf32>
      %18 = relax.matmul %16, %17 : (tensor<1x1x256xf32>, tensor<256x256xf32>) -> tensor<1x1x256xf32>
      %19 = relax.shape : () -> !relax.shape<[1, 1, 8, 32]>
      %20 = relax.reshape %18, %19 : (tensor<1x1x256xf32>, !relax.shape<[1, 1, 8, 32]>) -> tensor<1x1x8x32xf32>
      %21 = relax.permute_dims %model_layers_0_self_attn_k_proj_weight {axes = array<i64: 1, 0>} : (tensor<64x256xf32>) -> tensor<256x64xf32>
      %22 = relax.matmul %16, %21 : (tensor<1x1x256xf32>, tensor<256x64xf32>) -> tensor<1x1x64xf32>
      %23 = relax.shape : () -> !relax.shape<[1, 1, 2, 32]>
      %24 = relax.reshape %22, %23 : (tensor<1x1x64xf32>, !relax.shape<[1, 1, 2, 32]>) -> tensor<1x1x2x32xf32>
      %25 = relax.permute_dims %model_layers_0_self_attn_v_proj_weight {axes = array<i64: 1, 0>} : (tensor<64x256xf32>) -> tensor<256x64xf32>
      %26 = relax.matmul %16, %25 : (tensor<1x1x256xf32>, tensor<256x64xf32>) -> tensor<1x1x64xf32>
      %27 = relax.shape : () -> !relax.shape<[1, 1, 2, 32]>
      %28 = relax.reshape %26, %27 : (tensor<1x1x64xf32>, !relax.shape<[1, 1, 2, 32]>) -> tensor<1x1x2x32xf32>
      %29, %30 = relax.split %20 {sections = 2 : i64, axis = 3 : i64} : (tensor<1x1x8x32xf32>) -> (tensor<1x1x8x16xf32>, tensor<1x1x8x16xf32>)
      %31 = relax.negative %30 : (tensor<1x1x8x16xf32>) -> tensor<1x1x8x16xf32>
      %32 = relax.concat %31, %29 {axis = 3 : i64} : (tensor<1x1x8x16xf32>, tensor<1x1x8x16xf32>) -> tensor<1x1x8x32xf32>
      %33 = relax.multiply %20, %13 : (tensor<1x1x8x32xf32>, tensor<1x1x32xf32>) -> tensor<1x1x8x32xf32>
      %34 = relax.multiply %32, %14 : (tensor<1x1x8x32xf32>, tensor<1x1x32xf32>) -> tensor<1x1x8x32xf32>
      %35 = relax.add %33, %34 : (tensor<1x1x8x32xf32>, tensor<1x1x8x32xf32>) -> tensor<1x1x8x32xf32>
      %36, %37 = relax.split %24 {sections = 2 : i64, axis = 3 : i64} : (tensor<1x1x2x32xf32>) -> (tensor<1x1x2x16xf32>, tensor<1x1x2x16xf32>)
      %38 = relax.negative %37 : (tensor<1x1x2x16xf32>) -> tensor<1x1x2x16xf32>
      %39 = relax.concat %38, %36 {axis = 3 : i64} : (tensor<1x1x2x16xf32>, tensor<1x1x2x16xf32>) -> tensor<1x1x2x32xf32>
      %40 = relax.multiply %24, %13 : (tensor<1x1x2x32xf32>, tensor<1x1x32xf32>) -> tensor<1x1x2x32xf32>
      %41 = relax.multiply %39, %14 : (tensor<1x1x2x32xf32>, tensor<1x1x32xf32>) -> tensor<1x1x2x32xf32>
      %42 = relax.add %40, %41 : (tensor<1x1x2x32xf32>, tensor<1x1x2x32xf32>) -> tensor<1x1x2x32xf32>
      %43 = relax.concat %key, %42 {axis = 1 : i64} : (tensor<1x?x2x32xf32, #relax.sym<m>>, tensor<1x1x2x32xf32>) -> tensor<1x?x2x32xf32, #relax.sym<m + 1>>
      %44 = relax.concat %value, %28 {axis = 1 : i64} : (tensor<1x?x2x32xf32, #relax.sym<m>>, tensor<1x1x2x32xf32>) -> tensor<1x?x2x32xf32, #relax.sym<m + 1>>
      %45 = relax.nn.attention %35, %43, %44 {causal_mask = "BottomRight"} : (tensor<1x1x8x32xf32>, tensor<1x?x2x32xf32, #relax.sym<m + 1>>, tensor<1x?x2x32xf32, #relax.sym<m + 1>>) -> tensor<1x1x8x32xf32>
      %46 = relax.shape : () -> !relax.shape<[1, 1, 256]>
      %47 = relax.reshape %45, %46 : (tensor<1x1x8x32xf32>, !relax.shape<[1, 1, 256]>) -> tensor<1x1x256xf32>
      %48 = relax.permute_dims %model_layers_0_self_attn_o_proj_weight {axes = array<i64: 1, 0>} : (tensor<256x256xf32>) -> tensor<256x256xf32>
      %49 = relax.matmul %47, %48 : (tensor<1x1x256xf32>, tensor<256x256xf32>) -> tensor<1x1x256xf32>
      %50 = relax.add %15, %49 : (tensor<1x1x256xf32>, tensor<1x1x256xf32>) -> tensor<1x1x256xf32>
      %51 = relax.nn.rms_norm %50, %model_layers_0_post_attention_layernorm_weight {axes = array<i64: -1>, epsilon = 1.000000e-05 : f64} : (tensor<1x1x256xf32>, tensor<256xf32>) -> tensor<1x1x256xf32>
      %52 = relax.permute_dims %model_layers_0_mlp_gate_proj_weight {axes = array<i64: 1, 0>} : (tensor<688x256xf32>) -> tensor<256x688xf32>
      %53 = relax.matmul %51, %52 : (tensor<1x1x256xf32>, tensor<256x688xf32>) -> tensor<1x1x688xf32>
      %54 = relax.nn.silu %53 : (tensor<1x1x688xf32>) -> tensor<1x1x688xf32>
      %55 = relax.permute_dims %model_layers_0_mlp_up_proj_weight {axes = array<i64: 1, 0>} : (tensor<688x256xf32>) -> tensor<256x688xf32>
      %56 = relax.matmul %51, %55 : (tensor<1x1x256xf32>, tensor<256x688xf32>) -> tensor<1x1x688xf32>
      %57 = relax.multiply %54, %56 : (tensor<1x1x688xf32>, tensor<1x1x688xf32>) -> tensor<1x1x688xf32>
      %58 = relax.permute_dims %model_layers_0_mlp_down_proj_weight {axes = array<i64: 1, 0>} : (tensor<256x688xf32>) -> tensor<688x256xf32>
      %59 = relax.matmul %57, %58 : (tensor<1x1x688xf32>, tensor<688x256xf32>) -> tensor<1x1x256xf32>
      %60 = relax.add %50, %59 : (tensor<1x1x256xf32>, tensor<1x1x256xf32>) -> tensor<1x1x256xf32>
      %61 = relax.nn.rms_norm %60, %model_layers_1_input_layernorm_weight {axes = array<i64: -1>, epsilon = 1.000000e-05 : f64} : (tensor<1x1x256xf32>, tensor<256xf32>) -> tensor<1x1x256xf32>
      %62 = relax.permute_dims %model_layers_1_self_attn_q_proj_weight {axes = array<i64: 1, 0>} : (tensor<256x256xf32>) -> tensor<256x256xf32>
      %63 = relax.matmul %61, %62 : (tensor<1x1x256xf32>, tensor<256x256xf32>) -> tensor<1x1x256xf32>
      %64 = relax.shape : () -> !relax.shape<[1, 1, 8, 32]>
      %65 = relax.reshape %63, %64 : (tensor<1x1x256xf32>, !relax.shape<[1, 1, 8, 32]>) -> tensor<1x1x8x32xf32>
      %66 = relax.permute_dims %model_layers_1_self_attn_k_proj_weight {axes = array<i64: 1, 0>} : (tensor<64x256xf32>) -> tensor<256x64xf32>
      %67 = relax.matmul %61, %66 : (tensor<1x1x256xf32>, tensor<256x64xf32>) -> tensor<1x1x64xf32>
      %68 = relax.shape : () -> !relax.shape<[1, 1, 2, 32]>
      %69 = relax.reshape %67, %68 : (tensor<1x1x64xf32>, !relax.shape<[1, 1, 2, 32]>) -> tensor<1x1x2x32xf32>
      %70 = relax.permute_dims %model_layers_1_self_attn_v_proj_weight {axes = array<i64: 1, 0>} : (tensor<64x256xf32>) -> tensor<256x64xf32>
      %71 = relax.matmul %61, %70 : (tensor<1x1x256xf32>, tensor<256x64xf32>) -> tensor<1x1x64xf32>
      %72 = relax.shape : () -> !relax.shape<[1, 1, 2, 32]>
      %73 = relax.reshape %71, %72 : (tensor<1x1x64xf32>, !relax.shape<[1, 1, 2, 32]>) -> tensor<1x1x2x32xf32>
      %74, %75 = relax.split %65 {sections = 2 : i64, axis = 3 : i64} : (tensor<1x1x8x32xf32>) -> (tensor<1x1x8x16xf32>, tensor<1x1x8x16xf32>)
      %76 = relax.negative %75 : (tensor<1x1x8x16xf32>) -> tensor<1x1x8x16xf32>
      %77 = relax.concat %76, %74 {axis = 3 : i64} : (tensor<1x1x8x16xf32>, tensor<1x1x8x16xf32>) -> tensor<1x1x8x32xf32>
      %78 = relax.multiply %65, %13 : (tensor<1x1x8x32xf32>, tensor<1x1x32xf32>) -> tensor<1x1x8x32xf32>
      %79 = relax.multiply %77, %14 : (tensor<1x1x8x32xf32>, tensor<1x1x32xf32>) -> tensor<1x1x8x32xf32>
      %80 = relax.add %78, %79 : (tensor<1x1x8x32xf32>, tensor<1x1x8x32xf32>) -> tensor<1x1x8x32xf32>
      %81, %82 = relax.split %69 {sections = 2 : i64, axis = 3 : i64} : (tensor<1x1x2x32xf32>) -> (tensor<1x1x2x16xf32>, tensor<1x1x2x16xf32>)
      %83 = relax.negative %82 : (tensor<1x1x2x16xf32>) -> tensor<1x1x2x16xf32>
      %84 = relax.concat %83, %81 {axis = 3 : i64} : (tensor<1x1x2x16xf32>, tensor<1x1x2x16xf32>) -> tensor<1x1x2x32xf32>
      %85 = relax.multiply %69, %13 : (tensor<1x1x2x32xf32>, tensor<1x1x32xf32>) -> tensor<1x1x2x32xf32>
      %86 = relax.multiply %84, %14 : (tensor<1x1x2x32xf32>, tensor<1x1x32xf32>) -> tensor<1x1x2x32xf32>
      %87 = relax.add %85, %86 : (tensor<1x1x2x32xf32>, tensor<1x1x2x32xf32>) -> tensor<1x1x2x32xf32>
      %88 = relax.concat %key_1, %87 {axis = 1 : i64} : (tensor<1x?x2x32xf32, #relax.sym<m>>, tensor<1x1x2x32xf32>) -> tensor<1x?x2x32xf32, #relax.sym<m + 1>>
      %89 = relax.concat %value_1, %73 {axis = 1 : i64} : (tensor<1x?x2x32xf32, #relax.sym<m>>, tensor<1x1x2x32xf32>) -> tensor<1x?x2x32xf32, #relax.sym<m + 1>>
      %90 = relax.nn.attention %80, %88, %89 {causal_mask = "BottomRight"} : (tensor<1x1x8x32xf32>, tensor<1x?x2x32xf32, #relax.sym<m + 1>>, tensor<1x?x2x32xf32, #relax.sym<m + 1>>) -> tensor<1x1x8x32xf32>
      %91 = relax.shape : () -> !relax.shape<[1, 1, 256]>
      %92 = relax.reshape %90, %91 : (tensor<1x1x8x32xf32>, !relax.shape<[1, 1, 256]>) -> tensor<1x1x256xf32>
      %93 = relax.permute_dims %model_layers_1_self_attn_o_proj_weight {axes = array<i64: 1, 0>} : (tensor<256x256xf32>) -> tensor<256x256xf32>
      %94 = relax.matmul %92, %93 : (tensor<1x1x256xf32>, tensor<256x256xf32>) -> tensor<1x1x256xf32>
      %95 = relax.add %60, %94 : (tensor<1x1x256xf32>, tensor<1x1x256xf32>) -> tensor<1x1x256xf32>
      %96 = relax.nn.rms_norm %95, %model_layers_1_post_attention_layernorm_weight {axes = array<i64: -1>, epsilon = 1.000000e-05 : f64} : (tensor<1x1x256xf32>, tensor<256xf32>) -> tensor<1x1x256xf32>
      %97 = relax.permute_dims %model_layers_1_mlp_gate_proj_weight {axes = array<i64: 1, 0>} : (tensor<688x256xf32>) -> tensor<256x688xf32>
      %98 = relax.matmul %96, %97 : (tensor<1x1x256xf32>, tensor<256x688xf32>) -> tensor<1x1x688xf32>
      %99 = relax.nn.silu %98 : (tensor<1x1x688xf32>) -> tensor<1x1x688xf32>
      %100 = relax.permute_dims %model_layers_1_mlp_up_proj_weight {axes = array<i64: 1, 0>} : (tensor<688x256xf32>) -> tensor<256x688xf32>
      %101 = relax.matmul %96, %100 : (tensor<1x1x256xf32>, tensor<256x688xf32>) -> tensor<1x1x688xf32>
      %102 = relax.multiply %99, %101 : (tensor<1x1x688xf32>, tensor<1x1x688xf32>) -> tensor<1x1x688xf32>
      %103 = relax.permute_dims %model_layers_1_mlp_down_proj_weight {axes = array<i64: 1, 0>} : (tensor<256x688xf32>) -> tensor<688x256xf32>
      %104 = relax.matmul %102, %103 : (tensor<1x1x688xf32>, tensor<688x256xf32>) -> tensor<1x1x256xf32>
      %105 = relax.add %95, %104 : (tensor<1x1x256xf32>, tensor<1x1x256xf32>) -> tensor<1x1x256xf32>
      %106 = relax.nn.rms_norm %105, %model_norm_weight {axes = array<i64: -1>, epsilon = 1.000000e-05 : f64} : (tensor<1x1x256xf32>, tensor<256xf32>) -> tensor<1x1x256xf32>
      %107 = relax.permute_dims %lm_head_weight {axes = array<i64: 1, 0>} : (tensor<1000x256xf32>) -> tensor<256x1000xf32>
      %108 = relax.matmul %106, %107 : (tensor<1x1x256xf32>, tensor<256x1000xf32>) -> tensor<1x1x1000xf32>
      relax.output %108, %43, %44, %88, %89 : tensor<1x1x1000xf32>, tensor<1x?x2x32xf32, #relax.sym<m + 1>>, tensor<1x?x2x32xf32, #relax.sym<m + 1>>, tensor<1x?x2x32xf32, #relax.sym<m + 1>>, tensor<1x?x2x32xf32, #relax.sym<m + 1>>
    } : tensor<1x1x1000xf32>, tensor<1x?x2x32xf32, #relax.sym<m + 1>>, tensor<1x?x2x32xf32, #relax.sym<m + 1>>, tensor<1x?x2x32xf32, #relax.sym<m + 1>>, tensor<1x?x2x32xf32, #relax.sym<m + 1>>
    func.return %0, %1, %2, %3, %4 : tensor<1x1x1000xf32>, tensor<1x?x2x32xf32, #relax.sym<m + 1>>, tensor<1x?x2x32xf32, #relax.sym<m + 1>>, tensor<1x?x2x32xf32, #relax.sym<m + 1>>, tensor<1x?x2x32xf32, #relax.sym<m + 1>>
  }
}
