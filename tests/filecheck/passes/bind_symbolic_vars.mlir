// RUN: relax-opt %s -p 'relax-bind-symbolic-vars{sizes="n=4"}' | filecheck %s
// RUN: relax-opt %s -p 'relax-bind-symbolic-vars{function=other sizes="n=4","m=2"}' | filecheck %s --check-prefix=OTHER
// RUN: not relax-opt %s -p 'relax-bind-symbolic-vars{sizes="k=4"}' 2>&1 | filecheck %s --check-prefix=UNKNOWN
// RUN: not relax-opt %s -p 'relax-bind-symbolic-vars{sizes="n"}' 2>&1 | filecheck %s --check-prefix=SPELLING
// RUN: not relax-opt %s -p 'relax-bind-symbolic-vars{function=calls_plain sizes="n=4"}' 2>&1 | filecheck %s --check-prefix=CALL
// RUN: relax-opt %s -p 'relax-bind-symbolic-vars{function=calls sizes="n=4"}' | filecheck %s --check-prefix=PASSED
// RUN: not relax-opt %s -p 'relax-bind-symbolic-vars{function=nope sizes="n=4"}' 2>&1 | filecheck %s --check-prefix=NOPE

// UNKNOWN: error: @main has no symbol k in its arguments; it has m, n
// SPELLING: error: a size is written "name=size", got "n"
// CALL: error: @calls_plain passes n on to @plain, which would not fit: operand 0: expected tensor<?xf32>, got tensor<4xf32>
// NOPE: error: no function @nope

// CHECK-LABEL: func.func @main(
// CHECK-SAME: %[[X:[^:]+]]: tensor<4x?xf32, #relax.sym<m>>) -> tensor<8x?xf32, #relax.sym<m>>
// CHECK: relax.concat %[[X]], %[[X]] {axis = 0 : i64} : (tensor<4x?xf32, #relax.sym<m>>, {{.*}}) -> tensor<8x?xf32, #relax.sym<m>>
// OTHER-LABEL: func.func @main(
// OTHER-SAME: #relax.sym<n, m>
func.func @main(%x: tensor<?x?xf32, #relax.sym<n, m>>) -> tensor<?x?xf32, #relax.sym<2 * n, m>> {
  %y = relax.concat %x, %x {axis = 0 : i64} : (tensor<?x?xf32, #relax.sym<n, m>>, tensor<?x?xf32, #relax.sym<n, m>>) -> tensor<?x?xf32, #relax.sym<2 * n, m>>
  return %y : tensor<?x?xf32, #relax.sym<2 * n, m>>
}

// A function that is not named keeps its symbols.
// CHECK-LABEL: func.func @other(
// CHECK-SAME: #relax.sym<n>
// OTHER-LABEL: func.func @other(
// OTHER-SAME: tensor<4xf32>, %{{[^:]+}}: !relax.shape<[2]>) -> tensor<4xf32>
func.func @other(%x: tensor<?xf32, #relax.sym<n>>, %s: !relax.shape<[m]>) -> tensor<?xf32, #relax.sym<n>> {
  return %x : tensor<?xf32, #relax.sym<n>>
}

// A callee has symbols of its own.
// PASSED-LABEL: func.func @calls(
// PASSED: func.call @callee(%{{.*}}) : (tensor<4xf32>) -> tensor<4xf32>
func.func @calls(%x: tensor<?xf32, #relax.sym<n>>) -> tensor<?xf32, #relax.sym<n>> {
  %y = func.call @callee(%x) : (tensor<?xf32, #relax.sym<n>>) -> tensor<?xf32, #relax.sym<n>>
  return %y : tensor<?xf32, #relax.sym<n>>
}
func.func private @callee(%x: tensor<?xf32, #relax.sym<n>>) -> tensor<?xf32, #relax.sym<n>> {
  return %x : tensor<?xf32, #relax.sym<n>>
}
func.func @calls_plain(%x: tensor<?xf32, #relax.sym<n>>) {
  func.call @plain(%x) : (tensor<?xf32, #relax.sym<n>>) -> ()
  return
}
func.func private @plain(%x: tensor<?xf32>) {
  return
}
