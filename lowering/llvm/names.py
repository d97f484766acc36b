"""Names that code generation itself may call: a function of the program must not take them."""

from __future__ import annotations

import re
from collections.abc import Sequence

_MATH = (
    "acos acosh asin asinh atan atan2 atanh cbrt ceil copysign cos cosh erf erfc exp exp10 exp2 expm1 fabs floor fma fmax "
    "fmin fmod frexp hypot ldexp lgamma log log10 log1p log2 logb modf nearbyint pow remainder rint round roundeven scalbn "
    "sin sincos sinh sqrt tan tanh tgamma trunc"
).split()
_OTHER = (
    "abort abs bcmp calloc exit free isnan main malloc memccpy memchr memcmp memcpy memmove memset realloc strlen "
    "_edata _end _etext _fini _init _start"
).split()
_NAMES = frozenset([*_MATH, *(n + "f" for n in _MATH), *(n + "l" for n in _MATH), *_OTHER])
_PREFIXES = ("__", "omp_", "GOMP_", "llvm.", ".", "\1")
"""With a dot begin the names of sections and of the assembler's local labels; after a byte of 1 LLVM takes a name as it stands, so that it
may be that of another function."""

_OWNED = re.compile(r"_[A-Z].*", re.DOTALL)
"""Names that C leaves to implementations: LLVM and linkers know some, as `_GLOBAL_OFFSET_TABLE_`."""


def is_library_name(name: str) -> bool:
    """Returns whether the C library, the compiler's runtime, the OpenMP runtime, LLVM or the assembler may own a name."""
    return name in _NAMES or name.startswith(_PREFIXES) or _OWNED.fullmatch(name) is not None


_C_KEYWORDS = frozenset(
    "auto break case char const continue default do double else enum extern float for goto if inline int long register restrict "
    "return short signed sizeof static struct switch typedef union unsigned void volatile while bool true false nullptr "
    "typeof typeof_unqual alignas alignof constexpr static_assert thread_local asm class catch char8_t char16_t char32_t compl "
    "concept const_cast consteval constinit decltype delete dynamic_cast explicit export final friend mutable namespace new noexcept "
    "operator override private protected public reinterpret_cast requires static_cast template this throw try typeid typename using "
    "virtual wchar_t and and_eq bitand bitor not not_eq or or_eq xor xor_eq "
    "linux unix i386 complex noreturn math_errhandling errno assert stdin stdout stderr error params".split()
)
"""Keywords of C and C++, macros of compilers and headers, and what headers of libraries call arguments of their own."""

_C_OWNED = re.compile(r"relax_.*|.*_t")
"""Names of types and functions that headers of libraries define or include."""

_C_MACROS = re.compile(r"[A-Z0-9_]{2,}|I|M_[A-Z0-9].*|(PRI|SCN)[a-zA-Z].*|[LP]_(tmp|cterm|cuser).*|(s[ait]|sigev)_.*")
"""Names that headers may have macros of: any in capitals alone."""


def c_name(name: str, taken: set[str], suffixes: Sequence[str] = (), is_prefix: bool = False) -> str:
    """Returns an identifier of C and C++ for a name, and takes it; neither it was taken, nor what it is with one of the suffixes.

    Names in capitals alone are left to macros, but for a single letter, and for a prefix, which never stands alone.
    """
    stem = re.sub(r"[^A-Za-z0-9]+", "_", name).strip("_") or "_"
    if stem[0].isdecimal():
        stem = f"n{stem}"
    elif stem in _C_KEYWORDS or is_library_name(stem) or _C_OWNED.fullmatch(stem):
        stem = f"{stem}_"
    elif not is_prefix and _C_MACROS.fullmatch(stem):
        stem = f"{stem}_"
    made, number = stem, 0
    while not taken.isdisjoint((made, *(f"{made}{suffix}" for suffix in suffixes))):
        number += 1
        made = f"{stem}_{number}"
    taken.update((made, *(f"{made}{suffix}" for suffix in suffixes)))
    return made
