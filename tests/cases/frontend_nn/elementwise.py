"""Cases of functions element by element."""

from __future__ import annotations

from harness.nn_arguments import X, Y, booleans, by_torch, floats, indices, op_case, positive
from harness.nn_cases import Arg, Case

CASES = [
    *(
        op_case(name, name, X)
        for name in ("exp", "square", "negative", "tanh", "sigmoid", "relu", "silu", "gelu", "relu6")
    ),
    *(op_case(name, name, positive("n", 4)) for name in ("log", "sqrt")),
    op_case("floor", "floor", X),
    *(op_case(name, name, X, floats(4)) for name in ("add", "subtract", "multiply", "maximum", "minimum")),
    op_case("divide", "divide", X, positive("n", 1)),
    *(op_case(name, name, X, Y) for name in ("less", "less_equal", "greater", "greater_equal", "not_equal")),
    op_case("equal", "eq", X, X),
    Case(
        "gelu-tanh",
        [X],
        lambda nn, x: nn.op.gelu(x, approximate="tanh"),
        lambda x: by_torch("gelu")(x, approximate="tanh"),
    ),
    Case("softplus-beta", [X], lambda nn, x: nn.op.softplus(x, 2.0, 1.5), lambda x: by_torch("softplus")(x, 2.0, 1.5)),
    op_case("softplus", "softplus", X),
    op_case("prelu", "prelu", X, floats(4)),
    Case("softmax", [X], lambda nn, x: nn.op.softmax(x, axis=0), lambda x: x.softmax(0)),
    Case("astype", [X], lambda nn, x: nn.op.astype(x * 10.0, "int32"), lambda x: (x * 10).int(), dtypes=["float32"]),
    Case(
        "astype-same", [Arg([4], "float32")], lambda nn, x: nn.op.astype(x, "float32"), lambda x: x, dtypes=["float32"]
    ),
    op_case("where", "where", booleans("n", 1), X, Y),
    Case(
        "where-int",
        [indices(2, "n", 1), X, Y],
        lambda nn, c, x, y: nn.op.where(c, x, y),
        lambda c, x, y: by_torch("where")(c != 0, x, y),
    ),
    Case(
        "operators",
        [X, Y],
        lambda nn, x, y: (
            x + y,
            x - y,
            x * y,
            x / (y * y + 1.0),
            2.0 - x,
            1 + x,
            3 * x,
            x < y,
            x <= 0.1,
            x > y,
            x >= 0,
        ),
        lambda x, y: (
            x + y,
            x - y,
            x * y,
            x / (y * y + 1),
            2 - x,
            1 + x,
            3 * x,
            x < y,
            x <= 0.1,
            x > y,
            x >= 0,
        ),
    ),
    Case("rtruediv", [positive("n")], lambda nn, x: 1.5 / x, lambda x: 1.5 / x, differs="TVM has no such operator"),
    Case(
        "pow", [positive("n")], lambda nn, x: x**2 + 2.0**x, lambda x: x**2 + 2.0**x, differs="TVM has no such operator"
    ),
    Case(
        "floordiv",
        [positive("n")],
        lambda nn, x: x // 0.75 + 4.0 // x,
        lambda x: x // 0.75 + 4.0 // x,
        differs="TVM has no such operator",
    ),
    Case(
        "mod",
        [positive("n")],
        lambda nn, x: -x % 2.0 + 4.0 % x,
        lambda x: -x % 2.0 + 4.0 % x,
        differs="TVM has no such operator",
    ),
    Case("abs-operator", [positive("n")], lambda nn, x: abs(-x), lambda x: abs(-x), differs="TVM has no such operator"),
    Case(
        "methods",
        [X, Y],
        lambda nn, x, y: (
            x.astype("float32"),
            x.maximum(y),
            x.minimum(0.5),
            x.reshape(4, 3),
            x.permute_dims(1, 0),
            x.repeat(2, 1),
        ),
        lambda x, y: (x, x.maximum(y), x.clamp(max=0.5), x.reshape(4, 3), x.T, x.repeat_interleave(2, 1)),
        dtypes=["float32", "float16"],
    ),
]
