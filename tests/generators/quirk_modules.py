"""For each quirk of the reference in parameter lifting a module of which it gets a wrong result, or none, or says less than ours."""

from __future__ import annotations

SQUARE = 'R.Tensor((4, 4), "float32")'

CAST = f"b = R.match_cast(w, {SQUARE})\n            a = R.abs(b)"

TWO_FUNCTIONS = """
@I.ir_module
class Module:
    @R.function
    def f0(x: {t}, w: {t}, v: {t}):
        R.func_attr({{"num_input": 1}})
        with R.dataflow():
            {first}
            y = R.add(x, a)
            R.output(y)
        return y

    @R.function
    def f1(x: {t}, w: {t}, v: {t}):
        R.func_attr({{"num_input": 1}})
        with R.dataflow():
            {second}
            y = R.add(x, a)
            R.output(y)
        return y
"""

ONE_FUNCTION = """
@I.ir_module
class Module:
    @R.function(private=True)
    def inner(x: {t}, p: R.Tuple({t})):
        a = p[0]
        b = R.add(x, a)
        return b

    @R.function
    def main(x: {t}, w: {t}):
        cls = Module
        R.func_attr({{"num_input": 1}})
        with R.dataflow():
            {body}
            R.output(y)
        return y
"""

WITH_QUIRK: dict[str, tuple[str, str]] = {
    "a lifted value is returned": ("lift", ONE_FUNCTION.format(t=SQUARE, body="y = R.abs(w)")),
    "an expression occurs twice": (
        "lift-shared",
        TWO_FUNCTIONS.format(
            t=SQUARE,
            first="b = R.abs(w)\n            c = R.abs(w)\n            a = R.add(b, c)",
            second="a = R.abs(w)",
        ),
    ),
    "a size is a symbol": (
        "lift-shared",
        TWO_FUNCTIONS.format(t='R.Tensor(("n", 4), "float32")', first="a = R.abs(w)", second="a = R.abs(w)"),
    ),
    "match_cast": (
        "lift-shared",
        TWO_FUNCTIONS.format(t='R.Tensor("float32", ndim=2)', first=CAST, second=CAST),
    ),
    "no weight in common": (
        "lift-shared",
        TWO_FUNCTIONS.format(t=SQUARE, first="a = R.abs(w)", second="a = R.abs(v)"),
    ),
    "nothing reads stop_lift_params": (
        "lift",
        ONE_FUNCTION.format(t=SQUARE, body="a = R.builtin.stop_lift_params(w)\n            y = R.abs(x)"),
    ),
    "a tuple inside of a call": ("lift", ONE_FUNCTION.format(t=SQUARE, body="y = cls.inner(x, (w,))")),
    "effects in dataflow blocks": ("lazy-set", ONE_FUNCTION.format(t=SQUARE, body="y = R.add(x, w)")),
    "a tuple is returned by its name": (
        "lazy-set",
        f"""
@R.function
def main(x: {SQUARE}, w: {SQUARE}):
    R.func_attr({{"num_input": 1}})
    a = R.add(x, w)
    y = (a, x)
    return y
""",
    ),
}
"""The pair, and the module in TVM's script, by the quirk."""
