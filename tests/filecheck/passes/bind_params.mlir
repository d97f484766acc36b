// RUN: %python -c "import numpy as np; np.savez('%t.npz', **{'fc.weight': np.arange(2, dtype='f4'), 'b': np.ones((3, 2), 'f4')})"
// RUN: relax-opt %s -p 'relax-bind-params{params="%t.npz"}' | filecheck %s
// RUN: %python -c "import numpy as np; from safetensors.numpy import save_file; save_file({'b': np.ones((3, 2), 'f4')}, '%t.safetensors')"
// RUN: relax-opt %s -p 'relax-bind-params{params="%t.safetensors"}' | filecheck %s --check-prefix=PART
// RUN: %python -c "import numpy as np; np.savez('%t.bad.npz', b=np.ones((3, 4), 'f4'))"
// RUN: not relax-opt %s -p 'relax-bind-params{params="%t.bad.npz"}' 2>&1 | filecheck %s --check-prefix=BAD
// RUN: %python -c "import numpy as np; np.savez('%t.surplus.npz', c=np.ones(3, 'f4'))"
// RUN: not relax-opt %s -p 'relax-bind-params{params="%t.surplus.npz"}' 2>&1 | filecheck %s --check-prefix=SURPLUS
// RUN: %python -c "import numpy as np; np.savez('%t.rank.npz', w=np.arange(2, dtype='f4'), v=np.ones((3, 2), 'f4'))"
// RUN: relax-opt %s -p 'relax-bind-params{params="%t.rank.npz" function=unknown}' | filecheck %s --check-prefix=RANK
// RUN: not relax-opt %s -p 'relax-bind-params{params="%t.none.npz"}' 2>&1 | filecheck %s --check-prefix=NONE

// An array binds the argument of its name; the size of its dims holds everywhere.
// CHECK-LABEL: func.func @main(
// CHECK-SAME: %[[X:[^:]+]]: tensor<3x2xf32>) -> tensor<3x2xf32> attributes {relax.num_input = 1 : i64}
// CHECK-NEXT: %[[W:.*]] = relax.constant {value = dense<[0.000000e+00, 1.000000e+00]> : tensor<2xf32>}
// CHECK-NEXT: %[[B:.*]] = relax.constant {value = dense<1.000000e+00> : tensor<3x2xf32>}
// CHECK-NEXT: %[[Y:.*]] = relax.multiply %[[X]], %[[W]] :
// CHECK-NEXT: relax.add %[[Y]], %[[B]] : (tensor<3x2xf32>, tensor<3x2xf32>) -> tensor<3x2xf32>

// Arguments that the file does not name stay.
// PART-LABEL: func.func @main(
// PART-SAME: %{{[^:]+}}: tensor<3x2xf32>, %{{[^:]+}}: tensor<2xf32> {relax.name = "fc.weight"})

// BAD: error: argument 'b': expected tensor<?x2xf32, #relax.sym<n>>, got an array of float32 [3, 4]
// SURPLUS: error: @main has no argument 'c'
// NONE: cannot be read
func.func @main(%x: tensor<?x2xf32, #relax.sym<n>>, %w: tensor<2xf32> {relax.name = "fc.weight"}, %b: tensor<?x2xf32, #relax.sym<n>>)
    -> tensor<?x2xf32, #relax.sym<n>> attributes {relax.num_input = 1 : i64} {
  %y = relax.multiply %x, %w : (tensor<?x2xf32, #relax.sym<n>>, tensor<2xf32>) -> tensor<?x2xf32, #relax.sym<n>>
  %z = relax.add %y, %b : (tensor<?x2xf32, #relax.sym<n>>, tensor<?x2xf32, #relax.sym<n>>) -> tensor<?x2xf32, #relax.sym<n>>
  return %z : tensor<?x2xf32, #relax.sym<n>>
}

// A tensor of unknown rank, or with unknown dims, takes the shape of its array, and so does what is computed from it.
// RANK-LABEL: func.func @unknown(
// RANK-SAME: %[[X:[^:]+]]: tensor<*xf32>) -> tensor<*xf32>
// RANK-DAG: %[[W:.*]] = relax.constant {value = dense<[0.000000e+00, 1.000000e+00]> : tensor<2xf32>}
// RANK-DAG: %[[V:.*]] = relax.constant {value = dense<1.000000e+00> : tensor<3x2xf32>}
// RANK: %[[Y:.*]] = relax.add %[[W]], %[[V]] : (tensor<2xf32>, tensor<3x2xf32>) -> tensor<3x2xf32>
// RANK: relax.add %[[Y]], %[[X]] : (tensor<3x2xf32>, tensor<*xf32>) -> tensor<*xf32>
func.func @unknown(%x: tensor<*xf32>, %w: tensor<*xf32>, %v: tensor<?x2xf32>) -> tensor<*xf32> {
  %y = relax.add %w, %v : (tensor<*xf32>, tensor<?x2xf32>) -> tensor<*xf32>
  %z = relax.add %y, %x : (tensor<*xf32>, tensor<*xf32>) -> tensor<*xf32>
  return %z : tensor<*xf32>
}
