// RUN: relax-opt %s --verify-diagnostics -p 'plan-arena{alloca_bytes=0}'

func.func private @on_host(%x: memref<16xf32>) attributes {relax.primitive} {
  return
}

func.func private @on_one(%x: memref<16xf32> {relax.vdevice = "cpu:1"}) attributes {relax.primitive} {
  return
}

func.func @main() {
  // expected-error@+1 {{plan-arena: a buffer is used on cpu:0 and on cpu:1}}
  %a = memref.alloc() : memref<16xf32>
  func.call @on_host(%a) : (memref<16xf32>) -> ()
  func.call @on_one(%a) : (memref<16xf32>) -> ()
  return
}
