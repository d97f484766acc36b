/* What all functions share: arguments are checked, results and scratch memory allocated, errors put into words. */

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifndef __STDC_NO_ATOMICS__
#include <stdatomic.h>
#endif

enum { RELAX_ALIGNMENT = 64 };

/* One value that crosses the border: a tensor, a size, or a scalar. */
typedef enum relax_kind { RELAX_TENSOR, RELAX_SIZE, RELAX_SCALAR } relax_kind;

typedef struct relax_leaf {
  const char *label;
  relax_kind kind;
  relax_dtype dtype;
  int32_t rank;
  int32_t donor;   /* of a result: the argument in whose memory it lies, or -1 */
  int32_t donated; /* of an argument: whether a result lies in its memory */
} relax_leaf;

/* What is said when an assertion fails, and what the values are called that the call has left in its words. */
typedef struct relax_assertion {
  const char *message;
  int32_t values;
  const char *name[RELAX_VALUES];
} relax_assertion;

typedef struct relax_function {
  const char *name;
  int64_t (*entry)(void **buffers, int64_t *dims, void *workspace, int64_t *words);
  int64_t (*shape)(int64_t *in, int64_t *out);
  int32_t inputs, results, input_dims, dims;
  const relax_leaf *input, *result;
  void (*violation)(int64_t check, const int64_t *dims, relax_error *error);
  void (*sizes)(const int64_t *dims, char *text, size_t size);
  const relax_assertion *assertions;
} relax_function;

static relax_status relax_fail(relax_error *error, relax_status status, const char *format, ...) {
  if (error != NULL) {
    va_list arguments;
    va_start(arguments, format);
    error->status = status;
    vsnprintf(error->message, sizeof error->message, format, arguments);
    va_end(arguments);
  }
  return status;
}

static size_t relax_width(relax_dtype dtype) {
  static const uint8_t widths[] = {8, 4, 2, 2, 1, 2, 4, 8, 1, 2, 4, 8, 1};
  return widths[dtype];
}

static const char *relax_name(relax_dtype dtype) {
  static const char *const names[] = {"float64", "float32", "float16", "bfloat16", "int8",   "int16", "int32",
                                      "int64",   "uint8",   "uint16",  "uint32",   "uint64", "bool"};
  return (unsigned)dtype <= RELAX_BOOL ? names[dtype] : "an unknown type";
}

/* The bytes of a tensor; SIZE_MAX where they do not fit. */
static size_t relax_bytes(const relax_tensor *tensor) {
  size_t bytes = relax_width(tensor->dtype);
  for (int32_t axis = 0; axis < tensor->rank; ++axis) {
    if (tensor->shape[axis] == 0) {
      return 0;
    }
  }
  for (int32_t axis = 0; axis < tensor->rank; ++axis) {
    if (tensor->shape[axis] < 0 || (uint64_t)tensor->shape[axis] > (SIZE_MAX / 2) / bytes) {
      return SIZE_MAX;
    }
    bytes *= (size_t)tensor->shape[axis];
  }
  return bytes;
}

/* Memory that free() takes back; NULL where there is none. */
static void *relax_allocate(size_t bytes) {
  if (bytes > SIZE_MAX / 2) {
    return NULL;
  }
  bytes = (bytes + RELAX_ALIGNMENT - 1) / RELAX_ALIGNMENT * RELAX_ALIGNMENT;
  return aligned_alloc(RELAX_ALIGNMENT, bytes == 0 ? RELAX_ALIGNMENT : bytes);
}

/* Scratch memory is kept for the next call: that of one call, so that calls on several threads share nothing. */
typedef struct relax_workspace {
  size_t bytes;
  struct relax_workspace *self; /* what malloc returned */
} relax_workspace;

#ifndef __STDC_NO_ATOMICS__
static _Atomic(relax_workspace *) relax_kept;
#define RELAX_EXCHANGE(value) atomic_exchange(&relax_kept, (value))
#else
#define RELAX_EXCHANGE(value) (value)
#endif

static relax_workspace *relax_take_workspace(size_t bytes) {
#ifndef __STDC_NO_ATOMICS__
  relax_workspace *kept = RELAX_EXCHANGE(NULL);
  if (kept != NULL && kept->bytes >= bytes) {
    return kept;
  }
  free(kept);
#endif
  if (bytes > SIZE_MAX / 2) {
    return NULL;
  }
  relax_workspace *made = relax_allocate(RELAX_ALIGNMENT + bytes);
  if (made != NULL) {
    made->bytes = bytes;
  }
  return made;
}

