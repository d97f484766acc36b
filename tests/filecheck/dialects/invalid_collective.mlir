// RUN: relax-opt %s --verify-diagnostics --split-input-file

func.func @allreduce_c1(%a: tensor<2xf32>) {
  // expected-error@below {{allreduce_c1: op_type must be one of sum, prod, min, max, avg, got 'mean'}}
  %0 = relax.ccl.allreduce %a {op_type = "mean"} : (tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @allgather_c1(%a: tensor<2xf32>) {
  // expected-error@below {{allgather_c1: num_workers must be 1, as a program runs on one rank, got 2}}
  %0 = relax.ccl.allgather %a {num_workers = 2 : i64} : (tensor<2xf32>) -> tensor<2xf32>
  return
}
