// RUN: relax-opt %s -p relax-remove-unused-functions | filecheck %s
// RUN: relax-opt %s -p 'relax-remove-unused-functions{entries=fn2,cycle_a}' | filecheck %s --check-prefix ENTRIES
// RUN: relax-opt %s -p 'relax-remove-unused-functions{public=true}' | filecheck %s --check-prefix PUBLIC
// RUN: not relax-opt %s -p 'relax-remove-unused-functions{entries=missing}' 2>&1 | filecheck %s --check-prefix MISSING

// MISSING: error: no function @missing; the module has

// What main calls stays, what nothing calls goes, though it is public.
// PUBLIC-LABEL: builtin.module
// PUBLIC: func.func @fn1(
// PUBLIC: func.func @fn2(
// PUBLIC: func.func private @inner(
// PUBLIC: func.func @cycle_a(
// PUBLIC-NOT: @nobody
// CHECK-LABEL: builtin.module
// CHECK: func.func @fn1(
// CHECK-NOT: @fn2
// CHECK: func.func private @inner(
// CHECK: func.func @main(
// CHECK: func.func @main_transform_params(
// CHECK-NOT: @cycle
// ENTRIES-LABEL: builtin.module
// ENTRIES-NOT: @fn1
// ENTRIES: func.func @fn2(
// ENTRIES-NOT: @inner
// ENTRIES-NOT: @main
// ENTRIES: func.func @cycle_a(
// ENTRIES: func.func @cycle_b(
func.func @fn1(%x: tensor<1x1000xf32>) -> tensor<1x1000xf32> {
  %y = func.call @inner(%x) : (tensor<1x1000xf32>) -> tensor<1x1000xf32>
  return %y : tensor<1x1000xf32>
}

func.func @fn2(%y: tensor<1x1000xf32>) -> tensor<1x1000xf32> {
  return %y : tensor<1x1000xf32>
}

func.func private @inner(%x: tensor<1x1000xf32>) -> tensor<1x1000xf32> {
  return %x : tensor<1x1000xf32>
}

// An attribute that names a function counts as well.
func.func @main(%z: tensor<1x1000xf32>, %w: tensor<1x1000xf32>) -> tensor<1x1000xf32>
    attributes {relax.num_input = 1 : i64, relax.params_from = @main_transform_params} {
  %0 = func.call @fn1(%z) : (tensor<1x1000xf32>) -> tensor<1x1000xf32>
  %1 = relax.add %w, %0 : (tensor<1x1000xf32>, tensor<1x1000xf32>) -> tensor<1x1000xf32>
  return %1 : tensor<1x1000xf32>
}

func.func @main_transform_params(%w: tensor<1x1000xf32>) -> tensor<1x1000xf32> {
  return %w : tensor<1x1000xf32>
}

// Functions that call each other are unused together.
func.func @cycle_a(%x: tensor<4xf32>) -> tensor<4xf32> {
  %y = func.call @cycle_b(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}

func.func @cycle_b(%x: tensor<4xf32>) -> tensor<4xf32> {
  %y = func.call @cycle_a(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// A private function that nothing mentions goes, whatever the entries are.
func.func private @nobody(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}