static void relax_give_workspace(relax_workspace *workspace) {
  free(RELAX_EXCHANGE(workspace));
}

static bool relax_overlap(const relax_tensor *first, const relax_tensor *second) {
  if (first->data == NULL || second->data == NULL) {
    return false;
  }
  uintptr_t one = (uintptr_t)first->data, other = (uintptr_t)second->data;
  size_t one_bytes = relax_bytes(first), other_bytes = relax_bytes(second);
  return one_bytes > 0 && other_bytes > 0 && one < other + other_bytes && other < one + one_bytes;
}

/* Whether a tensor is one that native code can read or write; `what` is `argument 'x'` or `result 0`. */
static relax_status relax_check(const char *function, const char *what, const relax_leaf *leaf,
                                const relax_tensor *tensor, relax_error *error) {
  if (tensor->dtype != leaf->dtype) {
    return relax_fail(error, RELAX_BAD_ARGUMENT, "%s: %s: expected element type %s, got %s", function, what,
                      relax_name(leaf->dtype), relax_name(tensor->dtype));
  }
  if (tensor->rank != leaf->rank) {
    return relax_fail(error, RELAX_BAD_ARGUMENT, "%s: %s: expected rank %d, got %d", function, what, (int)leaf->rank,
                      (int)tensor->rank);
  }
  for (int32_t axis = 0; axis < tensor->rank; ++axis) {
    if (tensor->shape[axis] < 0) {
      return relax_fail(error, RELAX_BAD_ARGUMENT, "%s: %s dim %d: expected a size, got %lld", function, what,
                        (int)axis, (long long)tensor->shape[axis]);
    }
  }
  size_t bytes = relax_bytes(tensor);
  if (bytes == SIZE_MAX) {
    return relax_fail(error, RELAX_BAD_ARGUMENT, "%s: %s: its bytes do not fit the memory of a process", function,
                      what);
  }
  if (tensor->data == NULL && bytes > 0) {
    return relax_fail(error, RELAX_BAD_ARGUMENT, "%s: %s: expected the address of %zu bytes, got a null pointer",
                      function, what, bytes);
  }
  if ((uintptr_t)tensor->data % relax_width(leaf->dtype) != 0) {
    return relax_fail(error, RELAX_BAD_ARGUMENT, "%s: %s: expected data aligned to %zu bytes, got the address %p",
                      function, what, relax_width(leaf->dtype), tensor->data);
  }
  return RELAX_OK;
}

static relax_status relax_check_input(const char *function, const relax_leaf *leaf, const relax_tensor *tensor,
                                      relax_error *error) {
  char what[256];
  snprintf(what, sizeof what, "argument '%s'", leaf->label);
  if (tensor == NULL) {
    return relax_fail(error, RELAX_BAD_ARGUMENT, "%s: %s: expected a tensor, got a null pointer", function, what);
  }
  return relax_check(function, what, leaf, tensor, error);
}

/* Whether a result may be written to the memory of the caller: nothing else that the call reads or writes lies there. */
static relax_status relax_check_apart(const char *name, int32_t count, const relax_leaf *input, const relax_leaf *result,
                                      int32_t index, relax_tensor *const *inputs, relax_tensor *const *results,
                                      relax_error *error) {
  for (int32_t i = 0; i < count; ++i) {
    if (relax_overlap(results[index], inputs[i])) {
      return relax_fail(error, RELAX_BAD_ARGUMENT, "%s: %s: shares memory with argument '%s'", name,
                        result[index].label, input[i].label);
    }
  }
  for (int32_t i = 0; i < index; ++i) {
    if (result[i].donor < 0 && relax_overlap(results[index], results[i])) {
      return relax_fail(error, RELAX_BAD_ARGUMENT, "%s: %s: shares memory with %s", name, result[index].label,
                        result[i].label);
    }
  }
  return RELAX_OK;
}

