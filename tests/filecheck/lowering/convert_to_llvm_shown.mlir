// RUN: relax-opt %s -p convert-to-llvm | filecheck %s

// The names of the values that assertions show.
// CHECK: builtin.module attributes {{.*}}relax.asserted_values = {{\[\["b"\], \[\]\]}}

// What a comparison shows is written into the words of the call, and its name noted down; a comparison without names shows nothing.
// CHECK-LABEL: llvm.func internal @shown
// CHECK-SAME:  (%[[A:.*]]: i64, %[[B:.*]]: i64, %[[WORDS2:.*]]: !llvm.ptr) -> i64
// CHECK:         llvm.cond_br %{{.*}}, ^[[REPORT:.*]], ^{{.*}}
// CHECK:       ^[[REPORT]]:
// CHECK-NEXT:    llvm.store %[[B]], %[[WORDS2]]
// CHECK-NEXT:    llvm.br
func.func @shown(%a: index, %b: index) {
  %ok = "arith.cmpi"(%a, %b) <{predicate = 0 : i64}> {relax.shown = ["", "b"]} : (index, index) -> i1
  cf.assert %ok, "a is not b"
  func.return
}

// CHECK-LABEL: llvm.func internal @silent
// CHECK-NOT:     llvm.store
func.func @silent(%a: index, %b: index) {
  %ok = arith.cmpi eq, %a, %b : index
  cf.assert %ok, "a is still not b"
  func.return
}
// CHECK: llvm.func @shown.call
