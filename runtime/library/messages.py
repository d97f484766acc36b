"""Errors of a call in C: for each check of a function the message that a call from Python has, with the values of the call."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TypeAlias

from ...dialects.symbolic.expressions import Apply, Known, Symbol, symbols
from ...dialects.symbolic.limits import MOST, MOST_BYTES, Check, SizeLimit, limit_symbols
from ...dialects.symbolic.order import range_of_clamped
from ...records import record
from ..executable.boundary import Boundary
from .c_text import approximation, expression, string


@record
class Value:
    """An expression of C in a message."""

    text: str
    format: str = "%lld"


Message: TypeAlias = Sequence[str | Value]
"""Text, and values between."""


class Messages:
    """The messages of one function."""

    def __init__(self, boundary: Boundary):
        self._boundary = boundary
        self._positions, self._origins = boundary.bindings()

    def violation(self, name: str) -> str:
        """Returns the function that says which check does not hold."""
        boundary = self._boundary
        cases = [*map(self._check, boundary.checks), *map(self._limit, boundary.limits)]
        lines = [
            line
            for number, case in enumerate(cases)
            for line in (f"  case {number}:", *(f"    {statement}" for statement in (*case, "break;")))
        ]
        sizes = self._where(symbols=boundary.shown_sizes())
        rest = self._fail(f"{boundary.name}: results and scratch memory do not fit 64 bits", *sizes)
        unused = [] if any("dims[" in line for line in (*lines, rest)) else ["  (void)dims;"]
        signature = f"static void {name}(int64_t check, const int64_t *dims, relax_error *error) {{"
        body = ["  switch (check) {", *lines, "  default:", f"    {rest}", "  }"]
        return "\n".join((signature, *unused, *body, "}", ""))

    def sizes(self, name: str) -> str:
        """Returns the function that ends a message with the sizes of a call."""
        signature = f"static void {name}(const int64_t *dims, char *text, size_t size) {{"
        message = self._where(symbols=self._boundary.shown_sizes())
        if not message:
            return f'{signature}\n  (void)dims;\n  snprintf(text, size, "%s", "");\n}}\n'
        return f"{signature}\n  snprintf(text, size, {_formatted(message)});\n}}\n"

    def conditions(self) -> list[str]:
        """Returns what a call expects of the sizes of its arguments, for people."""
        lines: list[str] = []
        for check in self._boundary.checks:
            expected, declared = check.expected, self._declared(check)
            ranges = None if isinstance(expected, int) else self._ranges(expected, declared)
            text = str(expected) if ranges is None else ranges.text(str(declared))
            lines.append(f"{self._boundary.place(check.argument, check.axis)}: {text}")
        return lines

    def _declared(self, check: Check) -> Known | None:
        leaf = self._boundary.inputs[check.argument]
        return leaf.dims[check.axis] if leaf.dims else None

    @staticmethod
    def _ranges(expected: Known, declared: Known | None):
        return range_of_clamped(expected, declared) if isinstance(declared, Symbol) else None

    def _check(self, check: Check) -> list[str]:
        boundary, expected, declared = self._boundary, check.expected, self._declared(check)
        got = Value(f"(long long)dims[{boundary.position(check.argument, check.axis)}]")
        place = f"{boundary.name}: argument {boundary.place(check.argument, check.axis)}"
        if isinstance(expected, int):
            return [self._fail(f"{place}: expected {expected}, got ", got)]
        ranges = self._ranges(expected, declared)
        if ranges is not None and isinstance(declared, Symbol):
            return [
                self._fail(f"{place}: expected {ranges.text(declared.name)}, got ", got, boundary.use(declared, ranges))
            ]
        lines = [
            f"if ({expression(divisor, self._positions)} < 1) {{\n"
            f"      {self._fail(f'{place}: a divisor in the size {size} is not positive', *self._named(expected))}\n"
            "      return;\n    }"
            for size, divisor in _divisors(expected)
        ]
        lines += self._if_large(
            expected, f"{place}: expected {expected}, which does not fit 64 bits", *self._named(expected), ", got ", got
        )
        source = ", ".join(dict.fromkeys(self._origins[name] for name in symbols(expected)))
        value = Value(f"(long long){expression(expected, self._positions)}")
        return [*lines, self._fail(f"{place}: expected {expected} = ", value, f" (from {source}), got ", got)]

    def _limit(self, limit: SizeLimit) -> list[str]:
        name = f"{self._boundary.name}: {limit.op}"
        named = self._where(symbols={symbol: self._positions[symbol] for symbol in sorted(limit_symbols(limit))})
        lines = [
            line
            for dim in limit.dims
            for line in self._if_large(dim, f"{name}: the size {dim} does not fit 64 bits", *named)
        ]
        if limit.width == 0:
            return lines
        factors = [f"relax_max_f({approximation(dim, self._positions)}, 1.0)" for dim in limit.dims]
        size = Value(" * ".join((f"{limit.width}.0", *factors)), "%.0f")
        shape = " x ".join(map(str, limit.dims))
        end = f", expected at most {MOST_BYTES}"
        return [
            *lines,
            self._fail(f"{name}: a tensor of {shape} elements would take ", size, " bytes", *named, end),
        ]

    def _if_large(self, dim: Known, *message: str | Value) -> list[str]:
        """Returns the statements that fail where a size, or what decides it, does not fit 64 bits."""
        return [
            f"if (relax_is_large({approximation(part, self._positions)})) {{\n      {self._fail(*message)}\n      return;\n    }}"
            for part in _compared(dim)
        ]

    def _named(self, expected: Known) -> list[str | Value]:
        return self._where(symbols={name: self._positions[name] for name in sorted(set(symbols(expected)))})

    @staticmethod
    def _where(symbols: dict[str, int]) -> list[str | Value]:
        parts: list[str | Value] = []
        for name, position in symbols.items():
            parts += [f"{', ' if parts else ' where '}{name} = ", Value(f"(long long)dims[{position}]")]
        return parts

    @staticmethod
    def _fail(*message: str | Value) -> str:
        return f"relax_fail(error, RELAX_BAD_ARGUMENT, {_formatted(message)});"


LARGE = f"""\
static int relax_is_large(double size) {{
  return size > {MOST}.0 || size < -{MOST}.0;
}}
"""
"""The function that says whether a size is out of range."""


def _formatted(message: Message) -> str:
    text = "".join(part.replace("%", "%%") if isinstance(part, str) else part.format for part in message)
    return ", ".join((string(text), *(part.text for part in message if isinstance(part, Value))))


def _divisors(dim: Known) -> Iterator[tuple[Known, Known]]:
    """Yields each quotient or remainder in a size whose divisor may not be positive, the innermost first, with the divisor."""
    if isinstance(dim, Apply):
        yield from _divisors(dim.lhs)
        yield from _divisors(dim.rhs)
        if dim.op in ("floordiv", "mod") and not (isinstance(dim.rhs, int) and dim.rhs > 0):
            yield dim, dim.rhs


def _compared(dim: Known, is_term: bool = False) -> Iterator[Known]:
    """Yields the parts of a size that must be in range; a term of a sum may be anything."""
    if isinstance(dim, Apply):
        is_sum = dim.op in ("+", "-", "*")
        yield from _compared(dim.lhs, is_sum)
        yield from _compared(dim.rhs, is_sum)
        if not is_term:
            yield dim
