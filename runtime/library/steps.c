/* Functions whose memory depends on data: called in steps, each with memory for the sizes that those before it have computed. */

typedef struct relax_step {
  const relax_function *function;
  const int32_t *arguments; /* the values that it takes: the arguments of the function come first, then results of steps */
} relax_step;

/* A size of a result that the arguments tell: one of theirs, or where there is no position a number. */
typedef struct relax_known {
  int32_t result, axis, position;
  int64_t size;
} relax_known;

typedef struct relax_stepped {
  const char *name;
  int32_t inputs, results, steps, values, known_sizes;
  const relax_leaf *input, *result;
  const relax_known *known;
  const relax_step *step;
  const int32_t *returned; /* the values that the function returns */
  const int32_t *last_use; /* for each value the last step that reads it, -1 for none */
} relax_stepped;

static bool relax_is_returned(const relax_stepped *s, int32_t value) {
  for (int32_t i = 0; i < s->results; ++i) {
    if (s->returned[i] == value) {
      return true;
    }
  }
  return false;
}

/* Whether results may be written to the memory of the caller, as far as the arguments tell, whose sizes `dims` has. */
static relax_status relax_check_places(const relax_stepped *s, const int64_t *dims, relax_tensor *const *inputs,
                                       relax_tensor *const *results, relax_error *error) {
  relax_status status = RELAX_OK;
  for (int32_t i = 0; i < s->results && status == RELAX_OK; ++i) {
    const relax_leaf *leaf = &s->result[i];
    if (results[i]->data == NULL) {
      continue;
    }
    status = relax_check(s->name, leaf->label, leaf, results[i], error);
    for (int32_t j = 0; j < s->known_sizes && status == RELAX_OK; ++j) {
      const relax_known *known = &s->known[j];
      if (known->result == i) {
        status = relax_check_size(s->name, leaf, known->axis, known->position < 0 ? known->size : dims[known->position],
                                  results[i], error);
      }
    }
    if (status == RELAX_OK) {
      status = relax_check_apart(s->name, s->inputs, s->input, s->result, i, inputs, results, error);
    }
  }
  return status;
}

/* Whether the caller's memory has the sizes of what a step is about to compute; `first` is the first value that it makes. */
static relax_status relax_check_step(const relax_stepped *s, const relax_function *f, int32_t first,
                                     const int64_t *sizes, relax_tensor *const *results, relax_error *error) {
  for (int32_t i = 0; i < f->results; ++i) {
    if (f->result[i].kind != RELAX_TENSOR) {
      continue;
    }
    for (int32_t j = 0; j < s->results; ++j) {
      if (s->returned[j] == first + i && results[j]->data != NULL &&
          relax_check_sizes(s->name, &s->result[j], sizes, results[j], error) != RELAX_OK) {
        return RELAX_BAD_ARGUMENT;
      }
    }
    sizes += f->result[i].rank;
  }
  return RELAX_OK;
}

/* Writes a value to where the caller wants the result; where the caller has no memory, that of the value is handed over if
 * nobody else needs it. */
static relax_status relax_deliver(const relax_stepped *s, int32_t index, relax_tensor *value, bool is_free,
                                  relax_tensor *result, relax_error *error) {
  const relax_leaf *leaf = &s->result[index];
  size_t bytes = relax_bytes(value);
  if (leaf->kind == RELAX_TENSOR && result->data == NULL) {
    void *data = is_free ? value->data : relax_allocate(bytes);
    if (data == NULL) {
      return relax_fail(error, RELAX_NO_MEMORY, "%s: there is no memory for %s", s->name, leaf->label);
    }
    if (is_free) {
      *result = *value;
      value->data = NULL;
    } else {
      memcpy(data, value->data, bytes);
      *result = *value;
    }
    result->data = data;
    result->dtype = leaf->dtype;
  } else {
    memcpy(result->shape, value->shape, sizeof result->shape);
    if (bytes > 0) {
      memcpy(result->data, value->data, bytes);
    }
  }
  return RELAX_OK;
}

/* Calls a function in steps, of which the first takes all arguments. `values` holds the arguments and room for the results of the steps, `taken` and `made` room for
 * what one step takes and makes. */
static relax_status relax_run_steps(const relax_stepped *s, relax_tensor **values, relax_tensor **taken,
                                    relax_tensor *const *results, relax_frame frame, relax_error *error) {
  relax_status status = RELAX_OK;
  int32_t made = s->inputs;
  for (int32_t number = 0; number < s->steps && status == RELAX_OK; ++number) {
    const relax_function *f = s->step[number].function;
    for (int32_t i = 0; i < f->inputs; ++i) {
      taken[i] = values[s->step[number].arguments[i]];
    }
    status = relax_measure(f, taken, frame, error);
    if (status == RELAX_OK && number == 0) {
      status = relax_check_places(s, frame.dims, values, results, error);
    }
    if (status == RELAX_OK) {
      status = relax_check_step(s, f, made, frame.dims + f->input_dims, results, error);
    }
    if (status == RELAX_OK) {
      status = relax_compute(f, taken, &values[made], frame, error);
    }
    made += f->results;
    for (int32_t i = s->inputs; i < made; ++i) {
      if (s->last_use[i] == number && !relax_is_returned(s, i)) {
        free(values[i]->data);
        values[i]->data = NULL;
      }
    }
  }
  for (int32_t i = 0; i < s->results; ++i) {
    frame.is_new[i] = results[i]->data == NULL;
  }
  for (int32_t i = 0; i < s->results && status == RELAX_OK; ++i) {
    int32_t value = s->returned[i];
    bool is_last = true;
    for (int32_t j = i + 1; j < s->results; ++j) {
      is_last = is_last && s->returned[j] != value;
    }
    status = relax_deliver(s, i, values[value], value >= s->inputs && is_last, results[i], error);
  }
  for (int32_t i = 0; i < s->results; ++i) {
    if (status != RELAX_OK && frame.is_new[i]) {
      free(results[i]->data);
      results[i]->data = NULL;
    }
  }
  for (int32_t i = s->inputs; i < s->values; ++i) {
    free(values[i]->data);
  }
  return status;
}
