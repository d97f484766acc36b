// RUN: relax-opt %s -p 'relax-qnn-legalize{target="x86-vnni" stage=legalize},dce' | filecheck %s --check-prefix=VNNI
// RUN: relax-opt %s -p 'relax-qnn-legalize{target=int16 stage=legalize},dce' | filecheck %s --check-prefix=INT16
// RUN: relax-opt %s -p 'relax-qnn-legalize{target="cuda-dp4a" stage=legalize},dce' | filecheck %s --check-prefix=DP4A
// RUN: relax-opt %s -p 'relax-qnn-legalize{target="arm-dotprod" stage=legalize},dce' | filecheck %s --check-prefix=DOT
// RUN: relax-opt %s -p 'relax-qnn-legalize{stage=legalize},dce' | filecheck %s --check-prefix=PLAIN

// The data moves up by 128, and so does its zero point; ui8 times i8 is what the instruction takes.
// VNNI-LABEL: func.func @dense(
// VNNI-SAME: %[[X:.*]]: tensor<4x8xi8>, %[[W:.*]]: tensor<16x8xi8>
// VNNI-DAG: %[[X32:.*]] = relax.astype %[[X]] {dtype = i32}
// VNNI-DAG: %[[UP:.*]] = relax.constant {value = dense<128> : tensor<i32>}
// VNNI: %[[MOVED:.*]] = relax.add %[[X32]], %[[UP]]
// VNNI: %[[U:.*]] = relax.astype %[[MOVED]] {dtype = ui8}
// VNNI: %[[ZU:.*]] = relax.constant {value = dense<131> : tensor<i32>}
// VNNI: relax.qnn.dense %[[U]], %[[W]], %[[ZU]],
// INT16-LABEL: func.func @dense(
// INT16-SAME: %[[X:.*]]: tensor<4x8xi8>, %[[W:.*]]: tensor<16x8xi8>
// INT16: %[[X16:.*]] = relax.astype %[[X]] {dtype = i16}
// INT16: %[[ZX:.*]] = relax.constant {value = dense<3> : tensor<i16>}
// INT16: %[[DX:.*]] = relax.subtract %[[X16]], %[[ZX]]
// INT16: relax.matmul %[[DX]], %{{.*}} {out_dtype = i32} : (tensor<4x8xi16>, tensor<8x16xi16>) -> tensor<4x16xi32>
// DP4A-LABEL: func.func @dense(
// DP4A-NOT: relax.astype
// DP4A: relax.qnn.dense %x, %w
// DOT-LABEL: func.func @dense(
// DOT-NOT: relax.astype
// DOT: relax.qnn.dense %x, %w
// PLAIN-LABEL: func.func @dense(
// PLAIN-NOT: relax.astype
// PLAIN: relax.qnn.dense %x, %w
func.func @dense(%x: tensor<4x8xi8>, %w: tensor<16x8xi8>) -> tensor<4x16xi32> {
  %s = relax.constant {value = dense<0.3> : tensor<f32>} : () -> tensor<f32>
  %zx = relax.constant {value = dense<3> : tensor<i32>} : () -> tensor<i32>
  %zw = relax.constant {value = dense<5> : tensor<i32>} : () -> tensor<i32>
  %y = relax.qnn.dense %x, %w, %zx, %zw, %s, %s : (tensor<4x8xi8>, tensor<16x8xi8>, tensor<i32>, tensor<i32>, tensor<f32>, tensor<f32>) -> tensor<4x16xi32>
  return %y : tensor<4x16xi32>
}

// ui8 times i8 already; other instructions want equal types.
// VNNI-LABEL: func.func @mixed(
// VNNI-NOT: relax.astype
// VNNI: relax.qnn.dense %x, %w
// DP4A-LABEL: func.func @mixed(
// DP4A: relax.constant {value = dense<-128> : tensor<i32>}
// DP4A: %[[X:.*]] = relax.astype %{{.*}} {dtype = i8}
// DP4A: %[[Z:.*]] = relax.constant {value = dense<-125> : tensor<i32>}
// DP4A: relax.qnn.dense %[[X]], %w, %[[Z]]
// DOT-LABEL: func.func @mixed(
// DOT: %[[X:.*]] = relax.astype %{{.*}} {dtype = i8}
// DOT: relax.qnn.dense %[[X]], %w
func.func @mixed(%x: tensor<4x8xui8>, %w: tensor<16x8xi8>) -> tensor<4x16xi32> {
  %s = relax.constant {value = dense<0.3> : tensor<f32>} : () -> tensor<f32>
  %zx = relax.constant {value = dense<3> : tensor<i32>} : () -> tensor<i32>
  %y = relax.qnn.dense %x, %w, %zx, %zx, %s, %s : (tensor<4x8xui8>, tensor<16x8xi8>, tensor<i32>, tensor<i32>, tensor<f32>, tensor<f32>) -> tensor<4x16xi32>
  return %y : tensor<4x16xi32>
}

// A zero point that is an argument moves when the program runs.
// VNNI-LABEL: func.func @argument(
// VNNI-SAME: %[[Z:[a-z]+]]: tensor<i32>)
// VNNI: %[[MOVED:.*]] = relax.add %[[Z]], %{{.*}} : (tensor<i32>, tensor<i32>) -> tensor<i32>
// VNNI: relax.qnn.conv2d %{{.*}}, %w, %[[MOVED]]
// INT16-LABEL: func.func @argument(
// INT16: relax.qnn.conv2d %x, %w
func.func @argument(%x: tensor<1x3x8x8xi8>, %w: tensor<4x3x3x3xi8>, %z: tensor<i32>) -> tensor<1x4x6x6xi32> {
  %s = relax.constant {value = dense<0.3> : tensor<f32>} : () -> tensor<f32>
  %y = relax.qnn.conv2d %x, %w, %z, %z, %s, %s : (tensor<1x3x8x8xi8>, tensor<4x3x3x3xi8>, tensor<i32>, tensor<i32>, tensor<f32>, tensor<f32>) -> tensor<1x4x6x6xi32>
  return %y : tensor<1x4x6x6xi32>
}

// 16 bits are left as they are.
// VNNI-LABEL: func.func @wide(
// VNNI: relax.qnn.dense %x, %w
// INT16-LABEL: func.func @wide(
// INT16: relax.qnn.dense %x, %w
func.func @wide(%x: tensor<4x8xi16>, %w: tensor<16x8xi8>) -> tensor<4x16xi32> {
  %s = relax.constant {value = dense<0.3> : tensor<f32>} : () -> tensor<f32>
  %zx = relax.constant {value = dense<3> : tensor<i32>} : () -> tensor<i32>
  %y = relax.qnn.dense %x, %w, %zx, %zx, %s, %s : (tensor<4x8xi16>, tensor<16x8xi8>, tensor<i32>, tensor<i32>, tensor<f32>, tensor<f32>) -> tensor<4x16xi32>
  return %y : tensor<4x16xi32>
}
