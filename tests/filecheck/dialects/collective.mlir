// RUN: relax-opt %s | relax-opt | filecheck %s
// RUN: relax-opt %s --print-op-generic | relax-opt | filecheck %s

// CHECK-LABEL: func.func @ops(
// CHECK-SAME:    %[[A:[a-z0-9]+]]: {{.*}}
// CHECK:         %[[B:.*]] = relax.ccl.allreduce %[[A]] : (tensor<?x4xf32, #relax.sym<n>>) -> tensor<?x4xf32, #relax.sym<n>>
// CHECK:         %[[C:.*]] = relax.ccl.allreduce %[[B]] {op_type = "avg", in_group = false} : (tensor<?x4xf32, #relax.sym<n>>) -> tensor<?x4xf32, #relax.sym<n>>
// CHECK:         %[[D:.*]] = relax.ccl.allgather %[[C]] {num_workers = 1 : i64} : (tensor<?x4xf32, #relax.sym<n>>) -> tensor<?x4xf32, #relax.sym<n>>
// CHECK:         relax.ccl.broadcast_from_worker0 %[[D]] : (tensor<?x4xf32, #relax.sym<n>>) -> tensor<?x4xf32, #relax.sym<n>>
func.func @ops(%a: tensor<?x4xf32, #relax.sym<n>>) -> tensor<?x4xf32, #relax.sym<n>> {
  %b = relax.ccl.allreduce %a : (tensor<?x4xf32, #relax.sym<n>>) -> tensor<?x4xf32, #relax.sym<n>>
  %c = relax.ccl.allreduce %b {op_type = "avg", in_group = false} : (tensor<?x4xf32, #relax.sym<n>>) -> tensor<?x4xf32, #relax.sym<n>>
  %d = relax.ccl.allgather %c {num_workers = 1 : i64} : (tensor<?x4xf32, #relax.sym<n>>) -> tensor<?x4xf32, #relax.sym<n>>
  %e = relax.ccl.broadcast_from_worker0 %d : (tensor<?x4xf32, #relax.sym<n>>) -> tensor<?x4xf32, #relax.sym<n>>
  return %e : tensor<?x4xf32, #relax.sym<n>>
}
