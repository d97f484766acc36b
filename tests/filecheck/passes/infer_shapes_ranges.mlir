// RUN: relax-opt %s -p relax-infer-shapes --split-input-file | filecheck %s

// The part of a causal mask that a sequence needs: all of its rows and columns are there.
// CHECK-LABEL: @causal_mask
// CHECK:         %{{.*}} = relax.strided_slice %{{.*}} -> tensor<?x?xf32, #relax.sym<s, s>>
// CHECK-NEXT:    %{{.*}} = relax.add {{.*}} -> tensor<?x?xf32, #relax.sym<s, s>>
func.func @causal_mask(%scores: tensor<?x?xf32, #relax.sym<s, s>>, %mask: tensor<512x512xf32>) -> tensor<?x?xf32, #relax.sym<s, s>>
    attributes {relax.sym_upper_bounds = {s = 512 : i64}} {
  %r = relax.dataflow {
    %zero = relax.shape : () -> !relax.shape<[0, 0]>
    %end = relax.shape : () -> !relax.shape<[s, s]>
    %part = relax.strided_slice %mask, %zero, %end {axes = array<i64: 0, 1>} : (tensor<512x512xf32>, !relax.shape<[0, 0]>, !relax.shape<[s, s]>) -> tensor<?x?xf32, #relax.sym<min(512, s), min(512, s)>>
    %sum = relax.add %scores, %part : (tensor<?x?xf32, #relax.sym<s, s>>, tensor<?x?xf32, #relax.sym<min(512, s), min(512, s)>>) -> tensor<?x?xf32, #relax.sym<s, s>>
    relax.output %sum : tensor<?x?xf32, #relax.sym<s, s>>
  } : tensor<?x?xf32, #relax.sym<s, s>>
  return %r : tensor<?x?xf32, #relax.sym<s, s>>
}

// -----

// CHECK-LABEL: @no_range
// CHECK:         relax.strided_slice {{.*}} -> tensor<?xf32, #relax.sym<min(512, s)>>
func.func @no_range(%x: tensor<?xf32, #relax.sym<s>>, %mask: tensor<512xf32>) -> tensor<?xf32, #relax.sym<min(512, s)>> {
  %zero = relax.shape : () -> !relax.shape<[0]>
  %end = relax.shape : () -> !relax.shape<[s]>
  %part = relax.strided_slice %mask, %zero, %end {axes = array<i64: 0>} : (tensor<512xf32>, !relax.shape<[0]>, !relax.shape<[s]>) -> tensor<?xf32>
  %again = relax.match_cast %part : (tensor<?xf32>) -> tensor<?xf32, #relax.sym<min(512, s)>>
  return %again : tensor<?xf32, #relax.sym<min(512, s)>>
}

// -----

// The range of a symbol is that of its function alone.
// CHECK-LABEL: @lower
// CHECK-SAME:    (%{{.*}}: tensor<?xf32, #relax.sym<s>>, %{{.*}}: tensor<?xf32, #relax.sym<s floordiv 2>>) -> tensor<?xf32, #relax.sym<s>>
func.func @lower(%x: tensor<?xf32, #relax.sym<s>>, %y: tensor<?xf32, #relax.sym<max(s floordiv 2, 1)>>) -> tensor<?xf32, #relax.sym<max(2, s)>>
    attributes {relax.sym_lower_bounds = {s = 2 : i64}} {
  %r = relax.match_cast %x : (tensor<?xf32, #relax.sym<s>>) -> tensor<?xf32, #relax.sym<max(2, s)>>
  return %r : tensor<?xf32, #relax.sym<max(2, s)>>
}
// CHECK-LABEL: @other
// CHECK-SAME:    tensor<?xf32, #relax.sym<max(1, s floordiv 2)>>
func.func @other(%x: tensor<?xf32, #relax.sym<s>>, %y: tensor<?xf32, #relax.sym<max(s floordiv 2, 1)>>) {
  return
}

// -----

// Neither side of a sum is broadcast where both sizes are at least 2.
// CHECK-LABEL: @no_broadcast
// CHECK:         relax.add {{.*}} -> tensor<?xf32, #relax.sym<n>>
func.func @no_broadcast(%x: tensor<?xf32, #relax.sym<n>>, %y: tensor<?xf32, #relax.sym<m>>) -> tensor<?xf32>
    attributes {relax.sym_lower_bounds = {m = 2 : i64, n = 2 : i64}} {
  %r = relax.add %x, %y : (tensor<?xf32, #relax.sym<n>>, tensor<?xf32, #relax.sym<m>>) -> tensor<?xf32>
  return %r : tensor<?xf32>
}
