#ifndef XDSL_RELAX_TYPES
#define XDSL_RELAX_TYPES

#include <stdint.h>

/* Element types. Booleans take a byte, 0 or 1; the floats of 16 bits are bits. */
typedef enum relax_dtype {
  RELAX_F64,
  RELAX_F32,
  RELAX_F16,
  RELAX_BF16,
  RELAX_I8,
  RELAX_I16,
  RELAX_I32,
  RELAX_I64,
  RELAX_U8,
  RELAX_U16,
  RELAX_U32,
  RELAX_U64,
  RELAX_BOOL
} relax_dtype;

#define RELAX_MAX_RANK 8

/* A tensor: its elements row by row without gaps, aligned to their size.
 *
 *   float data[3][8];
 *   relax_tensor x = {data, RELAX_F32, 2, {3, 8}};
 *   relax_tensor y = {0}; // a result that the call allocates: free(y.data) when it is not needed any more
 */
typedef struct relax_tensor {
  void *data;
  relax_dtype dtype;
  int32_t rank;
  int64_t shape[RELAX_MAX_RANK];
} relax_tensor;

typedef enum relax_status {
  RELAX_OK = 0,
  RELAX_BAD_ARGUMENT = 1, /* an argument does not fit the function; nothing was computed */
  RELAX_FAILED_CHECK = 2, /* a check of the program failed while it ran; results are undefined */
  RELAX_NO_MEMORY = 3,
  RELAX_BAD_FILE = 4, /* a file of parameters cannot be read, or is that of another program */
  RELAX_NO_TILES = 5  /* the system does not give the process the tile registers that the code is compiled for */
} relax_status;

/* What went wrong, in one line; written where a call fails. */
typedef struct relax_error {
  relax_status status;
  char message[1024];
} relax_error;

#endif
