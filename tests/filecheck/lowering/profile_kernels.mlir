// RUN: relax-opt %s -p 'schedule-linalg{target=x86-64-v3},profile-kernels' | filecheck %s

// CHECK:      relax.profile_regions = ["profile_1"
// CHECK-SAME:   ["kernel", "main", "scale", "", ["{{[^,]*}}profile_kernels.mlir:{{[0-9]+}}:3"], 1 : i64]
// CHECK-SAME:   ["kernel", "main", "search", "", ["{{[^,]*}}profile_kernels.mlir:{{[0-9]+}}:3"], 0 : i64]
// CHECK-SAME:   ["function", "main", "main",
// CHECK-SAME:   ["linalg", "foreign", "generic", "layer", ["model.py:3:4"], 1 : i64]
// CHECK-SAME:   ["loop", "foreign", "scf.for", "", ["{{[^,]*}}profile_kernels.mlir:{{[0-9]+}}:3"], 0 : i64]
// CHECK-SAME:   ["function", "foreign", "foreign",

// A kernel counts at its end: 2 operations for each element, 4 bytes read and 4 written where there are any; its scratch does not count.
// CHECK-LABEL: func.func private @scale
// CHECK:         linalg.generic
// CHECK-NOT:     profile
// CHECK:         linalg.generic
// CHECK:         %[[C0:.*]] = arith.constant 0 : index
// CHECK-NEXT:    %[[N:.*]] = memref.dim %x, %[[C0]]
// CHECK-NEXT:    %[[C1:.*]] = arith.constant 1 : index
// CHECK-NEXT:    %[[RUNS:.*]] = arith.minsi %[[N]], %[[C1]]
// CHECK-NEXT:    %[[C4:.*]] = arith.constant 4 : index
// CHECK-NEXT:    %[[OPERAND:.*]] = arith.muli %[[N]], %[[C4]]
// CHECK-NEXT:    %[[READ:.*]] = arith.muli %[[OPERAND]], %[[RUNS]]
// CHECK-NEXT:    %[[M:.*]] = memref.dim %v, %[[C0]]
// CHECK-NEXT:    %[[FLOPS:.*]] = arith.addi %[[N]], %[[M]]
// CHECK-NEXT:    %[[RUNS2:.*]] = arith.minsi %[[M]], %[[C1]]
// CHECK-NEXT:    %[[RESULT:.*]] = arith.muli %[[M]], %[[C4]]
// CHECK-NEXT:    %[[WRITTEN:.*]] = arith.muli %[[RESULT]], %[[RUNS2]]
// CHECK-NEXT:    %[[BYTES:.*]] = arith.addi %[[READ]], %[[WRITTEN]]
// CHECK:         arith.addi %{{.*}}, %[[FLOPS]]
// CHECK:         arith.addi %{{.*}}, %[[BYTES]]
// CHECK:         func.return
func.func private @scale(%x: memref<?xf32>, %y: memref<?xf32> {relax.result}, %w: memref<?xi8> {relax.workspace}) attributes {relax.primitive} {
  %0 = arith.constant 0 : index
  %n = memref.dim %x, %0 : memref<?xf32>
  %v = memref.view %w[%0][%n] : memref<?xi8> to memref<?xf32>
  linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
      ins(%x : memref<?xf32>) outs(%v : memref<?xf32>) {
  ^bb0(%a: f32, %b: f32):
    %c = arith.mulf %a, %a : f32
    linalg.yield %c : f32
  }
  linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
      ins(%v : memref<?xf32>) outs(%y : memref<?xf32>) {
  ^bb0(%a: f32, %b: f32):
    %c = arith.negf %a : f32
    linalg.yield %c : f32
  }
  func.return
}

// CHECK-LABEL: func.func @main
// CHECK:         %[[T0:.*]] = llvm.call_intrinsic "llvm.readcyclecounter"() : () -> i64
// CHECK:         %[[T1:.*]] = llvm.call_intrinsic "llvm.readcyclecounter"() : () -> i64
// CHECK-NEXT:    func.call @scale
func.func @main(%x: memref<?xf32>, %y: memref<?xf32> {relax.result}, %w: memref<?xi8> {relax.workspace}) {
  func.call @scale(%x, %y, %w) : (memref<?xf32>, memref<?xf32>, memref<?xi8>) -> ()
  func.call @search(%y) : (memref<?xf32>) -> ()
  func.return
}
// CHECK-NEXT:    %[[T2:.*]] = llvm.call_intrinsic "llvm.readcyclecounter"() : () -> i64
// CHECK-NEXT:    %[[R:.*]] = arith.constant 0 : index
// CHECK-NEXT:    func.call @profile.end(%[[R]], %[[T1]], %[[T2]]) : (index, i64, i64) -> ()
// CHECK:         func.call @search
// CHECK:         func.call @profile.end
// CHECK-NEXT:    %[[T3:.*]] = llvm.call_intrinsic "llvm.readcyclecounter"() : () -> i64
// CHECK-NEXT:    %[[F:.*]] = arith.constant 2 : index
// CHECK-NEXT:    func.call @profile.end(%[[F]], %[[T0]], %[[T3]])
// CHECK-NEXT:    func.return

// What loops of its own do is not counted.
// CHECK-LABEL: func.func private @search
// CHECK-NOT:     profile
// CHECK:         func.return
func.func private @search(%y: memref<?xf32> {relax.updated}) attributes {relax.primitive} {
  %0 = arith.constant 0 : index
  %1 = arith.constant 1 : index
  %4 = arith.constant 4 : index
  scf.for %i = %0 to %4 step %1 {
    %a = memref.load %y[%i] : memref<?xf32>
    memref.store %a, %y[%0] : memref<?xf32>
  }
  func.return
}

// Loops outside of kernels are regions of their own.
func.func @foreign(%x: memref<8xf32>, %y: memref<8xf32> {relax.result}) {
  linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%x : memref<8xf32>) outs(%y : memref<8xf32>) {
  ^bb0(%a: f32, %b: f32):
    %c = arith.negf %a : f32
    linalg.yield %c : f32
  } loc("layer"("model.py":3:4))
  %0 = arith.constant 0 : index
  %1 = arith.constant 1 : index
  %4 = arith.constant 4 : index
  scf.for %i = %0 to %4 step %1 {
    %a = memref.load %y[%i] : memref<8xf32>
    memref.store %a, %y[%0] : memref<8xf32>
  }
  func.return
}

// A function that only computes sizes is not measured.
// CHECK-LABEL: func.func private @profile
// CHECK-NOT:     readcyclecounter
// CHECK:         func.return
func.func private @profile(%n: index) -> index attributes {relax.workspace_of = @main} {
  func.return %n : index
}

// CHECK: "memref.global"() <{sym_name = "profile_1", type = memref<{{[0-9]+}}xindex>, initial_value, 
// CHECK: func.func private @profile.end(%{{.*}}: index, %{{.*}}: i64, %{{.*}}: i64) attributes {relax.no_inline}
