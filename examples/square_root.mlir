// Newton's method for square roots: repeats until no element changes by more than the tolerance, at most 20 times.
func.func @main(%x: tensor<?xf32, #relax.sym<n>>, %tolerance: f32) -> (tensor<?xf32, #relax.sym<n>>, index) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %limit = arith.constant 20 : index
  %half = relax.constant {value = dense<0.5> : tensor<f32>} : () -> tensor<f32>
  %infinity = arith.constant 0x7F800000 : f32
  %root, %last, %count = scf.while (%r = %x, %change = %infinity, %i = %zero)
      : (tensor<?xf32, #relax.sym<n>>, f32, index) -> (tensor<?xf32, #relax.sym<n>>, f32, index) {
    %far = arith.cmpf ogt, %change, %tolerance : f32
    %few = arith.cmpi slt, %i, %limit : index
    %again = arith.andi %far, %few : i1
    scf.condition(%again) %r, %change, %i : tensor<?xf32, #relax.sym<n>>, f32, index
  } do {
  ^bb0(%r: tensor<?xf32, #relax.sym<n>>, %change: f32, %i: index):
    %q = relax.divide %x, %r : (tensor<?xf32, #relax.sym<n>>, tensor<?xf32, #relax.sym<n>>) -> tensor<?xf32, #relax.sym<n>>
    %s = relax.add %r, %q : (tensor<?xf32, #relax.sym<n>>, tensor<?xf32, #relax.sym<n>>) -> tensor<?xf32, #relax.sym<n>>
    %next = relax.multiply %s, %half : (tensor<?xf32, #relax.sym<n>>, tensor<f32>) -> tensor<?xf32, #relax.sym<n>>
    %step = relax.subtract %next, %r : (tensor<?xf32, #relax.sym<n>>, tensor<?xf32, #relax.sym<n>>) -> tensor<?xf32, #relax.sym<n>>
    %size = relax.abs %step : (tensor<?xf32, #relax.sym<n>>) -> tensor<?xf32, #relax.sym<n>>
    %largest = relax.max %size : (tensor<?xf32, #relax.sym<n>>) -> tensor<f32>
    %new = tensor.extract %largest[] : tensor<f32>
    %j = arith.addi %i, %one : index
    scf.yield %next, %new, %j : tensor<?xf32, #relax.sym<n>>, f32, index
  }
  return %root, %count : tensor<?xf32, #relax.sym<n>>, index
}
