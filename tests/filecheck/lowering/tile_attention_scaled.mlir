// RUN: relax-opt %s -p 'linalg,fuse-linalg,tile-attention{cache=1048576}' --remarks -o %t 2>&1 | grep 'at a time' | filecheck %s

// The scale, a part of what finds the greatest score and of what it is taken from, is applied to the scores of each part; masks of all kinds are.
// CHECK: what follows it are computed for 128 rows and 512 columns at a time: scores of a row take 16384 bytes, the cache has 1048576
func.func @plain(%x: tensor<1x4096x2x64xf32>) -> tensor<1x4096x2x64xf32> {
  %y = relax.nn.attention %x, %x, %x : (tensor<1x4096x2x64xf32>, tensor<1x4096x2x64xf32>, tensor<1x4096x2x64xf32>) -> tensor<1x4096x2x64xf32>
  return %y : tensor<1x4096x2x64xf32>
}

// CHECK-NEXT: what follows it are computed for 128 rows and 512 columns at a time
func.func @causal(%x: tensor<1x4096x2x64xf32>) -> tensor<1x4096x2x64xf32> {
  %y = relax.nn.attention %x, %x, %x {causal_mask = "TopLeft"} : (tensor<1x4096x2x64xf32>, tensor<1x4096x2x64xf32>, tensor<1x4096x2x64xf32>) -> tensor<1x4096x2x64xf32>
  return %y : tensor<1x4096x2x64xf32>
}

// CHECK-NEXT: what follows it are computed for 128 rows and 512 columns at a time
func.func @bias(%x: tensor<1x4096x2x64xf16>, %b: tensor<1x1x4096x4096xf16>) -> tensor<1x4096x2x64xf16> {
  %y = relax.nn.attention_bias %x, %x, %x, %b : (tensor<1x4096x2x64xf16>, tensor<1x4096x2x64xf16>, tensor<1x4096x2x64xf16>, tensor<1x1x4096x4096xf16>) -> tensor<1x4096x2x64xf16>
  return %y : tensor<1x4096x2x64xf16>
}

// CHECK-NEXT: what follows it are computed for 64 rows at a time: columns are not known
func.func @symbolic(%x: tensor<1x4096x2x64xf32>, %z: tensor<1x?x2x64xf32, #relax.sym<n>>) -> tensor<1x4096x2x64xf32> {
  %y = relax.nn.attention %x, %z, %z : (tensor<1x4096x2x64xf32>, tensor<1x?x2x64xf32, #relax.sym<n>>, tensor<1x?x2x64xf32, #relax.sym<n>>) -> tensor<1x4096x2x64xf32>
  return %y : tensor<1x4096x2x64xf32>
}
