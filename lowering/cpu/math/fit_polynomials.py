"""Fits the polynomials of `coefficients.py`; run `python -m xdsl_relax.lowering.cpu.math.fit_polynomials` to print it.

Each polynomial minimizes a weighted square error at Chebyshev nodes, in 80-digit arithmetic. Coefficients are rounded to
the working format one by one, lowest order first, and the remaining ones are fitted again after each rounding, so that
the rounding errors of the large coefficients are compensated. mpmath (a dependency of sympy) is needed.
"""

from __future__ import annotations

import struct
import sys
from collections.abc import Callable, Sequence
from typing import Any

import mpmath as mp

from ....records import record

mp.mp.dps = 80

Number = Any
Function = Callable[[Number], Number]


@record
class Fit:
    """A polynomial for `target` on [low, high]; the error times `weight` should stay below 2**-bits per format.

    `bits` maps a format (f32; f64; lite: f64 arithmetic for f32 results) to the accuracy; `fixed` are the exact first
    coefficients.
    """

    name: str
    target: Function
    weight: Function
    low: Number
    high: Number
    bits: dict[str, int]
    fixed: tuple[float, ...] = ()


def _round(value: Number, single: bool) -> float:
    number = float(value)
    return struct.unpack("f", struct.pack("f", number))[0] if single else number


def _nodes(low: Number, high: Number, count: int) -> list[Number]:
    middle, half = (low + high) / 2, (high - low) / 2
    return [middle + half * mp.cos(mp.pi * (2 * i + 1) / (2 * count)) for i in range(count)]


def fit(target: Function, weight: Function, low: Number, high: Number, known: list[float], degree: int, single: bool):
    """Returns the coefficients and the largest weighted error."""
    nodes = _nodes(low, high, 3 * (degree + 1) + (degree + 1) % 2)
    values = [target(x) for x in nodes]
    weights = [weight(x) for x in nodes]
    coefficients = list(known)
    while len(coefficients) <= degree:
        free = range(len(coefficients), degree + 1)
        rows = [[w * x**k for k in free] for x, w in zip(nodes, weights, strict=True)]
        rest = [
            w * (v - sum(c * x**k for k, c in enumerate(coefficients)))
            for x, v, w in zip(nodes, values, weights, strict=True)
        ]
        matrix = mp.matrix([[sum(r[i] * r[j] for r in rows) for j in range(len(free))] for i in range(len(free))])
        right = mp.matrix([sum(r[i] * b for r, b in zip(rows, rest, strict=True)) for i in range(len(free))])
        solution = mp.lu_solve(matrix, right)
        coefficients.append(_round(solution[0], single))
        if not single and len(coefficients) > 6:
            # Only the rounding of the leading coefficients matters in double precision.
            coefficients.extend(_round(c, single) for c in list(solution)[1:])
    error = max(
        abs(w * (v - sum(c * x**k for k, c in enumerate(coefficients))))
        for x, v, w in zip(nodes, values, weights, strict=True)
    )
    return coefficients, error


