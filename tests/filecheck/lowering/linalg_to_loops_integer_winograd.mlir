// RUN: relax-opt %s -p 'buffers,schedule-linalg{target=x86-64-v3}' | filecheck %s --check-prefix=SCHEDULE
// RUN: relax-opt %s -p 'buffers,schedule-linalg{target=x86-64-v3 threads=2}' | filecheck %s --check-prefix=THREADS
// RUN: relax-opt %s -p 'buffers,schedule-linalg{target=x86-64-v4}' | filecheck %s --check-prefix=WIDE
// RUN: relax-opt %s -p 'buffers,schedule-linalg{target=znver4}' | filecheck %s --check-prefix=NONE
// RUN: relax-opt %s -p 'buffers,schedule-linalg{target=x86-64-v3},linalg-to-loops' | filecheck %s

// Windows are transformed to i16 and stored for each of 16 products; panels of channels are multiplied by some tiles, one product after the
// other; results of a row of tiles are two rows of pixels, on which the shift and what follows run.
// SCHEDULE-LABEL: func.func {{.*}}@fused_integer_winograd_conv2d_maximum(
// SCHEDULE:         linalg.fill {relax.schedule = #relax.schedule<init>}
// SCHEDULE:         relax.schedule = #relax.schedule<winograd, loops = [1, 2, 3, 4, 5, 6, 7, 8], lanes = 8, shape = [5, 16], block = [2, 14], channels = 64, instruction = vpmaddwd, grain = 1>
// SCHEDULE:         relax.schedule = #relax.schedule<epilogue, loops = [1, 2, 3]>
// Blocks of two threads divide evenly.
// THREADS-LABEL: func.func {{.*}}@fused_integer_winograd_conv2d_maximum(
// THREADS:         #relax.schedule<winograd, {{.*}} block = [7, 14], channels = 64,
// WIDE-LABEL: func.func {{.*}}@fused_integer_winograd_conv2d_maximum(
// WIDE:         #relax.schedule<winograd, {{.*}} lanes = 16, shape = [{{[0-9]+}}, 64]
// NONE-NOT: #relax.schedule<winograd

// CHECK-LABEL: func.func {{.*}}@fused_integer_winograd_conv2d_maximum(
// CHECK:         "scf.parallel"
// CHECK:           memref.alloca() {{.*}} : memref<262656xi16>
// CHECK:           memref.alloca() {{.*}} : memref<262656xi32>
// CHECK:           scf.for
// CHECK:             func.call @[[DATA:relax.contract.winograd.bytes.data.unsigned.16]](
// CHECK-NOT:       func.call
// CHECK:           scf.for
// CHECK:             scf.for
// CHECK:               func.call @[[TILE:relax.contract.vpmaddwd.5x16.8.i16.i16.i32.whole[a-z0-9.]*]](
// CHECK:           func.call @relax.contract.vpmaddwd.3x16.8.i16.i16.i32.whole
// CHECK:           scf.for
// CHECK:             func.call @[[RESULTS:relax.contract.winograd.bytes.results.8]](
// CHECK:             arith.shrsi %{{.*}} : vector<8xi32>
// CHECK:             arith.maxsi

// CHECK:       func.func private @[[DATA]](
// CHECK-COUNT-16: arith.extui %{{.*}} : vector<16xi8> to vector<16xi16>
// CHECK-COUNT-16: vector.store %{{.*}} : memref<?xi16>, vector<16xi16>
// CHECK:       func.func private @[[TILE]](
// CHECK:         llvm.call_intrinsic "llvm.x86.avx2.pmadd.wd"
// CHECK:       func.func private @[[RESULTS]](
// CHECK-COUNT-16: vector.load %{{.*}} : memref<?xi32>, vector<8xi32>
// CHECK-COUNT-4: vector.store %{{.*}} : memref<?xi32>, vector<8xi32>
func.func @main(%x: tensor<1x28x28x128xui8>, %k: tensor<4x4x1x64x64x2xi16>, %z: tensor<i32>) -> tensor<1x28x28x64xi32> {
  %r = relax.dataflow {
    %y = relax.nn.integer_winograd_conv2d %x, %k {padding = array<i64: 1, 1, 1, 1>} : (tensor<1x28x28x128xui8>, tensor<4x4x1x64x64x2xi16>) -> tensor<1x28x28x64xi32>
    %m = relax.maximum %y, %z : (tensor<1x28x28x64xi32>, tensor<i32>) -> tensor<1x28x28x64xi32>
    relax.output %m : tensor<1x28x28x64xi32>
  } : tensor<1x28x28x64xi32>
  return %r : tensor<1x28x28x64xi32>
}
