// RUN: not relax-opt %s -p 'relax-lift-transform-params{shared=f,nope}' 2>&1 | filecheck %s --check-prefix=MISSING
// RUN: not relax-opt %s -p 'relax-lift-transform-params{shared=f,plain}' 2>&1 | filecheck %s --check-prefix=PLAIN
// RUN: not relax-opt %s -p 'relax-lift-transform-params{shared=f,foreign}' 2>&1 | filecheck %s --check-prefix=FOREIGN
// RUN: relax-opt %s -p 'relax-lift-transform-params{shared=f}' | filecheck %s --check-prefix=FINE

// MISSING: error: no function @nope; the module has @f, @plain, @foreign
// PLAIN: error: @plain has no relax.num_input, which says where its parameters begin
// FOREIGN: error: @foreign is not a relax function
// FINE: func.func @transform_params(
func.func @f(%x: tensor<4xf32>, %w: tensor<4xf32>) -> tensor<4xf32> attributes {relax.num_input = 1 : i64} {
  return %x : tensor<4xf32>
}
func.func @plain(%x: !relax.shape<[n]>) {
  return
}
func.func @foreign(%x: i64) -> i64 {
  return %x : i64
}
