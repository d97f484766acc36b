/* Calls the program of linear.mlir, compiled ahead of time with its weights (docs/aot.md). */

#include <stdio.h>
#include <stdlib.h>

#include "linear.h"

int main(int argc, char **argv) {
  relax_error error;
  linear_params *params = linear_load_params(argc > 1 ? argv[1] : "linear.params", &error);
  if (params == NULL) {
    fprintf(stderr, "%s\n", error.message);
    return 1;
  }
  float data[3][8];
  for (int i = 0; i < 24; ++i) {
    data[i / 8][i % 8] = (float)i;
  }
  relax_tensor x = {data, RELAX_F32, 2, {3, 8}}, y = {0};
  if (linear_main(params, &x, &y, &error) != RELAX_OK) {
    fprintf(stderr, "%s\n", error.message);
    return 1;
  }
  for (int64_t row = 0; row < y.shape[0]; ++row) {
    const float *result = (const float *)y.data + row * y.shape[1];
    printf("%g %g %g %g\n", result[0], result[1], result[2], result[3]);
  }
  free(y.data);
  linear_free_params(params);
  return 0;
}
