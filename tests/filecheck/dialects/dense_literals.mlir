// RUN: relax-opt %s --print-op-generic | filecheck %s
// RUN: relax-opt %s --print-op-generic | relax-opt --print-op-generic | filecheck %s

// A hexadecimal literal is the bits of a float; a hexadecimal string of i1 has one bit for each element.
// CHECK-LABEL: sym_name = "literals"
// CHECK: dense<0xff800000> : tensor<f32>
// CHECK: dense<[0x7c00, 5.000000e-01]> : tensor<2xf16>
// CHECK: dense<255> : tensor<2xi32>
// CHECK: dense<[true, false, true, false, false, false, false, false, true, false]> : tensor<10xi1>
func.func @literals() -> (tensor<f32>, tensor<2xf16>, tensor<2xi32>, tensor<10xi1>) {
  %0 = arith.constant dense<0xFF800000> : tensor<f32>
  %1 = arith.constant dense<[0x7C00, 0.5]> : tensor<2xf16>
  %2 = arith.constant dense<0xFF> : tensor<2xi32>
  %3 = arith.constant dense<"0x0501"> : tensor<10xi1>
  return %0, %1, %2, %3 : tensor<f32>, tensor<2xf16>, tensor<2xi32>, tensor<10xi1>
}
