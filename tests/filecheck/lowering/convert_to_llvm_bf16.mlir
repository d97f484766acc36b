// RUN: relax-opt %s -p 'convert-to-llvm{bf16=bits}' | filecheck %s

// Values of bf16 are integers of 16 bits: they move as they are, and are the upper half of an f32.
// CHECK-NOT:   bf16
// CHECK-LABEL: llvm.func internal @widen(%0: !llvm.ptr {llvm.noalias}, %1: i16, %2: i1)
// CHECK:         %[[X:.*]] = llvm.load %{{.*}} : !llvm.ptr -> i16
// CHECK:         %[[C:.*]] = llvm.select %{{.*}}, %{{.*}}, %{{.*}} : i1, i16
// CHECK:         %[[Z:.*]] = llvm.zext %{{.*}} : i16 to i32
// CHECK:         %[[S:.*]] = llvm.shl %[[Z]], %{{.*}} : i32
// CHECK:         llvm.bitcast %[[S]] : i32 to f32
// CHECK:         llvm.mlir.constant(32767 : i16) : i16
// CHECK:         llvm.and
// CHECK-NOT:   bf16
func.func private @widen(%m: memref<4xbf16>, %s: bf16, %c: i1) -> (f32, bf16) {
  %i = arith.constant 2 : index
  %k = arith.constant -1.5 : bf16
  %x = memref.load %m[%i] : memref<4xbf16>
  %y = arith.select %c, %x, %k : bf16
  %z = arith.extf %y : bf16 to f32
  %a = math.absf %s : bf16
  func.return %z, %a : f32, bf16
}
