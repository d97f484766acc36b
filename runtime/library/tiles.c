/* Tile registers (AMX): Linux gives their state to processes that ask for it, once for all threads and children. */

/* Of the C library, whose headers have it for programs that ask for more than C. */
extern long syscall(long number, ...);

enum { RELAX_ARCH_PRCTL = 158, RELAX_REQUEST_STATE = 0x1023, RELAX_TILE_STATE = 18 };

static relax_status relax_ask_for_tiles(const char *function, relax_error *error) {
  static _Atomic(bool) relax_has_tiles;
  if (!relax_has_tiles && syscall(RELAX_ARCH_PRCTL, RELAX_REQUEST_STATE, RELAX_TILE_STATE) != 0) {
    return relax_fail(error, RELAX_NO_TILES,
                      "%s: Linux does not give this process the tile registers that the code is compiled for", function);
  }
  relax_has_tiles = true;
  return RELAX_OK;
}
