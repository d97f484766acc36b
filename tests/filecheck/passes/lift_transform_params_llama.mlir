// RUN: relax-opt %examples/llama_decoder.mlir -p 'relax-lift-transform-params{shared=true}' | filecheck %s

// Every weight of both layers is transposed once, for both functions: seven a layer, and the head.
// CHECK-LABEL: func.func @transform_params(
// CHECK-COUNT-15: relax.permute_dims
// CHECK-NOT: relax.permute_dims
// CHECK-LABEL: func.func @prefill(
// CHECK-NOT: relax.permute_dims
// CHECK-LABEL: func.func @decode(
// CHECK-NOT: relax.permute_dims
