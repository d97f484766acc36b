// RUN: relax-opt %s -p relax-to-linalg | filecheck %s

// CHECK-LABEL: func.func @ops(
// CHECK-SAME:    %[[A:[a-z0-9]+]]: tensor<2xf32>
// CHECK-NEXT:    func.return %[[A]]
func.func @ops(%a: tensor<2xf32>) -> tensor<2xf32> {
  %b = relax.ccl.allreduce %a : (tensor<2xf32>) -> tensor<2xf32>
  %c = relax.ccl.allgather %b {num_workers = 1 : i64} : (tensor<2xf32>) -> tensor<2xf32>
  %d = relax.ccl.broadcast_from_worker0 %c : (tensor<2xf32>) -> tensor<2xf32>
  return %d : tensor<2xf32>
}
