// A buffer that was viewed with one more dim was cast to one with fewer dims.
// relax-run reshape_of_whole_split.mlir --check
func.func @main(%x: tensor<1xi64>) -> (tensor<2x1xi64>) {
  %0 = relax.dataflow {
    %s = relax.shape : () -> !relax.shape<[2]>
    %b = relax.broadcast_to %x, %s : (tensor<1xi64>, !relax.shape<[2]>) -> tensor<2xi64>
    %p, %q = relax.split %b {indices = array<i64: 2>, axis = 0 : i64} : (tensor<2xi64>) -> (tensor<2xi64>, tensor<0xi64>)
    %t = relax.shape : () -> !relax.shape<[2, 1]>
    %r = relax.reshape %p, %t : (tensor<2xi64>, !relax.shape<[2, 1]>) -> tensor<2x1xi64>
    relax.output %r : tensor<2x1xi64>
  } : tensor<2x1xi64>
  return %0 : tensor<2x1xi64>
}
