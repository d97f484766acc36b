/* Functions whose memory depends on data: called in steps, each with memory for the sizes that those before it have computed. */

typedef struct relax_step {
  const relax_function *function;
  const int32_t *arguments; /* the values that it takes: the arguments of the function come first, then results of steps */
} relax_step;

typedef struct relax_stepped {
  const char *name;
  int32_t inputs, results, steps, values;
  const relax_leaf *result;
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

/* Whether the caller's memory for a result is what the value needs. */
static relax_status relax_check_place(const relax_stepped *s, int32_t index, const relax_tensor *value,
                                      const relax_tensor *result, relax_error *error) {
  const relax_leaf *leaf = &s->result[index];
  if (leaf->kind != RELAX_TENSOR || result->data == NULL) {
    return RELAX_OK;
  }
  relax_status status = relax_check(s->name, leaf->label, leaf, result, error);
  for (int32_t axis = 0; status == RELAX_OK && axis < leaf->rank; ++axis) {
    if (result->shape[axis] != value->shape[axis]) {
      status = relax_fail(error, RELAX_BAD_ARGUMENT, "%s: %s dim %d: expected %lld, got %lld", s->name, leaf->label,
                          (int)axis, (long long)value->shape[axis], (long long)result->shape[axis]);
    }
  }
  return status;
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
  } else if (bytes > 0) {
    memmove(result->data, value->data, bytes);
  }
  return RELAX_OK;
}

/* Calls a function in steps. `values` holds the arguments and room for the results of the steps, `taken` and `made` room for
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
    status = relax_run(f, taken, &values[made], frame, error);
    made += f->results;
    for (int32_t i = s->inputs; i < made; ++i) {
      if (s->last_use[i] == number && !relax_is_returned(s, i)) {
        free(values[i]->data);
        values[i]->data = NULL;
      }
    }
  }
  for (int32_t i = 0; i < s->results && status == RELAX_OK; ++i) {
    status = relax_check_place(s, i, values[s->returned[i]], results[i], error);
  }
  for (int32_t i = 0; i < s->results && status == RELAX_OK; ++i) {
    int32_t value = s->returned[i];
    bool is_last = true;
    for (int32_t j = i + 1; j < s->results; ++j) {
      is_last = is_last && s->returned[j] != value;
    }
    status = relax_deliver(s, i, values[value], value >= s->inputs && is_last, results[i], error);
  }
  for (int32_t i = s->inputs; i < s->values; ++i) {
    free(values[i]->data);
  }
  return status;
}
