"""Tells how xDSL's classes, and what they parse, print and verify, change in a process that uses this package.

Run as a program, in a process of its own: prints a line for each change, and nothing if there is none; behind a line of `PLANTED`, what it
finds of a change that it makes then.
"""

from __future__ import annotations

import contextlib
import importlib
import io
import pkgutil
import sys
import tempfile
from pathlib import Path
from types import ModuleType
from typing import Any

from xdsl.context import Context
from xdsl.dialects import arith, get_all_dialects
from xdsl.ir import Dialect, Operation
from xdsl.irdl import IRDLOperation
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.transforms import get_all_passes

ROOMS = (
    "dialects",
    "interpreter",
    "passes",
    "lowering",
    "targets",
    "runtime",
    "frontend",
    "tools",
    "builder",
    "universe",
)
PLANTED = "a change is planted"
OPTIONAL = "xdsl_relax.frontend.tvm"
"""Imports TVM, which may not be installed."""

TEXTS = {
    "select": """func.func @f(%c: i1, %a: vector<4xf32>) -> vector<4xf32> {
  %r = arith.select %c, %a, %a {note = 1 : i32} : vector<4xf32>
  return %r : vector<4xf32>
}""",
    "select of lanes": """func.func @f(%c: vector<4xi1>, %a: vector<4xf32>) {
  %r = arith.select %c, %a, %a : vector<4xi1>, vector<4xf32>
  return
}""",
    "select of lanes in generic form": """func.func @f(%c: vector<4xi1>, %a: vector<4xf32>) {
  %r = "arith.select"(%c, %a, %a) : (vector<4xi1>, vector<4xf32>, vector<4xf32>) -> vector<4xf32>
  return
}""",
    "comparison": "func.func @f(%a: i32) {\n  %r = arith.cmpi slt, %a, %a : i32\n  return\n}",
    "comparison of lanes": "func.func @f(%a: vector<4xi32>) {\n  %r = arith.cmpi slt, %a, %a : vector<4xi32>\n  return\n}",
    "comparison of float lanes": """func.func @f(%a: vector<4xf32>) {
  %r = "arith.cmpf"(%a, %a) <{predicate = 1 : i64}> : (vector<4xf32>, vector<4xf32>) -> vector<4xi1>
  return
}""",
    "cast": "func.func @f(%a: i32) {\n  %r = arith.trunci %a : i32 to i8\n  return\n}",
    "cast that widens": "func.func @f(%a: i8) {\n  %r = arith.trunci %a : i8 to i32\n  return\n}",
    "cast of lanes": "func.func @f(%a: vector<4xi32>) {\n  %r = arith.sitofp %a : vector<4xi32> to vector<4xf32>\n  return\n}",
    "call": "func.func @f(%a: i32) {\n  func.call @f(%a) : (i32) -> ()\n  return\n}",
    "call of another type": "func.func @f(%a: i32) {\n  func.call @f(%a) : (i32) -> i32\n  return\n}",
    "generic with two results": """func.func @f(%a: tensor<4xf32>) {
  %r:2 = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
      outs(%a, %a : tensor<4xf32>, tensor<4xf32>) {
  ^bb0(%x: f32, %y: f32):
    linalg.yield %x, %y : f32, f32
  } -> (tensor<4xf32>, tensor<4xf32>)
  return
}""",
    "product with maps": """func.func @f(%a: tensor<4x4xf32>) {
  %r = linalg.matmul ins(%a, %a : tensor<4x4xf32>, tensor<4x4xf32>) outs(%a : tensor<4x4xf32>) -> tensor<4x4xf32>
  return
}""",
    "pad": """func.func @f(%a: tensor<?xf32>, %n: index, %v: f32) {
  %r = tensor.pad %a low[%n] high[0] {
  ^bb0(%i: index):
    tensor.yield %v : f32
  } : tensor<?xf32> to tensor<9xf32>
  return
}""",
    "bits": "func.func @f() {\n  %r = arith.constant dense<0x7F> : tensor<2xi8>\n  return\n}",
    "bits of a float": "func.func @f() {\n  %r = arith.constant dense<0xFF800000> : tensor<f32>\n  return\n}",
    "named op": "func.func @f(%a: tensor<4xf32>) {\n  %r = linalg.exp ins(%a : tensor<4xf32>) outs(%a : tensor<4xf32>) -> tensor<4xf32>\n  return\n}",
    "llvm select": "func.func @f(%c: i1, %a: f32) {\n  %r = llvm.select %c, %a, %a : i1, f32\n  return\n}",
    "error": "func.func @f() {\n  %r = arith.addi %x, %x\n  return\n}",
}

