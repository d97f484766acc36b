/* Packed parameters: one file, read as a whole or mapped. */

#if defined(__unix__) || defined(__APPLE__)
#define RELAX_MAPS_FILES
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#endif

typedef struct relax_stored {
  uint64_t offset;
  relax_dtype dtype;
  int32_t rank;
  int64_t shape[RELAX_MAX_RANK];
} relax_stored;

/* What a file of parameters must be to fit the program; of what stands in front of the data its FNV-1a hash. */
typedef struct relax_file {
  uint64_t bytes, start, hash;
  int32_t values;
  const relax_stored *value;
} relax_file;

static relax_status relax_check_file(const relax_file *f, const char *name, const void *data, size_t bytes,
                                     relax_error *error) {
  if (data == NULL || (uintptr_t)data % RELAX_ALIGNMENT != 0) {
    return relax_fail(error, RELAX_BAD_FILE, "%s: expected data aligned to %d bytes, got the address %p", name,
                      (int)RELAX_ALIGNMENT, data);
  }
  if (bytes != f->bytes) {
    return relax_fail(error, RELAX_BAD_FILE, "%s: expected %llu bytes, got %zu", name, (unsigned long long)f->bytes,
                      bytes);
  }
  uint64_t hash = 0xcbf29ce484222325u;
  for (size_t i = 0; i < (size_t)f->start; ++i) {
    hash = (hash ^ ((const unsigned char *)data)[i]) * 0x100000001b3u;
  }
  if (hash != f->hash) {
    return relax_fail(error, RELAX_BAD_FILE, "%s: holds the parameters of another program, or of this one for another target", name);
  }
  return RELAX_OK;
}

static void relax_point_at(const relax_file *f, const void *data, relax_tensor *values) {
  for (int32_t i = 0; i < f->values; ++i) {
    const relax_stored *stored = &f->value[i];
    values[i].data = (char *)(uintptr_t)data + stored->offset;
    values[i].dtype = stored->dtype;
    values[i].rank = stored->rank;
    memcpy(values[i].shape, stored->shape, sizeof stored->shape);
  }
}

#ifdef RELAX_MAPS_FILES
static void *relax_read_file(const char *path, size_t *bytes, relax_error *error) {
  struct stat state;
  int descriptor = open(path, O_RDONLY);
  if (descriptor < 0 || fstat(descriptor, &state) != 0 || !S_ISREG(state.st_mode) || state.st_size == 0) {
    relax_fail(error, RELAX_BAD_FILE, "%s: cannot be read", path);
    if (descriptor >= 0) {
      close(descriptor);
    }
    return NULL;
  }
  *bytes = (size_t)state.st_size;
  void *data = mmap(NULL, *bytes, PROT_READ, MAP_PRIVATE, descriptor, 0);
  close(descriptor);
  if (data == MAP_FAILED) {
    relax_fail(error, RELAX_NO_MEMORY, "%s: %zu bytes cannot be mapped", path, *bytes);
    return NULL;
  }
  return data;
}

static void relax_free_file(void *data, size_t bytes) {
  munmap(data, bytes);
}
#else
/* Reads a whole file, in pieces: some systems read so many bytes at a time and no more. */
static bool relax_read_pieces(FILE *stream, char *data, size_t bytes) {
  const size_t piece = (size_t)1 << 24;
  for (size_t start = 0; start < bytes; start += piece) {
    size_t size = bytes - start < piece ? bytes - start : piece;
    if (fread(data + start, 1, size, stream) != size) {
      return false;
    }
  }
  return true;
}

static void *relax_read_file(const char *path, size_t *bytes, relax_error *error) {
  FILE *stream = fopen(path, "rb");
  long size = -1;
  if (stream != NULL && fseek(stream, 0, SEEK_END) == 0) {
    size = ftell(stream);
  }
  void *data = size > 0 ? relax_allocate((size_t)size) : NULL;
  if (size > 0 && data == NULL) {
    relax_fail(error, RELAX_NO_MEMORY, "%s: there is no memory for %ld bytes", path, size);
  } else if (size <= 0 || fseek(stream, 0, SEEK_SET) != 0 || !relax_read_pieces(stream, data, (size_t)size)) {
    relax_fail(error, RELAX_BAD_FILE, "%s: cannot be read", path);
    free(data);
    data = NULL;
  }
  if (stream != NULL) {
    fclose(stream);
  }
  *bytes = size > 0 ? (size_t)size : 0;
  return data;
}

static void relax_free_file(void *data, size_t bytes) {
  (void)bytes;
  free(data);
}
#endif
