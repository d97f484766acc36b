// A part of a shared transform read a symbol of a match_cast of constants, which the part did not hold.
// relax-run symbol_of_lifted_constants.mlir --check -O 3 --dim k=37 --dim n=17
builtin.module {
  func.func @main(%0: tensor<?x?xi16, #relax.sym<k, n>>, %1: tensor<2xf32> {relax.name = "p23"}) -> tensor<?x?xi16, #relax.sym<k, n>> attributes {relax.num_input = 1 : i64} {
    %2 = relax.constant {value = dense<[false, true, false, true, false, true, true, false]> : tensor<8xi1>} : () -> tensor<8xi1>
    %3 = relax.logical_xor %2, %2 : (tensor<8xi1>, tensor<8xi1>) -> tensor<?xi1>
    %4 = relax.match_cast %3 : (tensor<?xi1>) -> tensor<?xi1, #relax.sym<c4_15>>
    func.return %0 : tensor<?x?xi16, #relax.sym<k, n>>
  }
}