static relax_status relax_check_donated(const relax_function *f, relax_tensor *const *inputs, relax_error *error) {
  for (int32_t i = 0; i < f->inputs; ++i) {
    for (int32_t j = 0; f->input[i].donated && j < f->inputs; ++j) {
      if (i != j && relax_overlap(inputs[i], inputs[j])) {
        return relax_fail(error, RELAX_BAD_ARGUMENT, "%s: argument '%s' is donated, and shares memory with '%s'",
                          f->name, f->input[i].label, f->input[j].label);
      }
    }
  }
  return RELAX_OK;
}

/* Whether the caller's memory for a result has a size that the call finds. */
static relax_status relax_check_size(const char *name, const relax_leaf *leaf, int32_t axis, int64_t size,
                                     const relax_tensor *result, relax_error *error) {
  if (result->shape[axis] == size) {
    return RELAX_OK;
  }
  return relax_fail(error, RELAX_BAD_ARGUMENT, "%s: %s dim %d: expected %lld, got %lld", name, leaf->label, (int)axis,
                    (long long)size, (long long)result->shape[axis]);
}

static relax_status relax_check_sizes(const char *name, const relax_leaf *leaf, const int64_t *sizes,
                                      const relax_tensor *result, relax_error *error) {
  relax_status status = RELAX_OK;
  for (int32_t axis = 0; axis < leaf->rank && status == RELAX_OK; ++axis) {
    status = relax_check_size(name, leaf, axis, sizes[axis], result, error);
  }
  return status;
}

/* Checks or allocates the memory of a result of these sizes. */
static relax_status relax_prepare(const relax_function *f, int32_t index, const int64_t *sizes,
                                  relax_tensor *const *inputs, relax_tensor *const *results, relax_error *error) {
  const relax_leaf *leaf = &f->result[index];
  relax_tensor *result = results[index];
  if (result->data == NULL) {
    result->dtype = leaf->dtype;
    result->rank = leaf->rank;
    memcpy(result->shape, sizes, sizeof *sizes * (size_t)leaf->rank);
    result->data = relax_allocate(relax_bytes(result));
    return result->data == NULL ? RELAX_NO_MEMORY : RELAX_OK;
  }
  relax_status status = relax_check(f->name, leaf->label, leaf, result, error);
  if (status == RELAX_OK) {
    status = relax_check_sizes(f->name, leaf, sizes, result, error);
  }
  if (status == RELAX_OK) {
    status = relax_check_apart(f->name, f->inputs, f->input, f->result, index, inputs, results, error);
  }
  return status;
}

static void relax_out_of_memory(const relax_function *f, const int64_t *dims, relax_error *error) {
  char sizes[512] = "";
  f->sizes(dims, sizes, sizeof sizes);
  relax_fail(error, RELAX_NO_MEMORY, "%s: there is no memory for results and %lld bytes of scratch memory%s",
             f->name, (long long)dims[f->dims - 1], sizes);
}

/* What a call writes down: the sizes and the pointers that the entry of the function takes, and the results that are new. */
typedef struct relax_frame {
  int64_t *dims;
  void **buffers;
  bool *is_new;
} relax_frame;

/* Writes down the arguments. */
static void relax_read(const relax_function *f, relax_tensor *const *inputs, relax_frame frame) {
  int64_t *next = frame.dims;
  for (int32_t i = 0; i < f->inputs; ++i) {
    memcpy(next, inputs[i]->shape, sizeof *next * (size_t)f->input[i].rank);
    next += f->input[i].rank;
    frame.buffers[i] = inputs[i]->data;
  }
  for (int32_t i = 0; i < f->inputs; ++i) {
    if (f->input[i].kind == RELAX_SIZE) {
      memcpy(next++, inputs[i]->data, sizeof *next);
    }
  }
}

/* Writes down the results: tensors come first, then scalars; one in the memory of an argument has no place of its own. */
static relax_status relax_place(const relax_function *f, relax_tensor *const *inputs, relax_tensor *const *results,
                                relax_frame frame, relax_error *error) {
  const int64_t *next = frame.dims + f->input_dims;
  int32_t slot = f->inputs;
  for (int32_t pass = 0; pass < 2; ++pass) {
    for (int32_t i = 0; i < f->results; ++i) {
      const relax_leaf *leaf = &f->result[i];
      if (leaf->donor >= 0 || (leaf->kind == RELAX_TENSOR) != (pass == 0)) {
        continue;
      }
      bool is_new = results[i]->data == NULL;
      relax_status status = relax_prepare(f, i, next, inputs, results, error);
      if (status != RELAX_OK) {
        return status;
      }
      frame.is_new[i] = is_new;
      next += leaf->rank;
      frame.buffers[slot++] = results[i]->data;
    }
  }
  return RELAX_OK;
}

