"""Names that code generation itself may call: a function of the program must not take them."""

from __future__ import annotations

_MATH = (
    "acos acosh asin asinh atan atan2 atanh cbrt ceil copysign cos cosh erf erfc exp exp10 exp2 expm1 fabs floor fma fmax "
    "fmin fmod frexp hypot ldexp lgamma log log10 log1p log2 logb modf nearbyint pow remainder rint round roundeven scalbn "
    "sin sincos sinh sqrt tan tanh tgamma trunc"
).split()
_OTHER = (
    "abort abs bcmp calloc exit free isnan main malloc memccpy memchr memcmp memcpy memmove memset realloc strlen"
).split()
_NAMES = frozenset([*_MATH, *(n + "f" for n in _MATH), *(n + "l" for n in _MATH), *_OTHER])


def is_library_name(name: str) -> bool:
    """Returns whether the C library, the compiler's runtime or the OpenMP runtime may own a name."""
    return name in _NAMES or name.startswith(("__", "omp_", "GOMP_", "llvm."))
