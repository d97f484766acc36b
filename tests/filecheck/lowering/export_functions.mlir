// RUN: relax-opt %s -p 'llvm,export-functions{prefix=net}' | filecheck %s
// RUN: relax-opt %s -p 'llvm,export-functions{prefix=net}' -t llvm-ir | filecheck %s --check-prefix IR
// RUN: relax-opt %s -p llvm | filecheck %s --check-prefix TWIN

// C entries and shape functions get names of C, which differ where those of the program differ in what C has no letters for.
// CHECK-DAG: llvm.func @net_main_shape({{.*}}) -> i64 attributes {{{.*}}relax.shape_function_of = @main
// CHECK-DAG: llvm.func @net_main_call({{.*}}) -> i64 attributes {{{.*}}relax.entry_of = @main
// CHECK-DAG: llvm.func @net_two_words_call({{.*}}) -> i64 attributes {{{.*}}relax.entry_of = @two.words
// CHECK-DAG: llvm.func @net_two_words_call_1({{.*}}) -> i64 attributes {{{.*}}relax.entry_of = @two_words
// What stays inside keeps its name.
// CHECK-DAG: llvm.func internal @relu(

// IR-DAG: define i64 @net_main_call(
// IR-DAG: define i64 @net_two_words_call_1(

// Without the pass names are those of the stage.
// TWIN-DAG: llvm.func @main.call(
// TWIN-DAG: llvm.func @two.words.shape(
func.func @main(%x: tensor<?xf32, #relax.sym<n>>) -> tensor<?xf32, #relax.sym<n>> {
  %y = relax.nn.relu %x : (tensor<?xf32, #relax.sym<n>>) -> tensor<?xf32, #relax.sym<n>>
  return %y : tensor<?xf32, #relax.sym<n>>
}

func.func @two.words(%x: tensor<4xf32>) -> tensor<4xf32> {
  %y = relax.exp %x : (tensor<4xf32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}

func.func @two_words(%x: tensor<4xf32>) -> tensor<4xf32> {
  %y = relax.log %x : (tensor<4xf32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}
