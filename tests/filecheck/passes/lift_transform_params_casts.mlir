// RUN: relax-opt %s -p 'relax-lift-transform-params{shared=true private=true}' | filecheck %s

// A cast moves with the symbol that it defines: the transform keeps it where only types read the symbol, and passes the size on.
// CHECK-LABEL: func.func @transform_params(
// CHECK-SAME: !relax.shape<[m]> {relax.name = "vars_from_compile_time_params"}
// CHECK: %[[E:.*]] = relax.exp %w
// CHECK-NEXT: relax.match_cast %[[E]] : (tensor<?xf32>) -> tensor<?xf32, #relax.sym<m>>
// CHECK: relax.shape : () -> !relax.shape<[m]>

// CHECK-LABEL: func.func @size_at_run_time(
// CHECK-SAME: !relax.shape<[m]> {relax.name = "vars_from_compile_time_params"}
// CHECK: relax.match_cast %x : (tensor<?xf32>) -> tensor<?xf32, #relax.sym<m>>
// CHECK-NEXT: relax.negative
func.func @size_at_run_time(%x: tensor<?xf32>, %w: tensor<?xf32>) -> tensor<?xf32> attributes {relax.num_input = 1 : i64} {
  %r = relax.dataflow {
    %e = relax.exp %w : (tensor<?xf32>) -> tensor<?xf32>
    %c = relax.match_cast %e : (tensor<?xf32>) -> tensor<?xf32, #relax.sym<m>>
    %f = relax.match_cast %x : (tensor<?xf32>) -> tensor<?xf32, #relax.sym<m>>
    %g = relax.negative %f : (tensor<?xf32, #relax.sym<m>>) -> tensor<?xf32, #relax.sym<m>>
    %y = relax.match_cast %g : (tensor<?xf32, #relax.sym<m>>) -> tensor<?xf32>
    relax.output %y : tensor<?xf32>
  } : tensor<?xf32>
  return %r : tensor<?xf32>
}

// CHECK-LABEL: func.func @size_in_transform(
// CHECK-NOT: relax.ones
// CHECK: relax.tanh %x
func.func @size_in_transform(%x: tensor<?xf32>, %w: tensor<?xf32>) -> (tensor<?xf32>, tensor<?xf32>) attributes {relax.num_input = 1 : i64} {
  %r, %s = relax.dataflow {
    %e = relax.exp %w : (tensor<?xf32>) -> tensor<?xf32>
    %c = relax.match_cast %e : (tensor<?xf32>) -> tensor<?xf32, #relax.sym<m>>
    %n = relax.shape : () -> !relax.shape<[m]>
    %o = relax.ones %n {dtype = f32} : (!relax.shape<[m]>) -> tensor<?xf32, #relax.sym<m>>
    %d = relax.sum %w {keepdims = true} : (tensor<?xf32>) -> tensor<1xf32>
    %p = relax.multiply %o, %d : (tensor<?xf32, #relax.sym<m>>, tensor<1xf32>) -> tensor<?xf32, #relax.sym<m>>
    %g = relax.match_cast %p : (tensor<?xf32, #relax.sym<m>>) -> tensor<?xf32>
    %h = relax.tanh %x : (tensor<?xf32>) -> tensor<?xf32>
    relax.output %g, %h : tensor<?xf32>, tensor<?xf32>
  } : tensor<?xf32>, tensor<?xf32>
  return %r, %s : tensor<?xf32>, tensor<?xf32>
}

// A symbol that an input defines stays with it: the cast of the weight checks it at run time.
// CHECK-LABEL: func.func @declines_size_of_input(
// CHECK-SAME: %x: tensor<?xf32, #relax.sym<k>>, %[[E:[^:]+]]: tensor<?xf32>
// CHECK: relax.match_cast %[[E]] : (tensor<?xf32>) -> tensor<?xf32, #relax.sym<k>>
func.func @declines_size_of_input(%x: tensor<?xf32, #relax.sym<k>>, %w: tensor<?xf32>) -> tensor<?xf32, #relax.sym<k>> attributes {relax.num_input = 1 : i64} {
  %r = relax.dataflow {
    %e = relax.exp %w : (tensor<?xf32>) -> tensor<?xf32>
    %c = relax.match_cast %e : (tensor<?xf32>) -> tensor<?xf32, #relax.sym<k>>
    %y = relax.add %x, %c : (tensor<?xf32, #relax.sym<k>>, tensor<?xf32, #relax.sym<k>>) -> tensor<?xf32, #relax.sym<k>>
    relax.output %y : tensor<?xf32, #relax.sym<k>>
  } : tensor<?xf32, #relax.sym<k>>
  return %r : tensor<?xf32, #relax.sym<k>>
}
