// Upstream MLIR parses, verifies and bufferizes this example at the linalg stage, and translates it at the llvm stage.
// REQUIRES: mlir-opt, mlir-translate

// RUN: relax-opt %examples/bert_layer.mlir -p linalg --print-op-generic | mlir-opt --one-shot-bufferize=bufferize-function-boundaries -o /dev/null
// RUN: relax-opt %examples/bert_layer.mlir -p llvm --print-op-generic | mlir-translate --mlir-to-llvmir -o /dev/null
