// RUN: not relax-opt %s -t graph-json --split-input-file 2>&1 | filecheck %s

// CHECK: graph_json_invalid.mlir:5:1: error: graph-json: every value must be a tensor of static shape, got tensor<?xf32, #relax.sym<n>>
// CHECK-NOT: Traceback
func.func @main(%x: tensor<?xf32, #relax.sym<n>>) -> tensor<?xf32, #relax.sym<n>> {
  return %x : tensor<?xf32, #relax.sym<n>>
}
