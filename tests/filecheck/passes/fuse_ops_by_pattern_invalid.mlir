// RUN: not relax-opt %s -p 'relax-fuse-ops-by-pattern' 2>&1 | filecheck %s --check-prefix=NONE
// RUN: not relax-opt %s -p 'relax-fuse-ops-by-pattern{file=missing}' 2>&1 | filecheck %s --check-prefix=MISSING
// RUN: not relax-opt %s -p 'relax-fuse-ops-by-pattern{patterns="a.b = relax.nn.rel(*)"}' 2>&1 | filecheck %s --check-prefix=OP
// RUN: not relax-opt %s -p 'relax-fuse-ops-by-pattern{patterns="a.b = relax.exp(*) {axis = 1}"}' 2>&1 | filecheck %s --check-prefix=ATTRIBUTE
// RUN: not relax-opt %s -p 'relax-fuse-ops-by-pattern{patterns="a.b = relax.exp(*; a.c = *"}' 2>&1 | filecheck %s --check-prefix=PAREN
// RUN: not relax-opt %s -p 'relax-fuse-ops-by-pattern{patterns="a.c = relax.exp(*) | *"}' 2>&1 | filecheck %s --check-prefix=ANY
// RUN: not relax-opt %s -p 'relax-fuse-ops-by-pattern{patterns="a.c = relax.exp(*); a.c = relax.sin(*)"}' 2>&1 | filecheck %s --check-prefix=TWICE
// RUN: not relax-opt %s -p 'relax-fuse-ops-by-pattern{patterns="a.c = relax.exp(*: f33)"}' 2>&1 | filecheck %s --check-prefix=TYPE
// RUN: not relax-opt %s -p 'relax-fuse-ops-by-pattern{patterns="a.c = relax.exp(&)"}' 2>&1 | filecheck %s --check-prefix=TOKEN
// RUN: not relax-opt %s -p 'relax-fuse-ops-by-pattern{patterns="a.c = relax.exp?()"}' 2>&1 | filecheck %s --check-prefix=OPTIONAL

// NONE: relax-fuse-ops-by-pattern: expected patterns, got none; its options: patterns, file
// MISSING: missing: cannot be read
// OP: <patterns>:1:7: no op is called relax.nn.rel, did you mean relax.nn.relu?
// ATTRIBUTE: <patterns>:1:21: relax.exp has no attribute axis, its attributes: none
// PAREN: <patterns>:1:18: expected ',', got the end of the line
// ANY: <patterns>:1:7: expected an op, got a pattern that any value matches
// TWICE: <patterns>:1:21: two patterns are called a.c
// TYPE: <patterns>:1:20: expected an element type, got f33
// TOKEN: <patterns>:1:17: expected a pattern, got '&'
// OPTIONAL: <patterns>:1:7: expected an operand that stays if relax.exp is left out
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}
