// RUN: relax-opt %s -p compose-tensor | filecheck %s

// What is left of sizes that are not known is computed; one value for both leaves nothing.
// CHECK-LABEL: func.func @sizes(
// CHECK-SAME: %x: tensor<?x?xf32>, %v: f32, %n: index, %m: index, %s: index, %o: index)
// CHECK-NEXT: %[[LEFT:.*]] = arith.subi %m, %s : index
// CHECK-NEXT: %[[HIGH:.*]] = arith.subi %[[LEFT]], %o : index
// CHECK-NEXT: %[[P:.*]] = tensor.pad %x low[0, %o] high[0, %[[HIGH]]] {
// CHECK: } : tensor<?x?xf32> to tensor<?x?xf32>
func.func @sizes(%x: tensor<?x?xf32>, %v: f32, %n: index, %m: index, %s: index, %o: index) -> tensor<?x?xf32> {
  %e = tensor.empty(%n, %m) : tensor<?x?xf32>
  %f = linalg.fill ins(%v : f32) outs(%e : tensor<?x?xf32>) -> tensor<?x?xf32>
  %p = tensor.insert_slice %x into %f[0, %o] [%n, %s] [1, 1] : tensor<?x?xf32> into tensor<?x?xf32>
  func.return %p : tensor<?x?xf32>
}
