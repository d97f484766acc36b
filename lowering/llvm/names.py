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
_PREFIXES = ("__", "omp_", "GOMP_", "llvm.", ".", "\1")
"""With a dot begin the names of sections and of the assembler's local labels; after a byte of 1 LLVM takes a name as it stands, so that it
may be that of another function."""


def is_library_name(name: str) -> bool:
    """Returns whether the C library, the compiler's runtime, the OpenMP runtime, LLVM or the assembler may own a name."""
    return name in _NAMES or name.startswith(_PREFIXES)
