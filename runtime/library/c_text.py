"""Pieces of C: strings, arrays, and sizes as expressions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from ...dialects.symbolic.expressions import Apply, Known

_CALLS = {"floordiv": "relax_floordiv", "mod": "relax_mod", "min": "relax_min", "max": "relax_max"}


def string(text: str) -> str:
    """Returns a string literal of ASCII; what is none is written as bytes of UTF-8."""
    # Octal, as hexadecimal escapes take all digits that follow.
    plain = "".join(
        chr(byte) if 32 <= byte < 127 and byte not in b'"\\?' else f"\\{byte:03o}" for byte in text.encode()
    )
    return f'"{plain}"'


def comment(text: str) -> str:
    """Returns text that may stand in a comment."""
    return text.replace("*/", "* /").replace("/*", "/ *")


def array(kind: str, name: str, items: Iterable[str]) -> str:
    """Returns the definition of a constant array, with an element that nobody reads where there are none."""
    lines = list(items) or ["{0}" if kind.startswith("relax_") and not kind.endswith("*") else "0"]
    return f"static const {kind} {name}[] = {{\n" + "".join(f"  {line},\n" for line in lines) + "};\n"


def integer(value: int) -> str:
    """Returns a number of 64 bits."""
    return f"INT64_C({value})" if abs(value) < 1 << 63 else "INT64_MIN"


def expression(dim: Known, positions: Mapping[str, int]) -> str:
    """Returns the value of a size as an expression of `int64_t`, that of a symbol standing in `dims`."""
    if isinstance(dim, int):
        return integer(dim)
    if not isinstance(dim, Apply):
        return f"dims[{positions[str(dim)]}]"
    lhs, rhs = expression(dim.lhs, positions), expression(dim.rhs, positions)
    return f"{_CALLS[dim.op]}({lhs}, {rhs})" if dim.op in _CALLS else f"({lhs} {dim.op} {rhs})"


def approximation(dim: Known, positions: Mapping[str, int]) -> str:
    """Returns the value of a size as an expression of `double`, which holds what 64 bits do not."""
    if isinstance(dim, int):
        return f"{dim}.0"
    if not isinstance(dim, Apply):
        return f"(double)dims[{positions[str(dim)]}]"
    lhs, rhs = approximation(dim.lhs, positions), approximation(dim.rhs, positions)
    return f"{_CALLS[dim.op]}_f({lhs}, {rhs})" if dim.op in _CALLS else f"({lhs} {dim.op} {rhs})"


def uses_helpers(text: str) -> list[str]:
    """Returns the functions of sizes that a piece of C calls."""
    return [name for call in _CALLS.values() for name in (call, f"{call}_f") if f"{name}(" in text]


HELPERS: Mapping[str, str] = {
    "relax_floordiv": """\
static int64_t relax_floordiv(int64_t a, int64_t b) {
  return b < 1 ? 0 : a / b - (a % b < 0);
}
""",
    "relax_mod": """\
static int64_t relax_mod(int64_t a, int64_t b) {
  return b < 1 ? 0 : a % b + (a % b < 0 ? b : 0);
}
""",
    "relax_min": """\
static int64_t relax_min(int64_t a, int64_t b) {
  return a < b ? a : b;
}
""",
    "relax_max": """\
static int64_t relax_max(int64_t a, int64_t b) {
  return a > b ? a : b;
}
""",
    "relax_floordiv_f": """\
static double relax_floordiv_f(double a, double b) {
  double quotient = a / (b < 1 ? 1 : b);
  if (quotient >= 4503599627370496.0 || quotient <= -4503599627370496.0) {
    return quotient;
  }
  double whole = (double)(int64_t)quotient;
  return whole > quotient ? whole - 1 : whole;
}
""",
    "relax_mod_f": """\
static double relax_mod_f(double a, double b) {
  double divisor = b < 1 ? 1 : b;
  return a - divisor * relax_floordiv_f(a, divisor);
}
""",
    "relax_min_f": """\
static double relax_min_f(double a, double b) {
  return a < b ? a : b;
}
""",
    "relax_max_f": """\
static double relax_max_f(double a, double b) {
  return a > b ? a : b;
}
""",
}
"""Functions of sizes, as the algebra of symbolic sizes defines them; 0 where the divisor is not positive, which is said before."""
