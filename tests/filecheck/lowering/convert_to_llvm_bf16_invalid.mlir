// RUN: not relax-opt %s -p 'convert-to-llvm{bf16=bits}' 2>&1 | filecheck %s

// CHECK: error: llvm.fadd of bf16 does not compile for targets without it, expected arithmetic in f32
func.func private @sum(%x: bf16, %y: bf16) -> bf16 {
  %z = arith.addf %x, %y : bf16
  func.return %z : bf16
}
