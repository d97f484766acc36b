// RUN: relax-opt %s -p relax-remove-unused-outputs | filecheck %s

// A result that no call reads goes, with what it needed.
// CHECK-LABEL: func.func @main(
// CHECK-NEXT: %[[R:.*]] = func.call @f(%{{.*}}) : (tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: return %[[R]]
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %r, %s = func.call @f(%x) : (tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  return %r : tensor<4xf32>
}
// CHECK-LABEL: func.func private @f(
// CHECK-SAME: -> tensor<4xf32>
// CHECK-NEXT: relax.negative
// CHECK-NEXT: return
func.func private @f(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %a = relax.negative %x : (tensor<4xf32>) -> tensor<4xf32>
  %b = relax.abs %x : (tensor<4xf32>) -> tensor<4xf32>
  return %a, %b : tensor<4xf32>, tensor<4xf32>
}

// Fields of a tuple likewise; the last one is returned bare.
// CHECK-LABEL: func.func @field(
// CHECK-NEXT: %[[R:.*]] = func.call @g(%{{.*}}) : (tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: return %[[R]]
func.func @field(%x: tensor<4xf32>) -> tensor<4xf32> {
  %t = func.call @g(%x) : (tensor<4xf32>) -> tuple<tensor<4xf32>, tensor<4xf32>>
  %r = relax.tuple_get_item %t {index = 1 : i64} : (tuple<tensor<4xf32>, tensor<4xf32>>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}
// CHECK-LABEL: func.func private @g(
// CHECK-NEXT: %[[B:.*]] = relax.abs
// CHECK-NEXT: return %[[B]]
func.func private @g(%x: tensor<4xf32>) -> tuple<tensor<4xf32>, tensor<4xf32>> {
  %a = relax.negative %x : (tensor<4xf32>) -> tensor<4xf32>
  %b = relax.abs %x : (tensor<4xf32>) -> tensor<4xf32>
  %t = relax.tuple %a, %b : (tensor<4xf32>, tensor<4xf32>) -> tuple<tensor<4xf32>, tensor<4xf32>>
  return %t : tuple<tensor<4xf32>, tensor<4xf32>>
}

// A tuple that always had one field stays.
// CHECK-LABEL: func.func @one_field(
// CHECK-NEXT: %[[T:.*]] = func.call @one(%{{.*}}) : (tensor<4xf32>) -> tuple<tensor<4xf32>>
// CHECK-NEXT: relax.tuple_get_item %[[T]]
func.func @one_field(%x: tensor<4xf32>) -> tensor<4xf32> {
  %t = func.call @one(%x) : (tensor<4xf32>) -> tuple<tensor<4xf32>>
  %r = relax.tuple_get_item %t {index = 0 : i64} : (tuple<tensor<4xf32>>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}
func.func private @one(%x: tensor<4xf32>) -> tuple<tensor<4xf32>> {
  %a = relax.negative %x : (tensor<4xf32>) -> tensor<4xf32>
  %t = relax.tuple %a : (tensor<4xf32>) -> tuple<tensor<4xf32>>
  return %t : tuple<tensor<4xf32>>
}

// What one of two calls reads stays, and so does a tuple that is read as a whole.
// CHECK-LABEL: func.func @both(
// CHECK: func.call @h(%{{.*}}) : (tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
// CHECK: func.call @k(%{{.*}}) : (tensor<4xf32>) -> tuple<tensor<4xf32>, tensor<4xf32>>
func.func @both(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tuple<tensor<4xf32>, tensor<4xf32>>) {
  %a, %b = func.call @h(%x) : (tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  %c, %d = func.call @h(%b) : (tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  %t = func.call @k(%x) : (tensor<4xf32>) -> tuple<tensor<4xf32>, tensor<4xf32>>
  return %a, %d, %t : tensor<4xf32>, tensor<4xf32>, tuple<tensor<4xf32>, tensor<4xf32>>
}
func.func private @h(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  return %x, %x : tensor<4xf32>, tensor<4xf32>
}
func.func private @k(%x: tensor<4xf32>) -> tuple<tensor<4xf32>, tensor<4xf32>> {
  %t = relax.tuple %x, %x : (tensor<4xf32>, tensor<4xf32>) -> tuple<tensor<4xf32>, tensor<4xf32>>
  return %t : tuple<tensor<4xf32>, tensor<4xf32>>
}

// The sizes in the results of a call are those of the caller.
// CHECK-LABEL: func.func @sizes(
// CHECK: func.call @sized(%{{.*}}) : (tensor<?xf32, #relax.sym<n>>) -> tensor<?xf32, #relax.sym<n>>
func.func @sizes(%x: tensor<?xf32, #relax.sym<n>>) -> tensor<?xf32, #relax.sym<n>> {
  %t = func.call @sized(%x) : (tensor<?xf32, #relax.sym<n>>) -> tuple<tensor<?xf32, #relax.sym<n>>, tensor<4xf32>>
  %r = relax.tuple_get_item %t {index = 0 : i64} : (tuple<tensor<?xf32, #relax.sym<n>>, tensor<4xf32>>) -> tensor<?xf32, #relax.sym<n>>
  return %r : tensor<?xf32, #relax.sym<n>>
}
func.func private @sized(%x: tensor<?xf32, #relax.sym<k>>) -> tuple<tensor<?xf32, #relax.sym<k>>, tensor<4xf32>> {
  %s = relax.shape : () -> !relax.shape<[4]>
  %o = relax.ones %s {dtype = f32} : (!relax.shape<[4]>) -> tensor<4xf32>
  %y = relax.abs %x : (tensor<?xf32, #relax.sym<k>>) -> tensor<?xf32, #relax.sym<k>>
  %t = relax.tuple %y, %o : (tensor<?xf32, #relax.sym<k>>, tensor<4xf32>) -> tuple<tensor<?xf32, #relax.sym<k>>, tensor<4xf32>>
  return %t : tuple<tensor<?xf32, #relax.sym<k>>, tensor<4xf32>>
}

// A private function that nothing reaches goes.
// CHECK-NOT: @unreached
func.func private @unreached(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  return %x, %x : tensor<4xf32>, tensor<4xf32>
}

// A call may say less of the tuple than its callee: what is left keeps the type that its readers rely on.
// CHECK-LABEL: func.func @weaker(
// CHECK: %[[R:.*]] = func.call @pair(%{{.*}}) : (tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: func.return %[[R]] : tensor<4xf32>
func.func @weaker(%x: tensor<4xf32>) -> tensor<4xf32> {
  %t = func.call @pair(%x) : (tensor<4xf32>) -> tuple<tensor<?xf32>, tensor<?xf32>>
  %r = relax.tuple_get_item %t {index = 1 : i64} : (tuple<tensor<?xf32>, tensor<?xf32>>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}
func.func private @pair(%x: tensor<4xf32>) -> tuple<tensor<4xf32>, tensor<4xf32>> {
  %a = relax.negative %x : (tensor<4xf32>) -> tensor<4xf32>
  %b = relax.abs %x : (tensor<4xf32>) -> tensor<4xf32>
  %t = relax.tuple %a, %b : (tensor<4xf32>, tensor<4xf32>) -> tuple<tensor<4xf32>, tensor<4xf32>>
  return %t : tuple<tensor<4xf32>, tensor<4xf32>>
}

// Fields are read behind a cast that forgets what is known of the tuple.
// CHECK-LABEL: func.func @forgotten(
// CHECK-NEXT: %[[R:.*]] = func.call @forgotten_pair(%{{.*}}) : (tensor<4xf32>) -> tensor<4xf32>
// CHECK-NOT: relax.tuple_get_item
// CHECK: func.return
func.func @forgotten(%x: tensor<4xf32>) -> tensor<*xf32> {
  %t = func.call @forgotten_pair(%x) : (tensor<4xf32>) -> tuple<tensor<4xf32>, tensor<4xf32>>
  %c = relax.match_cast %t : (tuple<tensor<4xf32>, tensor<4xf32>>) -> tuple<tensor<*xf32>, tensor<*xf32>>
  %r = relax.tuple_get_item %c {index = 1 : i64} : (tuple<tensor<*xf32>, tensor<*xf32>>) -> tensor<*xf32>
  return %r : tensor<*xf32>
}
func.func private @forgotten_pair(%x: tensor<4xf32>) -> tuple<tensor<4xf32>, tensor<4xf32>> {
  %a = relax.negative %x : (tensor<4xf32>) -> tensor<4xf32>
  %b = relax.abs %x : (tensor<4xf32>) -> tensor<4xf32>
  %t = relax.tuple %a, %b : (tensor<4xf32>, tensor<4xf32>) -> tuple<tensor<4xf32>, tensor<4xf32>>
  return %t : tuple<tensor<4xf32>, tensor<4xf32>>
}

// A cast that asserts something of a field checks all of them.
// CHECK-LABEL: func.func @asserted(
// CHECK-NEXT: func.call @asserted_pair(%{{.*}}) : (tensor<?xf32>) -> tuple<tensor<?xf32>, tensor<?xf32>>
func.func @asserted(%x: tensor<?xf32>) -> tensor<?xf32> {
  %t = func.call @asserted_pair(%x) : (tensor<?xf32>) -> tuple<tensor<?xf32>, tensor<?xf32>>
  %c = relax.match_cast %t : (tuple<tensor<?xf32>, tensor<?xf32>>) -> tuple<tensor<4xf32>, tensor<?xf32>>
  %r = relax.tuple_get_item %c {index = 1 : i64} : (tuple<tensor<4xf32>, tensor<?xf32>>) -> tensor<?xf32>
  return %r : tensor<?xf32>
}
func.func private @asserted_pair(%x: tensor<?xf32>) -> tuple<tensor<?xf32>, tensor<?xf32>> {
  %a = relax.negative %x : (tensor<?xf32>) -> tensor<?xf32>
  %t = relax.tuple %a, %x : (tensor<?xf32>, tensor<?xf32>) -> tuple<tensor<?xf32>, tensor<?xf32>>
  return %t : tuple<tensor<?xf32>, tensor<?xf32>>
}