PROGRAM = """func.func private @rows(%x: tensor<?x8xf32, #relax.sym<n>>) -> tensor<?x8xf32, #relax.sym<n>> {
  %y = relax.nn.softmax %x : (tensor<?x8xf32, #relax.sym<n>>) -> tensor<?x8xf32, #relax.sym<n>>
  return %y : tensor<?x8xf32, #relax.sym<n>>
}
func.func @main(%x: tensor<?x8xf32, #relax.sym<k>>, %i: tensor<?x8xi32, #relax.sym<k>>) -> tensor<?x8xf32, #relax.sym<k>> {
  %y = func.call @rows(%x) : (tensor<?x8xf32, #relax.sym<k>>) -> tensor<?x8xf32, #relax.sym<k>>
  %c = relax.constant {value = dense<2.0> : tensor<8xf32>} : () -> tensor<8xf32>
  %d = relax.multiply %c, %c : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  %z = relax.add %y, %d : (tensor<?x8xf32, #relax.sym<k>>, tensor<8xf32>) -> tensor<?x8xf32, #relax.sym<k>>
  %f = relax.astype %i {dtype = f32} : (tensor<?x8xi32, #relax.sym<k>>) -> tensor<?x8xf32, #relax.sym<k>>
  %p = relax.nn.relu %f : (tensor<?x8xf32, #relax.sym<k>>) -> tensor<?x8xf32, #relax.sym<k>>
  %r = relax.add %z, %p : (tensor<?x8xf32, #relax.sym<k>>, tensor<?x8xf32, #relax.sym<k>>) -> tensor<?x8xf32, #relax.sym<k>>
  return %r : tensor<?x8xf32, #relax.sym<k>>
}
"""


def dialects() -> dict[str, Dialect]:
    """Returns all dialects of xDSL, loaded."""
    return {name: factory() for name, factory in get_all_dialects().items()}


def behavior(text: str) -> str:
    """Returns what an embedder's own context makes of a text: the text as printed, in both forms, or the error."""
    ctx = Context()
    for name, factory in get_all_dialects().items():
        ctx.register_dialect(name, factory)
    try:
        module = Parser(ctx, text).parse_module()
        module.verify()
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    stream = io.StringIO()
    Printer(stream=stream, print_generic_format=True).print_op(module)
    return f"{module}\n{stream.getvalue()}"


def members(value: Any) -> dict[str, Any]:
    """Returns what a class or module holds, by name."""
    return {name: member for name, member in vars(value).items() if not name.startswith("_abc_")}


def definition(op: type[Operation]) -> dict[str, Any]:
    """Returns what the verifier of an op asks, as text: a list that is changed in place is another text."""
    if not issubclass(op, IRDLOperation):
        return {}
    irdl = op.get_irdl_definition()
    return {
        "definition": repr([irdl.operands, irdl.results, irdl.attributes, irdl.properties, irdl.regions, irdl.options]),
        "traits": sorted(map(repr, irdl.traits.traits)),
    }


def snapshot() -> dict[str, Any]:
    """Returns the members of all modules and classes of xDSL that are imported, the definitions of its ops, and what texts become."""
    state: dict[str, Any] = {}
    for name, module in sorted(sys.modules.items()):
        if name.split(".")[0] != "xdsl" or not isinstance(module, ModuleType):
            continue
        for member, value in members(module).items():
            if member.startswith("__") or isinstance(value, ModuleType):
                continue
            state[f"{name}.{member}"] = value
            if isinstance(value, type) and value.__module__ == name:
                state |= {f"{name}.{member}.{inner}": held for inner, held in members(value).items()}
    for dialect in dialects().values():
        for op in dialect.operations:
            state |= {f"{op.name} {aspect}": text for aspect, text in definition(op).items()}
        state[f"dialect {dialect.name}"] = [*dialect.operations, *dialect.attributes]
    return {**state, **{f"text {name}": behavior(text) for name, text in TEXTS.items()}}


def use_everything() -> None:
    """Imports this package and all of its modules, loads a program, compiles, runs, interprets it, and drives the tools."""
    import numpy as np
    import xdsl_relax
    from xdsl_relax.interpreter.engine import Interpreter
    from xdsl_relax.tools import relax_opt, relax_run

    for room in ROOMS:
        module = importlib.import_module(f"xdsl_relax.{room}")
        for inner in pkgutil.walk_packages(getattr(module, "__path__", []), f"{module.__name__}."):
            if not inner.name.startswith(OPTIONAL):
                importlib.import_module(inner.name)
    program = xdsl_relax.load(PROGRAM)
    x, i = np.ones((3, 8), np.float32), np.ones((3, 8), np.int32)
    np.testing.assert_allclose(
        xdsl_relax.compile(program)["main"](x, i), Interpreter(program).call("main", x, i)[0], 1e-5
    )
    with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(io.StringIO()):
        file = Path(folder) / "program.mlir"
        file.write_text(PROGRAM)
        if relax_opt.main([str(file), "-p", "llvm"]) or relax_run.main([str(file), "--check"]):
            raise RuntimeError("a tool failed")


def changes(before: dict[str, Any], after: dict[str, Any]) -> list[str]:
    """Returns the names of what was there before and is another thing now, or gone, and what is new in a class."""
    different = [name for name, value in before.items() if name not in after or not same(value, after[name])]
    classes = {name for name, value in before.items() if isinstance(value, type)}
    return different + [name for name in after.keys() - before.keys() if name.rpartition(".")[0] in classes]


def same(before: Any, after: Any) -> bool:
    """Returns whether two members are one object, or equal texts or lists."""
    return before is after or (type(before) is type(after) and isinstance(before, str | list) and before == after)


def main() -> None:
    dialects()
    for factory in get_all_passes().values():
        factory()
    # What xDSL fills at the first use is there before we look.
    snapshot()
    before = snapshot()
    use_everything()
    used = snapshot()
    print(*changes(before, used), PLANTED, sep="\n")
    operands = arith.SelectOp.get_irdl_definition().operands
    operands[0] = ("cond", operands[1][1])
    print(*changes(used, snapshot()), sep="\n")


if __name__ == "__main__":
    main()
