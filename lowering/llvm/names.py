"""Names that code generation itself may call: a function of the program must not take them."""

from __future__ import annotations

import re

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


_C_KEYWORDS = frozenset(
    "auto break case char const continue default do double else enum extern float for goto if inline int long register restrict "
    "return short signed sizeof static struct switch typedef union unsigned void volatile while bool true false nullptr "
    "asm class catch delete explicit export friend mutable namespace new operator private protected public template this "
    "throw try typename using virtual and or not xor error params".split()
)
"""Keywords of C and C++, and what headers of libraries call arguments of their own."""


def c_name(name: str, taken: set[str]) -> str:
    """Returns an identifier of C and C++ for a name, one that is not taken yet, and takes it."""
    stem = re.sub(r"[^A-Za-z0-9]+", "_", name).strip("_") or "_"
    if stem[0].isdecimal() or stem in _C_KEYWORDS or is_library_name(stem):
        stem = f"{stem}_" if not stem[0].isdecimal() else f"n{stem}"
    made, number = stem, 0
    while made in taken:
        number += 1
        made = f"{stem}_{number}"
    taken.add(made)
    return made
