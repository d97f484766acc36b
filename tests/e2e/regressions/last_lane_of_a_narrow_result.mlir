// LLVM stored two bytes for the last of 17, as a masked store of one truncated lane became a scalar one.
// relax-run last_lane_of_a_narrow_result.mlir --check
builtin.module {
  func.func @main(%0: tensor<1x17x1xi16>, %1: tensor<1xi16>) -> tensor<1x17xi8> {
    %2 = relax.matmul %0, %1 {out_dtype = i8} : (tensor<1x17x1xi16>, tensor<1xi16>) -> tensor<1x17xi8>
    func.return %2 : tensor<1x17xi8>
  }
}
