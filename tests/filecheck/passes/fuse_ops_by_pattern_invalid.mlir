// RUN: not relax-opt %s -p 'relax-fuse-ops-by-pattern' 2>&1 | filecheck %s --check-prefix=NONE
// RUN: not relax-opt %s -p 'relax-fuse-ops-by-pattern{file=missing}' 2>&1 | filecheck %s --check-prefix=MISSING
// RUN: not relax-opt %s -p 'relax-fuse-ops-by-pattern{patterns="a.b = relax.nn.rel(*)"}' 2>&1 | filecheck %s --check-prefix=OP

// NONE: relax-fuse-ops-by-pattern: expected patterns, got none; its options: patterns, file
// MISSING: missing: cannot be read
// OP: <patterns>:1:7: no op is called relax.nn.rel, did you mean relax.nn.relu?
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}