/* Adds the value of a name to the end of a message, unless it is there. */
static void relax_add_value(char *text, size_t size, const char *name, int64_t value) {
  char shown[128];
  snprintf(shown, sizeof shown, " %.90s = %lld", name, (long long)value);
  if (strstr(text, shown) == NULL) {
    size_t used = strlen(text);
    snprintf(text + used, size - used, "%s%s", used == 0 ? " where" : ",", shown);
  }
}

static relax_status relax_enter(const relax_function *f, relax_frame frame, relax_error *error) {
  relax_workspace *workspace = relax_take_workspace((size_t)frame.dims[f->dims - 1]);
  if (workspace == NULL) {
    return RELAX_NO_MEMORY;
  }
  int64_t words[RELAX_WORDS] = {0};
  int64_t failed = f->entry(frame.buffers, frame.dims, (char *)workspace + RELAX_ALIGNMENT, words);
  relax_give_workspace(workspace);
  if (failed == 0) {
    return RELAX_OK;
  }
  char sizes[512] = "";
  f->sizes(frame.dims, sizes, sizeof sizes);
  const relax_assertion *assertion = &f->assertions[failed - 1];
  for (int32_t i = 0; i < assertion->values; ++i) {
    relax_add_value(sizes, sizeof sizes, assertion->name[i], words[i]);
  }
  return relax_fail(error, RELAX_FAILED_CHECK, "%s%s", assertion->message, sizes);
}

/* Writes down the arguments of a call, which are checked, and the sizes that they lead to. */
static relax_status relax_measure(const relax_function *f, relax_tensor *const *inputs, relax_frame frame,
                                  relax_error *error) {
  relax_read(f, inputs, frame);
  int64_t violated = f->shape(frame.dims, frame.dims + f->input_dims);
  if (violated != 0) {
    f->violation(violated - 1, frame.dims, error);
    return RELAX_BAD_ARGUMENT;
  }
  return relax_check_donated(f, inputs, error);
}

/* Computes what was measured. Results without memory get some, which is freed again where the call fails. */
static relax_status relax_compute(const relax_function *f, relax_tensor *const *inputs, relax_tensor *const *results,
                                  relax_frame frame, relax_error *error) {
  memset(frame.is_new, 0, sizeof *frame.is_new * (size_t)f->results);
  relax_status status = relax_place(f, inputs, results, frame, error);
  if (status == RELAX_OK) {
    status = relax_enter(f, frame, error);
  }
  if (status == RELAX_NO_MEMORY) {
    relax_out_of_memory(f, frame.dims, error);
  }
  const int64_t *next = frame.dims + f->input_dims;
  for (int32_t i = 0; i < f->results; ++i) {
    if (status != RELAX_OK && frame.is_new[i]) {
      free(results[i]->data);
      results[i]->data = NULL;
    } else if (status == RELAX_OK && f->result[i].kind == RELAX_TENSOR && f->result[i].donor < 0) {
      /* A size that data has decided is smaller than its bound. */
      memcpy(results[i]->shape, next, sizeof *next * (size_t)f->result[i].rank);
      next += f->result[i].rank;
    }
  }
  return status;
}

/* Checks the arguments of a function, and that there is a place for each result. */
static relax_status relax_check_values(const char *name, int32_t inputs, const relax_leaf *input,
                                       relax_tensor *const *given, int32_t results, const relax_leaf *result,
                                       relax_tensor *const *places, relax_error *error) {
  for (int32_t i = 0; i < inputs; ++i) {
    relax_status status = relax_check_input(name, &input[i], given[i], error);
    if (status != RELAX_OK) {
      return status;
    }
  }
  for (int32_t i = 0; i < results; ++i) {
    if (result[i].donor < 0 && (places[i] == NULL || (result[i].kind != RELAX_TENSOR && places[i]->data == NULL))) {
      return relax_fail(error, RELAX_BAD_ARGUMENT, "%s: %s: expected a place for the result, got a null pointer",
                        name, result[i].label);
    }
  }
  return RELAX_OK;
}
