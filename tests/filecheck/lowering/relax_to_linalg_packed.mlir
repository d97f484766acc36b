// RUN: relax-opt %s -p relax-to-linalg | filecheck %s
// RUN: relax-opt %s -p relax-to-linalg,bufferize,plan-arena | filecheck %s --check-prefix BUFFERS

// One tensor that Python returns is read where it is, and given back after the last use.
// CHECK-LABEL: func.func @borrow
// CHECK: %[[Y:.*]] = func.call @packed.test.f(%[[X:.*]]) {relax.borrowed} : (tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: %[[Z:.*]] = func.call @kernel(%[[Y]])
// CHECK-NEXT: func.call @runtime.release(%[[Y]]) : (tensor<4xf32>) -> ()
// CHECK-NEXT: func.return %[[Z]]
// BUFFERS-LABEL: func.func @borrow(%{{.*}}: memref<4xf32>, %{{.*}}: memref<4xf32> {relax.result})
// BUFFERS-NOT: relax.workspace
// BUFFERS: %[[Y:.*]] = func.call @packed.test.f(%{{.*}}) {relax.borrowed} : (memref<4xf32>) -> memref<4xf32>
// BUFFERS-NEXT: func.call @kernel(%[[Y]], %{{.*}}) : (memref<4xf32>, memref<4xf32>) -> ()
func.func @borrow(%x: tensor<4xf32>) -> tensor<4xf32> {
  %y = relax.call_packed %x {callee = "test.f"} : (tensor<4xf32>) -> tensor<4xf32>
  %z = func.call @kernel(%y) : (tensor<4xf32>) -> tensor<4xf32>
  return %z : tensor<4xf32>
}

func.func private @kernel(%x: tensor<4xf32>) -> tensor<4xf32> attributes {relax.primitive} {
  %y = relax.add %x, %x : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// What is returned, or seen through a view, is kept until the call ends.
// CHECK-LABEL: func.func @kept
// CHECK: func.call @packed.test.f
// CHECK-NOT: release
// CHECK: func.return
func.func @kept(%x: tensor<4xf32>) -> tensor<2x2xf32> {
  %y = relax.call_packed %x {callee = "test.f"} : (tensor<4xf32>) -> tensor<4xf32>
  %s = relax.shape : () -> !relax.shape<[2, 2]>
  %z = relax.reshape %y, %s : (tensor<4xf32>, !relax.shape<[2, 2]>) -> tensor<2x2xf32>
  relax.vm.kill_object %y : (tensor<4xf32>) -> ()
  return %z : tensor<2x2xf32>
}

// Several results, and those of destination-passing functions, are written into buffers of the caller.
// CHECK-LABEL: func.func @written
// CHECK: func.call @packed.test.two(%{{.*}}) : (tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
// CHECK: func.call @packed.test.into(%{{.*}}) : (tensor<4xf32>) -> tensor<4xf32>
func.func @written(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %a, %b = relax.call_packed %x {callee = "test.two"} : (tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  %c = relax.call_dps_packed %a {callee = "test.into"} : (tensor<4xf32>) -> tensor<4xf32>
  return %b, %c : tensor<4xf32>, tensor<4xf32>
}

// An object is a handle. The closure is called with it, the label follows the arguments; the result is cast to a tensor.
// CHECK-LABEL: func.func @closure
// CHECK-SAME: %[[F:.*]]: i64, %[[X:.*]]: tensor<?xf32>
// CHECK: %[[I:.*]] = arith.constant 0 : i64
// CHECK: %[[O:.*]] = func.call @runtime.invoke_closure(%[[F]], %[[I]]) : (i64, i64) -> i64
// CHECK: %[[W:.*]] = func.call @runtime.tensor_of_object(%[[O]], %[[N:.*]]) {relax.borrowed} : (i64, index) -> tensor<?xf32>
// CHECK-NEXT: func.call @runtime.release_1(%[[O]]) : (i64) -> ()
func.func @closure(%f: !relax.object, %x: tensor<?xf32, #relax.sym<n>>) -> tensor<?xf32, #relax.sym<n>> {
  %i = arith.constant 0 : i64
  %o = relax.invoke_pure_closure %f, %i {literals = {"1" = "w"}} : (!relax.object, i64) -> !relax.object
  %w = relax.match_cast %o : (!relax.object) -> tensor<?xf32, #relax.sym<n>>
  return %w : tensor<?xf32, #relax.sym<n>>
}

// A function of the module may return the handle that it gets, so that only Python's own calls let an object go.
// CHECK-LABEL: func.func @passed_on
// CHECK: func.call @packed.test.object
// CHECK-NEXT: func.call @identity
// CHECK-NEXT: func.return
func.func @passed_on() -> !relax.object {
  %o = relax.call_packed {callee = "test.object"} : () -> !relax.object
  %p = func.call @identity(%o) : (!relax.object) -> !relax.object
  return %p : !relax.object
}

func.func private @identity(%o: !relax.object) -> !relax.object {
  return %o : !relax.object
}

// CHECK-DAG: func.func private @packed.test.f(tensor<4xf32>) -> tensor<4xf32> attributes {relax.borrowed, relax.packed = "test.f", relax.result_sizes = 0 : i64, relax.element_types = ["float32", "float32"]}
// CHECK-DAG: func.func private @packed.test.two(tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) attributes {relax.packed = "test.two", relax.result_sizes = 0 : i64, relax.element_types = ["float32", "float32", "float32"]}
// CHECK-DAG: func.func private @runtime.invoke_closure(i64, i64) -> i64 attributes {relax.runtime_function = "invoke_closure", relax.arguments = [0 : i64, 1 : i64, "w"], relax.result_sizes = 0 : i64, relax.element_types = ["object", "int64", "object"]}
// CHECK-DAG: func.func private @runtime.tensor_of_object(i64, index) -> tensor<?xf32> attributes {relax.borrowed, relax.runtime_function = "tensor_of_object", relax.arguments = [0 : i64, "float32"], relax.result_sizes = 1 : i64, relax.element_types = ["object", "float32"]}
