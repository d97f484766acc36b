// RUN: relax-opt %s -t graph-json | filecheck %s
// RUN: relax-opt %s -p relax-fuse-ops -t graph-json | filecheck %s --check-prefix=FUSED
// RUN: xdsl-opt %s -p relax-fuse-ops -t graph-json | filecheck %s --check-prefix=FUSED
// RUN: relax-opt %s -p relax-fuse-ops -t graph-json -o %t.json && relax-run %t.json --check | filecheck %s --check-prefix=AGREES

// Five sums and an exponential: one node each, called by two functions, in two storages.
// CHECK:      "name": "x",
// CHECK:      "name": "tvmgen_default_fused_add",
// CHECK:      "num_outputs": "1",
// CHECK-NEXT: "num_inputs": "1",
// CHECK-NEXT: "flatten_data": "0",
// CHECK-NEXT: "func_name": "tvmgen_default_fused_add",
// CHECK-NEXT: "hash": "[[HASH:[0-9a-f]{16}]]"
// CHECK:      "name": "tvmgen_default_fused_add1",
// CHECK:      "func_name": "tvmgen_default_fused_add",
// CHECK-NEXT: "hash": "[[HASH]]"
// CHECK:      "name": "tvmgen_default_fused_add2",
// CHECK:      "name": "tvmgen_default_fused_add3",
// CHECK:      "name": "tvmgen_default_fused_add4",
// CHECK:      "name": "tvmgen_default_fused_exp",
// CHECK:      "arg_nodes": [
// CHECK-NEXT: 0
// CHECK-NEXT: ],
// CHECK-NEXT: "heads": [
// CHECK-NEXT: [
// CHECK-NEXT: 6,
// CHECK:      "storage_id": [
// CHECK-NEXT: "list_int",
// CHECK-NEXT: [
// CHECK-NEXT: 0,
// CHECK-NEXT: 1,
// CHECK-NEXT: 2,
// CHECK-NEXT: 1,
// CHECK-NEXT: 2,
// CHECK-NEXT: 1,
// CHECK-NEXT: 2
// CHECK-NEXT: ]

// FUSED:     "name": "x",
// FUSED:     "name": "tvmgen_default_fused_add_add_add_add_add_exp",
// FUSED-NOT: "op": "tvm_op"
// FUSED:     "node_row_ptr": [
// FUSED-NEXT: 0,
// FUSED-NEXT: 1,
// FUSED-NEXT: 2
// FUSED-NEXT: ]

// AGREES: check: result 0 agrees with the interpreter

func.func @main(%x: tensor<10x20xf32>) -> tensor<10x20xf32> {
  %r = relax.dataflow {
    %0 = relax.add %x, %x : (tensor<10x20xf32>, tensor<10x20xf32>) -> tensor<10x20xf32>
    %1 = relax.add %0, %0 : (tensor<10x20xf32>, tensor<10x20xf32>) -> tensor<10x20xf32>
    %2 = relax.add %1, %1 : (tensor<10x20xf32>, tensor<10x20xf32>) -> tensor<10x20xf32>
    %3 = relax.add %2, %2 : (tensor<10x20xf32>, tensor<10x20xf32>) -> tensor<10x20xf32>
    %4 = relax.add %3, %3 : (tensor<10x20xf32>, tensor<10x20xf32>) -> tensor<10x20xf32>
    %5 = relax.exp %4 : (tensor<10x20xf32>) -> tensor<10x20xf32>
    relax.output %5 : tensor<10x20xf32>
  } : tensor<10x20xf32>
  return %r : tensor<10x20xf32>
}
