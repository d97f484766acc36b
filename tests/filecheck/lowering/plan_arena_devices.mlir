// RUN: relax-opt %s -p 'plan-arena{alloca_bytes=0},shape-functions' | filecheck %s

func.func private @on_one(%x: memref<16xf32> {relax.vdevice = "cpu:1"}, %y: memref<16xf32> {relax.vdevice = "cpu:1", relax.result}) attributes {relax.primitive} {
  %t = memref.alloc() : memref<16xf32>
  linalg.copy ins(%x : memref<16xf32>) outs(%t : memref<16xf32>)
  linalg.copy ins(%t : memref<16xf32>) outs(%y : memref<16xf32>)
  return
}

func.func private @copy(%x: memref<16xf32>, %y: memref<16xf32> {relax.vdevice = "cpu:1", relax.result}) {
  "memref.copy"(%x, %y) : (memref<16xf32>, memref<16xf32>) -> ()
  return
}

func.func private @back(%x: memref<16xf32> {relax.vdevice = "cpu:1"}, %y: memref<16xf32> {relax.result}) {
  "memref.copy"(%x, %y) : (memref<16xf32>, memref<16xf32>) -> ()
  return
}

// Scratch of a kernel on a device is on that device.
// CHECK-LABEL: func.func private @on_one(
// CHECK-SAME: %{{workspace.*}}: memref<?xi8> {relax.workspace, relax.vdevice = "cpu:1"})

// Values on two devices never share memory: each device has a workspace of its own, the host's first.
// CHECK-LABEL: func.func @main(
// CHECK-SAME: %[[W0:workspace[_0-9]*]]: memref<?xi8> {relax.workspace}, %[[W1:workspace[_0-9]*]]: memref<?xi8> {relax.workspace, relax.vdevice = "cpu:1"})
// CHECK: %[[A:.*]] = memref.view %[[W1]]
// CHECK: func.call @copy(%{{.*}}, %[[A]])
// CHECK: %[[B:.*]] = memref.view %[[W1]]
// CHECK: %[[S:.*]] = memref.view %[[W1]]
// CHECK: func.call @on_one(%[[A]], %[[B]], %[[S]])
// CHECK: %[[C:.*]] = memref.view %[[W0]]
// CHECK: func.call @back(%[[B]], %[[C]])
// CHECK: "memref.copy"(%[[C]]
func.func @main(%x: memref<16xf32>, %r: memref<16xf32> {relax.result}) {
  %a = memref.alloc() : memref<16xf32>
  func.call @copy(%x, %a) : (memref<16xf32>, memref<16xf32>) -> ()
  %b = memref.alloc() : memref<16xf32>
  func.call @on_one(%a, %b) : (memref<16xf32>, memref<16xf32>) -> ()
  %c = memref.alloc() : memref<16xf32>
  func.call @back(%b, %c) : (memref<16xf32>, memref<16xf32>) -> ()
  "memref.copy"(%c, %r) : (memref<16xf32>, memref<16xf32>) -> ()
  return
}

// The shape function tells the bytes of each.
// CHECK-LABEL: func.func @main.shape(
// CHECK: %[[N0:[0-9]+]], %[[N1:[0-9]+]] = func.call @main.workspace() : () -> (index, index)
// CHECK: arith.index_cast %[[N0]] : index to i64
// CHECK: arith.index_cast %[[N1]] : index to i64
// CHECK-LABEL: func.func private @main.workspace() -> (index, index)

// The scratch of a kernel that updates an argument is where that is.
// CHECK-LABEL: func.func private @update(
// CHECK-SAME: %x: memref<16xf32> {relax.vdevice = "cpu:1", relax.updated}, %workspace: memref<?xi8> {relax.workspace, relax.vdevice = "cpu:1"})
func.func private @update(%x: memref<16xf32> {relax.vdevice = "cpu:1", relax.updated}) attributes {relax.primitive} {
  %t = memref.alloc() : memref<16xf32>
  linalg.copy ins(%x : memref<16xf32>) outs(%t : memref<16xf32>)
  linalg.copy ins(%t : memref<16xf32>) outs(%x : memref<16xf32>)
  return
}