def smallest(spec: Fit, kind: str) -> tuple[list[float], Number]:
    """Returns the polynomial of the lowest degree that reaches the accuracy."""
    goal = mp.mpf(2) ** -spec.bits[kind]
    best: tuple[list[float], Number] | None = None
    for degree in range(max(2, len(spec.fixed), spec.bits[kind] // 12), 32):
        candidate = fit(spec.target, spec.weight, spec.low, spec.high, list(spec.fixed), degree, kind == "f32")
        if candidate[1] < goal:
            return candidate
        if best is None or candidate[1] < best[1]:
            best = candidate
    raise ValueError(f"no polynomial for {spec.name} {kind} reaches 2**-{spec.bits[kind]}; best {best}")


def _odd_rest(function: Function) -> Function:
    """Returns `(f(x) / x - 1) / x**2` in z = x**2."""
    return lambda z: (function(mp.sqrt(z)) / mp.sqrt(z) - 1) / z


def _log_ratio(s: Number) -> Number:
    return mp.log((1 + s) / (1 - s))


def _one(_: Number) -> Number:
    return mp.mpf(1)


_LN2 = mp.log(2)
_S = (mp.sqrt(2) - 1) / (mp.sqrt(2) + 1) * mp.mpf("1.0001")
_Q = (mp.pi / 4) ** 2 * mp.mpf("1.001")
_ALL = {"f32": 27, "f64": 57, "lite": 34}

FITS = [
    Fit("EXP", mp.exp, _one, -_LN2 / 2 * mp.mpf("1.001"), _LN2 / 2 * mp.mpf("1.001"),
        {"f32": 27, "f64": 56, "lite": 34}, (1.0, 1.0)),
    Fit("EXP2", lambda r: mp.mpf(2) ** r, _one, mp.mpf("-0.5001"), mp.mpf("0.5001"),
        {"f32": 27, "f64": 56, "lite": 34}, (1.0,)),
    Fit("EXPM1", lambda r: (mp.exp(r) - 1 - r) / r**2, lambda r: r, -_LN2 / 2 * mp.mpf("1.001"),
        _LN2 / 2 * mp.mpf("1.001"), _ALL, (0.5,)),
    Fit("LOG", lambda f: (mp.log1p(f) - f + f * f / 2) / f**3, lambda f: f * f, mp.sqrt(mp.mpf("0.5")) - 1,
        mp.sqrt(2) - 1, {"f32": 28, "lite": 38}),
    Fit("LOG_RATIO", lambda z: (_log_ratio(mp.sqrt(z)) / mp.sqrt(z) - 2) / z, lambda z: z / 2, mp.mpf(0), _S**2,
        {"f64": 60}),
    Fit("LOG_RATIO_TAIL", lambda z: (_log_ratio(mp.sqrt(z)) / mp.sqrt(z) - 2 - 2 * z / 3) / z**2,
        lambda z: z**2 / 2, mp.mpf(0), _S**2, {"f64": 69}),
    Fit("TANH", _odd_rest(mp.tanh), lambda z: z, mp.mpf(0), mp.mpf("0.625") ** 2, _ALL),
    Fit("SINH", _odd_rest(mp.sinh), lambda z: z, mp.mpf(0), mp.mpf(1), {"f64": 57, "lite": 34}),
    Fit("ERF", lambda z: mp.erf(mp.sqrt(z)) / mp.sqrt(z) - 1, _one, mp.mpf(0), mp.mpf(1), {"f32": 27, "f64": 56}),
    Fit("SIN", _odd_rest(mp.sin), lambda z: z, mp.mpf(0), _Q, _ALL),
    Fit("COS", lambda z: (mp.cos(mp.sqrt(z)) - 1 + z / 2) / z**2, lambda z: z**2, mp.mpf(0), _Q, _ALL),
    Fit("ATAN", _odd_rest(mp.atan), lambda z: z, mp.mpf(0), mp.tan(mp.pi / 8) ** 2 * mp.mpf("1.001"),
        {"f64": 57, "lite": 34}),
    Fit("ASIN", _odd_rest(mp.asin), lambda z: z, mp.mpf(0), mp.mpf("0.25"), {"f64": 57, "lite": 34}),
    Fit("INVERSE_CBRT", lambda m: m ** (mp.mpf(-1) / 3), lambda m: m ** (mp.mpf(1) / 3), mp.mpf(1), mp.mpf(2),
        {"f64": 15, "lite": 15}),
    # In t = x - 1: the largest term near x = 1, where erfc weighs most, is the constant.
    Fit("ROOT_ERFC", lambda t: mp.sqrt(mp.erfc(t + 1)), lambda t: 2 * mp.sqrt(mp.erfc(t + 1)), mp.mpf(0), mp.mpf("2.95"),
        {"f32": 27}),
    Fit("LOG_ERFC", lambda t: mp.log(mp.erfc(t + 1)), lambda t: mp.erfc(t + 1), mp.mpf(0), mp.mpf(5), {"f64": 56}),
]  # fmt: skip


PIECES = 16
PIECES_PER_UNIT = 3.875
LIMIT = 3.99
"""From where on erf rounds to 1, and which rounds to the last of the pieces."""
SHIFT = 0.2
"""How far centers are below the middle, as results below them are smaller and must be more accurate."""


def _center(piece: int) -> tuple[float, float]:
    """Returns an f32 near the middle of a piece whose erf is as near to an f32 as can be, and the latter."""
    if piece == 0:
        return 0.0, 0.0
    best: tuple[Number, float, float] | None = None
    for step in range(-400, 401):
        center = _round((piece - SHIFT) / PIECES_PER_UNIT + step * 1e-5, True)
        exact = mp.erf(center)
        near = _round(exact, True)
        if best is None or abs(exact - near) / exact < best[0]:
            best = abs(exact - near) / exact, center, near
    assert best is not None
    return best[1:]


def erf_pieces() -> list[tuple[float, float, list[float]]]:
    """Returns center, erf of it, and the coefficients of `(erf(c + t) - erf(c)) / t`, or `(erf(t) - t) / t` for c = 0, for each piece."""
    pieces: list[tuple[float, float, list[float]]] = []
    for piece in range(PIECES):
        center, value = _center(piece)
        exact = mp.mpf(center)
        low = mp.mpf(max(piece - 0.5, 0)) / PIECES_PER_UNIT - exact
        high = mp.mpf(piece + 0.5) / PIECES_PER_UNIT - exact
        if piece:
            coefficients, _ = fit(
                lambda t, c=exact: mp.erf(c + t), lambda t, c=exact: 1 / mp.erf(c + t), low, high, [value], 6, True
            )
            pieces.append((center, value, coefficients[1:]))
        else:
            coefficients, _ = fit(lambda t: mp.erf(t) / t - 1, _one, low, high, [], 5, True)
            pieces.append((center, value, coefficients))
    return pieces


def _print_numbers(numbers: Sequence[float], indent: str) -> None:
    for number in numbers:
        print(f"{indent}{number!r},")


def _print_pieces() -> None:
    pieces = erf_pieces()
    print(f"ERF_PIECES_PER_UNIT = {PIECES_PER_UNIT}\nERF_LIMIT = {LIMIT}")
    for name, numbers in (("ERF_CENTERS", [p[0] for p in pieces]), ("ERF_AT_CENTERS", [p[1] for p in pieces])):
        print(f"{name} = (")
        _print_numbers(numbers, "    ")
        print(")")
    print("ERF_COLUMNS = (")
    for column in zip(*(p[2] for p in pieces), strict=True):
        print("    (")
        _print_numbers(column, "        ")
        print("    ),")
    print(")")


def main() -> None:
    print('"""Polynomials, lowest order first, as `fit_polynomials.py` prints them: do not edit."""\n')
    print("from __future__ import annotations\n")
    tables: dict[str, dict[str, tuple[list[float], Number]]] = {}
    for spec in FITS:
        for kind in spec.bits:
            tables.setdefault(spec.name, {})[kind] = smallest(spec, kind)
            print(spec.name, kind, len(tables[spec.name][kind][0]), file=sys.stderr, flush=True)
    for name, kinds in tables.items():
        print(f"{name} = {{")
        for kind, (coefficients, error) in kinds.items():
            print(f"    # error 2**{float(mp.log(error, 2)):.1f}")
            print(f'    "{kind}": (')
            for c in coefficients:
                print(f"        {c!r},")
            print("    ),")
        print("}")
    _print_pieces()


if __name__ == "__main__":
    main()
