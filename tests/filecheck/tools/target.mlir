// RUN: not relax-opt %s -p optimize --target x86-64-v5 2>&1 | filecheck %s --check-prefix=STAGE
// RUN: not relax-opt %s -p 'schedule-linalg{target=znvr4}' 2>&1 | filecheck %s --check-prefix=PASS
// RUN: not relax-run %s --target m1 2>&1 | filecheck %s --check-prefix=NAME
// RUN: not relax-run %s --target aarch64-generic 2>&1 | filecheck %s --check-prefix=FOREIGN
// RUN: relax-run %s --target x86-64 --check | filecheck %s --check-prefix=LEAST
// REQUIRES: x86_64

// STAGE: error: unknown target 'x86-64-v5'; targets are native, x86-64, x86-64-v2,
// PASS: error: unknown target 'znvr4', did you mean 'znver4'? targets are native,
// NAME: error: unknown target 'm1'
// FOREIGN: error: cannot run code for aarch64-generic: this machine is x86_64, not aarch64
// LEAST: check: result 0 agrees with the interpreter
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %y = relax.exp %x : (tensor<4xf32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}
