// RUN: not relax-opt %s -p expand-math 2>&1 | filecheck %s

// CHECK: expand_math_invalid.mlir:5:3: error: expand-math: math.exp needs a scalar or a vector of one fixed dim, found vector<2x4xf32>
func.func @matrix(%x: vector<2x4xf32>) -> vector<2x4xf32> {
  %y = math.exp %x : vector<2x4xf32>
  func.return %y : vector<2x4xf32>
}
