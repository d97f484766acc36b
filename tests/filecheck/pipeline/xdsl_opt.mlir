// Stock xdsl-opt parses our dialect and runs our passes.
// RUN: xdsl-opt %examples/bert_layer.mlir -p relax-fuse-ops | filecheck %s
// CHECK: func.call @fused_matmul_add
