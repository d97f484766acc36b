// RUN: relax-run %s --dim n=3 --profile --profile=%t.json --profile=%t.svg --time 4 --check | filecheck %s
// RUN: %python -c "import json; assert sum(e['ph'] == 'X' for e in json.load(open('%t.json'))['traceEvents']) == 12"
// RUN: %python -c "assert open('%t.svg').read().count('<circle') == 1"
// RUN: not relax-run %s --profile=table.txt 2>&1 | filecheck %s --check-prefix=FORM
// RUN: not relax-run %s --profile --backend interpret 2>&1 | filecheck %s --check-prefix=NATIVE
// RUN: not relax-run %s --profile=%t.none/trace.json 2>&1 | filecheck %s --check-prefix=PLACE

// CHECK:      time of 4 calls: median
// CHECK-NEXT: the fastest of 4: 1 call of {{.*}} us: kernels are {{.*}} % of native code, all rows 100.0 % of the time
// CHECK-NEXT: peak of {{.*}} on 1 thread: {{.*}} GFLOP/s in f32, memory {{.*}} GB/s, second-level cache {{.*}} GB/s
// CHECK-NEXT: kernel {{ *}}source {{ *}}calls {{ *}}us {{ *}}share {{ *}}GFLOP/s of peak {{ *}}GB/s of peak
// CHECK-NEXT: fused_packed_matmul_relu {{.*}}relax_run_profile.mlir:{{[0-9]+}}:5 (+1) 1
// CHECK-NEXT: (between kernels) 1
// CHECK-NEXT: (arguments and results) 1
// CHECK-NEXT: wrote {{.*}}.json
// CHECK-NEXT: wrote {{.*}}.svg
// CHECK-NEXT: check: result 0 agrees

// FORM: argument --profile: expected a file .json or .svg, got 'table.txt'
// NATIVE: relax_run_profile.mlir: error: --profile measures native code: it goes without --backend interpret and --bisect
// PLACE: none/trace.json: error: no such file or directory
func.func @main(%x: tensor<?x8xf32, #relax.sym<n>>, %w: tensor<8x4xf32> {relax.name = "fc.weight"})
    -> tensor<?x4xf32, #relax.sym<n>> attributes {relax.num_input = 1 : i64} {
  %r = relax.dataflow {
    %y = relax.matmul %x, %w : (tensor<?x8xf32, #relax.sym<n>>, tensor<8x4xf32>) -> tensor<?x4xf32, #relax.sym<n>>
    %z = relax.nn.relu %y : (tensor<?x4xf32, #relax.sym<n>>) -> tensor<?x4xf32, #relax.sym<n>>
    relax.output %z : tensor<?x4xf32, #relax.sym<n>>
  } : tensor<?x4xf32, #relax.sym<n>>
  return %r : tensor<?x4xf32, #relax.sym<n>>
}
