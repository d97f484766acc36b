// RUN: relax-opt %s -p deduplicate-functions | filecheck %s

// Kernels that are on different devices, or copy in different directions, stay apart; equal ones do not.
// CHECK-LABEL: func.func @main(
// CHECK: %[[A:.*]] = func.call @there(%{{.*}})
// CHECK: %[[B:.*]] = func.call @on_one(%[[A]])
// CHECK: %[[C:.*]] = func.call @on_one(%[[B]])
// CHECK: %[[D:.*]] = func.call @back(%[[C]])
// CHECK: %{{.*}} = func.call @on_host(%[[D]])
// CHECK-NOT: func.func private @on_one_too
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %a = func.call @there(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %b = func.call @on_one(%a) : (tensor<4xf32>) -> tensor<4xf32>
  %c = func.call @on_one_too(%b) : (tensor<4xf32>) -> tensor<4xf32>
  %d = func.call @back(%c) : (tensor<4xf32>) -> tensor<4xf32>
  %e = func.call @on_host(%d) : (tensor<4xf32>) -> tensor<4xf32>
  return %e : tensor<4xf32>
}
func.func private @there(%x: tensor<4xf32>) -> (tensor<4xf32> {relax.vdevice = "cpu:1"}) {
  return %x : tensor<4xf32>
}
func.func private @back(%x: tensor<4xf32> {relax.vdevice = "cpu:1"}) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}
func.func private @on_one(%x: tensor<4xf32> {relax.vdevice = "cpu:1"}) -> (tensor<4xf32> {relax.vdevice = "cpu:1"}) {
  return %x : tensor<4xf32>
}
func.func private @on_one_too(%x: tensor<4xf32> {relax.dims = [4], relax.vdevice = "cpu:1"}) -> (tensor<4xf32> {relax.vdevice = "cpu:1"}) {
  return %x : tensor<4xf32>
}
func.func private @on_host(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}
