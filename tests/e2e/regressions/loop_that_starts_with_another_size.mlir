// Shape inference refined what a loop starts with, but not what it carries, which the body yields with another size.
// relax-run loop_that_starts_with_another_size.mlir --check
func.func @main(%x: tensor<2xf32>, %from: index, %to: index, %step: index) -> tensor<2xf32> {
  %s = relax.exp %x : (tensor<2xf32>) -> tensor<?xf32>
  %f = scf.for %i = %from to %to step %step iter_args(%c = %s) -> (tensor<?xf32>) {
    %p = relax.nn.pad %s {pad_width = array<i64: 2, 0>} : (tensor<?xf32>) -> tensor<?xf32>
    scf.yield %p : tensor<?xf32>
  }
  return %x : tensor<2xf32>
}
