// RUN: relax-opt %s -p relax-to-linalg | filecheck %s

// Row reductions and element-wise ops in f32, one rounding at the end.
// CHECK-LABEL: func.func @softmax(
// CHECK-SAME:    %[[X:[a-z0-9]+]]: tensor<?x16xf16>
// CHECK:         %[[LOW:.*]] = arith.constant 0xff800000 : f32
// CHECK:         %[[INIT:.*]] = linalg.fill ins(%[[LOW]] : f32)
// CHECK:         %[[MAX:.*]] = linalg.generic {{.*}}iterator_types = ["parallel", "reduction"]} ins(%[[X]] : tensor<?x16xf16>) outs(%[[INIT]] : tensor<?xf32>)
// CHECK:           %[[OVER:.*]] = arith.cmpf ogt, %[[ITEM:.*]], %[[SOFAR:.*]] : f32
// CHECK:           arith.select %[[OVER]], %[[ITEM]], %[[SOFAR]] : f32
// CHECK:         %[[EXP:.*]] = linalg.generic {{.*}}iterator_types = ["parallel", "parallel"]} ins(%[[X]], %[[MAX]] : tensor<?x16xf16>, tensor<?xf32>)
// CHECK:           math.exp %{{.*}} {relax.not_positive} : f32
// CHECK:         %[[SUM:.*]] = linalg.generic {{.*}}iterator_types = ["parallel", "reduction"]} ins(%[[EXP]] : tensor<?x16xf32>)
// CHECK:           arith.addf
// CHECK:         %[[SCALE:.*]] = linalg.generic {{.*}}ins(%[[SUM]] : tensor<?xf32>)
// CHECK:           arith.divf
// CHECK:         %[[Y:.*]] = linalg.generic {{.*}}ins(%[[EXP]], %[[SCALE]] : tensor<?x16xf32>, tensor<?xf32>) outs(%{{.*}} : tensor<?x16xf16>)
// CHECK:           %[[Q:.*]] = arith.mulf
// CHECK-NEXT:      arith.truncf %[[Q]] : f32 to f16
// CHECK:         func.return %[[Y]]
func.func @softmax(%x: tensor<?x16xf16, #relax.sym<n>>) -> tensor<?x16xf16, #relax.sym<n>> {
  %r = relax.nn.softmax %x : (tensor<?x16xf16, #relax.sym<n>>) -> tensor<?x16xf16, #relax.sym<n>>
  return %r : tensor<?x16xf16, #relax.sym<n>>
}

// CHECK-LABEL: func.func @log_softmax(
// CHECK:         iterator_types = ["reduction", "parallel"]
// CHECK:         iterator_types = ["reduction", "parallel"]
// CHECK:           math.exp %{{.*}} {relax.not_positive} : f32
// CHECK:         iterator_types = ["parallel"]
// CHECK:           math.log
// CHECK:         iterator_types = ["parallel", "parallel"]
// CHECK-NOT:       arith.divf
// CHECK:         func.return
func.func @log_softmax(%x: tensor<8x16xf32>) -> tensor<8x16xf32> {
  %r = relax.nn.log_softmax %x {axis = 0 : i64} : (tensor<8x16xf32>) -> tensor<8x16xf32>
  return %r : tensor<8x16xf32>
}

// CHECK-LABEL: func.func @dropout(
// CHECK-SAME:    %[[X:.*]]: tensor<8xf32>)
// CHECK:         %[[ONE:.*]] = arith.constant 1.000000e+00 : f32
// CHECK:         %[[MASK:.*]] = linalg.fill ins(%[[ONE]] : f32)
// CHECK-NEXT:    func.return %[[X]], %[[MASK]]
func.func @dropout(%x: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %r:2 = relax.nn.dropout %x : (tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>)
  return %r#0, %r#1 : tensor<8xf32>, tensor<8xf32>
}
