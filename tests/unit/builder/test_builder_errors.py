"""The public builder: how each wrong call is refused."""

from __future__ import annotations

import numpy as np
import pytest
from xdsl.dialects.builtin import StringAttr
from xdsl.ir import Block, SSAValue
from xdsl.utils.exceptions import VerifyException
from xdsl_relax.builder import (
    BlockBuilder,
    BuilderError,
    ModuleBuilder,
    UnknownOpError,
    device,
    shape,
    sizes_of,
    sym,
    tensor,
)
from xdsl_relax.dialects.relax.program import verify_program
from xdsl_relax.dialects.upstream.func_ops import CallOp
from xdsl_relax.dialects.upstream.located_parser import parse_module
from xdsl_relax.runtime.compiler import relax_context

BUILDERS = {"BlockBuilder": BlockBuilder, "ModuleBuilder": ModuleBuilder, "Block": Block, "tensor": tensor, "np": np}
MATMUL = "it is called matmul(lhs, rhs, *, out_dtype: dtype = ...)"
SOFTMAX = "it is called nn.softmax(x, *, axis: int = ...)"

REFUSED = {
    "tensor([2], 'f32', 5)": "tensor takes a string as 'device', got 5",
    "tensor(3, 'f32')": "tensor takes a list of sizes or an array or None as 'dims', got 3",
    "tensor([2])": "tensor: missing a required argument: 'element'; it is called tensor(dims, element, device=None)",
    "shape(None)": "shape takes a list of sizes as 'dims', got None",
    "sym('a b')": "expected the name of a symbol (ASCII letters, digits and '_'), got 'a b'",
    "sym(3)": "sym takes a string as 'name', got 3",
    "device(3)": "device takes a string as 'label', got 3",
    "sizes_of(3)": "sizes_of takes a value or a type or attribute as 'value', got 3",
    "BlockBuilder(3)": "a builder takes a Block or an InsertPoint or a Builder as 'place', got 3",
    "g.sum(x, axis={0: 1})": "relax.sum takes a list of integers as 'axis', got {0: 1}; "
    "it is called sum(x, *, axis: ints = ..., keepdims: bool = ...)",
    "g.concat(tensors=3)": "relax.concat takes a list of values as 'tensors', got 3; it is called concat(*tensors, axis: int = ...)",
    "g.op(None, x)": "op takes a string or a class derived from RelaxOp as 'op', got None",
    "g.op(int, x)": "op takes a string or a class derived from RelaxOp as 'op', got <class 'int'>",
    "g.results(int, x)": "results takes a string or a class derived from RelaxOp as 'op', got <class 'int'>",
    "g.insert('x')": "insert takes an op or a function as 'op', got 'x'",
    "g.image(x)": "'image' is no op, but has some: image.resize2d",
    "g.add(x, x, attributes={3: None})": "attributes takes a dict of types or attributes, got {3: None}",
    "g.inner(3)": "inner takes a Block as 'block', got 3",
    "g.if_(None, lambda g: x, lambda g: x)": "if_ takes a value as 'condition', got None",
    "g.if_(g.constant(True), None, lambda g: x)": "if_ takes a function as 'then', got None",
    "g.if_(g.constant(True))": "if_: missing a required argument: 'then'; "
    "it is called if_(condition, then, otherwise, *, name=None, location=None)",
    "g.if_(g.constant(True), lambda: x, lambda g: x)": "a branch of scf.if must take a builder: "
    "<lambda>() takes 0 positional arguments but 1 was given",
    "g.while_(x, lambda g, y: g.constant(True), lambda g, y: y)": "while_ takes a list of values as 'initial', "
    "got tensor<?x8xf32, #relax.sym<n>>",
    "g.while_([x], lambda g: g.constant(True), lambda g, y: y)": "the condition of scf.while must take a builder and values (1): "
    "<lambda>() takes 1 positional argument but 2 were given",
    "g.while_([x], lambda g, y: None, lambda g, y: y)": "the condition of scf.while must be an i1 or a tensor<i1>, got None",
    "g.matmul(x)": f"relax.matmul needs the operand 'rhs', a tensor; {MATMUL}",
    "g.matmul()": f"relax.matmul needs the operand 'lhs', a tensor; {MATMUL}",
    "g.matmul(rhs=x)": f"relax.matmul needs the operand 'lhs', a tensor; {MATMUL}",
    "g.matmul(x, x, x)": f"relax.matmul takes 2 operands, got 3; {MATMUL}",
    "g.matmul(x, x, lhs=x)": f"relax.matmul takes 1 operand beside 'lhs', got 2; {MATMUL}",
    "g.matmul(x, x, out_type='f32')": f"relax.matmul has no argument 'out_type', did you mean 'out_dtype'?; {MATMUL}",
    "g.matmul(x, x, zzz=1)": f"relax.matmul has no argument 'zzz'; {MATMUL}",
    "g.matmul(x, x, out_dtype='f33')": f"relax.matmul takes an element type as 'out_dtype', got 'f33'; {MATMUL}",
    "g.matmul(x, 1.0)": "relax.matmul: matmul_c3: operands must have rank 1 or more, got 2 and 0",
    "g.sofmax(x)": "there is no op 'sofmax', did you mean 'nn.softmax'?",
    "g.imag.resize2d(x)": "there is no op 'imag', did you mean 'image'?",
    "g.concat([x, x])": "relax.concat cannot take [<BlockArgument[tensor<?x8xf32, #relax.sym<n>>] name_hint: N... as 'tensors': "
    "expected a tensor; give each of them as an operand of its own; it is called concat(*tensors, axis: int = ...)",
    "tensor(['n+'], 'f32')": "expected a size such as 'n' or '2 * n + 1', got 'n+': "
    "expected a dimension: an integer, a symbol, '(' or '?'",
    "g.matmul(x, g.shape(8))": f"relax.matmul takes a tensor as 'rhs', got !relax.shape<[8]>; {MATMUL}",
    "g.matmul(x, w)": "relax.matmul: matmul_c2: contraction dimensions differ: lhs has 8, rhs has 4",
    "g.nn.softmax(x, axis='last')": f"relax.nn.softmax takes an integer as 'axis', got 'last'; {SOFTMAX}",
    "g.nn.softmax(x, axis=True)": f"relax.nn.softmax takes an integer as 'axis', got True; {SOFTMAX}",
    "g.nn.softmax(x, axis=2)": "relax.nn.softmax: softmax_c2: axis must be in [-2, 2) for rank 2, got 2",
    "g.nn.softmx(x)": "there is no op 'nn.softmx', did you mean 'nn.softmax'?",
    "g.softmax(x)": "there is no op 'softmax', did you mean 'nn.softmax'?",
    "g.op('relax.softmx', x)": "there is no op 'relax.softmx', did you mean 'nn.softmax'?",
    "g.zzz(x)": "there is no op 'zzz'",
    "g.add(x, x, name=3)": "name takes a string or a list of strings, got 3",
    "g.add(x, x, name=[3])": "name takes a string or a list of strings, got [3]",
    "g.add(x, x, nmae='y')": "relax.add has no argument 'nmae'; it is called add(lhs, rhs)",
    "g.add(x, x, location=3)": "location takes a location or a string, got 3",
    "g.add(x, x, result_types=3)": "result_types takes a list of types or attributes, got 3",
    "g.add(x, x, attributes=3)": "attributes takes a dict of types or attributes, got 3",
    "g.permute_dims(x, axes=[10**30, 0])": "relax.permute_dims takes a list of integers as 'axes', "
    "got [1000000000000000000000000000000, 0]; it is called permute_dims(x, *, axes: ints = ...)",
    "g.nn.softmax(x, axis=2**63)": f"relax.nn.softmax takes an integer as 'axis', got 9223372036854775808; {SOFTMAX}",
    "g.add(x, np.ma.masked_array(np.ones(8, 'f'), [1] + [0] * 7))": "relax.constant: the array has masked elements, "
    "fill them first (array.filled(0))",
    "g.dataflow().output(None)": "output takes values, got None",
    "g.call(3, x)": "call takes a function or a FuncOp as 'function', got 3",
    "g.astype(x)": "relax.astype needs the argument 'dtype', an element type; it is called astype(x, *, dtype: dtype)",
    "g.reshape(x, 3)": "relax.reshape cannot take 3 as 'shape': expected a shape; it is called reshape(x, shape)",
    "g.permute_dims(x, axes=[0.5])": "relax.permute_dims takes a list of integers as 'axes', got [0.5]; "
    "it is called permute_dims(x, *, axes: ints = ...)",
    "g.constant(np.zeros(2, complex))": "relax.constant: numpy dtype complex128 has no element type",
    "g.match_cast(x, tensor([4], 'f32'))": "relax.match_cast: match_cast_c1: a value of type "
    "tensor<?x8xf32, #relax.sym<n>> never has type tensor<4xf32>",
    "g.add(x, x, name=['a', 'b'])": "relax.add has 1 result, got 2 names",
    "BlockBuilder().add(x, x)": "there is no place to insert relax.add: give the builder a block, or use xDSL's ImplicitBuilder",
    "g.if_(x, lambda g: x, lambda g: x)": "the condition of scf.if must be an i1 or a tensor<i1>, "
    "got tensor<?x8xf32, #relax.sym<n>>",
    "g.if_(g.constant(True), lambda g: x, lambda g: w)": "the branches of scf.if yield "
    "(tensor<?x8xf32, #relax.sym<n>>) and (tensor<4x8xf32>)",
    "g.if_(g.constant(True), lambda g: 3, lambda g: w)": "a branch of scf.if must return values, got 3",
    "g.while_([w], lambda g, w: g.constant(True), lambda g, w: g.concat(w, w, axis=0))": "scf.while starts with "
    "(tensor<4x8xf32>), but its body yields (tensor<8x8xf32>)",
}


@pytest.mark.parametrize("call", REFUSED)
def test_a_wrong_call_is_refused_in_a_sentence(call: str, g: BlockBuilder, x: SSAValue, w: SSAValue):
    code = compile(f"\n\n{call}", "model.py", "exec")
    with pytest.raises(BuilderError) as error:
        exec(
            code,
            {"g": g, "x": x, "w": w, "shape": shape, "sym": sym, "device": device, "sizes_of": sizes_of, **BUILDERS},
        )
    position, _, message = str(error.value).partition(" error: ")
    assert message == REFUSED[call]
    assert position.startswith("model.py:3:") and position.endswith(":")


def test_parts_without_end_are_refused_at_once(g: BlockBuilder, x: SSAValue):
    with pytest.raises(BuilderError, match=r"relax.split: split_c2: sections must be from 1 to 4096, got 1000000000"):
        g.split(x, sections=10**9, axis=1)
    assert len(g.split(tensor_value := g.constant(np.zeros(4096)), sections=4096)) == 4096
    assert len(list(tensor_value.uses)) == 1


def test_an_error_inside_of_a_branch_stays(g: BlockBuilder, x: SSAValue):
    with pytest.raises(TypeError, match=r"object of type 'int' has no len"):
        g.if_(g.constant(True), lambda g: len(3), lambda g: x)  # type: ignore


def test_an_unknown_op_is_an_attribute_error(g: BlockBuilder):
    assert not hasattr(g, "softmax")
    with pytest.raises(UnknownOpError):
        _ = g.nn.softmx


def test_a_refused_op_leaves_nothing_behind(g: BlockBuilder, x: SSAValue):
    with pytest.raises(BuilderError):
        g.match_cast(x, tensor([4], "f32"))
    with pytest.raises(BuilderError):
        g.matmul(x, g.constant(np.zeros((3, 4), np.float32)))
    assert not list(x.uses)


@pytest.mark.parametrize(
    ("write", "message"),
    [
        ("f.param('w', t); f.input('x', t)", "input 'x' of @main comes after parameters"),
        ("f.param('w', t); f.param('w', t)", "@main has a parameter 'w' already"),
        ("f.input('x', t); f.input('x', t)", "@main has an input 'x' already"),
        (
            "f.input('', t)",
            "the name of an input must be a string that is not empty and has no NUL and no lone surrogate, got ''",
        ),
        ("f.returns(); f.returns()", "@main has its results already"),
        ("f.input('x', t)\nm.build()", "@main has no results yet, end it with returns(...)"),
        ("f.call(f)", "@main has no results yet, end it with returns(...)"),
        ("m.function('main')", "there is a function @main already"),
        ("with f: pass", "@main has no results yet, end it with returns(...)"),
        ("with f.dataflow() as g: pass", "the dataflow block has no output, end it with output(...)"),
        ("g = f.dataflow(); g.output(); g.output()", "the dataflow block has its output already"),
        ("f.input('x', t); f.returns(None)", "returns takes values, got None"),
        (
            "m.function('')",
            "the name of a function must be a string that is not empty and has no NUL and no lone surrogate, got ''",
        ),
        (
            "m.function('a\\0b')",
            "the name of a function must be a string that is not empty and has no NUL and no lone surrogate, got 'a\\x00b'",
        ),
        (
            "m.function(3)",
            "function takes a string as 'name', got 3",
        ),
        (
            "f.param(3, t)",
            "param takes a string as 'name', got 3",
        ),
        ("f.input('x', 3)", "input takes a type or attribute as 'value_type', got 3"),
        ("f.input('x', StringAttr('t'))", "'x' of @main takes a type, such as tensor(...), got StringAttr(data='t')"),
        ("f.input('x', t, donate='y')", "input takes an integer or a list of integers as 'donate', got 'y'"),
        ("f.param('x', t, fields='ab')", "param takes a list of strings as 'fields', got 'ab'"),
        ("f.symbol_range(3)", "symbol_range takes a string or a size as 'symbol', got 3"),
        ("f.returns(names='ab')", "names takes a list of strings, got 'ab'"),
        ("f.returns(f.input('x', t), names=['a', 'b'])", "@main has 1 result, got 2 names"),
        ("f.returns(); f.input('y', t)", "@main has its results already"),
        ("f.returns(); f.param('y', t)", "@main has its results already"),
        ("x = f.input('x', t); f.returns(x); f.add(x, x)", "@main has its results already"),
        ("x = f.input('x', t); f.returns(x); f.add(x, 1)", "@main has its results already"),
        ("x = f.input('x', t); f.returns(x); f.dataflow().output(x)", "@main has its results already"),
        ("g = f.dataflow(); g.output(); g.constant(1)", "the dataflow block has its output already"),
        (
            "inner = []; f.if_(f.constant(True), inner.append, lambda g: None); inner[0].constant(1)",
            "the block ends with scf.yield already",
        ),
        ("g = BlockBuilder(f.block); f.returns(); g.constant(1)", "the block ends with func.return already"),
        (
            "f.returns(); ModuleBuilder().function('g').call(f)",
            "call of @main: expected a function of this module, got one of another",
        ),
        (
            "m.function()",
            "function: missing a required argument: 'name'; it is called function(name, *, private=False, location=None)",
        ),
        ("m.remove(ModuleBuilder().function('g'))", "there is no such function @g in this module"),
        ("m.remove('main')", "remove takes a FunctionBuilder as 'function', got 'main'"),
        ("m.write(None)", "write takes a string or a path as 'path', got None"),
        ("m.at(3)", "at takes a location or a string as 'location', got 3"),
        ("f.symbol_range('n', 5, 2)", "@main: the range of n must be 0 <= least <= most < 2^63, got 5 and 2"),
        ("f.symbol_range('2 * n', 5)", "@main: the range is that of a symbol, got '2 * n'"),
        ("f.input('x', t); f.returns()\nm.function('g').call(f)", "call of @main: expected 1 operands, got 0"),
    ],
)
def test_a_wrong_function_is_refused_in_a_sentence(write: str, message: str):
    m = ModuleBuilder()
    with pytest.raises(BuilderError) as error:
        names = {"m": m, "f": m.function("main"), "t": tensor([4], "f32")}
        exec(compile(write, "model.py", "exec"), {**names, **BUILDERS, "StringAttr": StringAttr})
    assert str(error.value).partition(" error: ")[2] == message


FAULTS = {
    "f.insert(CallOp('g', [x], [t]))": "'@g' could not be found in symbol table",
    "f.reshape(x, [1] * 80 + [4])": "expected a tensor of at most 64 dims, got 81",
    "f.add(x, x, attributes={'relax.num_input': t})": "relax.num_input stands on a function, found on relax.add",
    "h = m.function('h'); h.returns(); f.call(h); m.remove(h)": "'@h' could not be found in symbol table",
}


@pytest.mark.parametrize("write", FAULTS)
def test_what_the_verifier_finds_has_the_line_of_its_op(write: str):
    m, t = ModuleBuilder(), tensor([4], "f32")
    f = m.function("main")
    x = f.input("x", t)
    exec(compile(f"\n\n{write}", "model.py", "exec"), {"m": m, "f": f, "x": x, "t": t, "CallOp": CallOp})
    f.returns(x)
    with pytest.raises(BuilderError, match=r"model.py:3:\d+: error: ") as error:
        m.build()
    assert str(error.value).partition(" error: ")[2] == FAULTS[write]
    assert isinstance(error.value, VerifyException)


SCOPES = {
    "other.returns(other.add(x, other_x))": "relax.add in @other reads %x, an argument of @main",
    "y = other.add(other_x, other_x, name='y'); other.returns(y); f.returns(y)": "func.return in @main reads %y, the result of relax.add of @other",
    "inner = []; f.if_(f.constant(True), lambda g: inner.append(g.add(x, x, name='y')), lambda g: None)\n"
    "f.returns(inner[0])": "func.return in @main reads %y, the result of relax.add inside of scf.if, which only that region sees",
    "g = f.dataflow(); y = g.add(x, x); g.output(y); f.returns(y)": "func.return in @main reads the result of relax.add "
    "inside of relax.dataflow, which only that region sees",
    "late = f.add(x, x); y = f.add(late, x); y.owner.detach(); late.owner.parent.insert_op_before(y.owner, late.owner)\n"
    "f.returns(y)": "relax.add in @main reads the result of relax.add, before it is made",
    "f.returns(BlockBuilder(Block()).constant([1.0]))": "func.return in @main reads the result of relax.constant "
    "in no function",
}


@pytest.mark.parametrize("write", SCOPES)
def test_a_value_that_cannot_be_seen_is_refused_by_build(write: str):
    m, t = ModuleBuilder(), tensor([4], "f32")
    f, other = m.function("main"), m.function("other")
    names = {"f": f, "other": other, "x": f.input("x", t), "other_x": other.input("x", t)}
    exec(write, {**names, "BlockBuilder": BlockBuilder, "Block": Block})
    for function in (f, other):
        try:
            function.complete(function.function.location)
        except BuilderError:
            function.returns()
    with pytest.raises(BuilderError) as error:
        m.build()
    assert SCOPES[write] in str(error.value)


def test_ranges_of_symbols():
    m, n = ModuleBuilder(), sym("n")
    with m.function("main") as f:
        f.symbol_range("m", 1)
        f.symbol_range(n, 2, 512)
        x = f.input("x", tensor([n, "m"], "f32"))
        y = f.reshape(x, f.shape("min(512, n)", "m"))
        assert y.type == x.type
        f.returns(y)
    text = str(m.build())
    assert "relax.sym_lower_bounds = {m = 1 : i64, n = 2 : i64}, relax.sym_upper_bounds = {n = 512 : i64}" in text


def test_a_range_of_no_symbol():
    m = ModuleBuilder()
    with m.function("main") as f:
        f.symbol_range("batc", 1, 8)
        f.returns(f.input("x", tensor(["batch"], "f32")))
    with pytest.raises(
        BuilderError,
        match=r"test_builder_errors.py:\d+:\d+: error: @main has no symbol 'batc', did you mean 'batch'\?; its symbols: batch",
    ):
        m.build()


def test_names_of_functions_in_text():
    for name in ("", "a\\00b"):
        module = parse_module(relax_context(), f'func.func private @"{name}"() -> ()')
        with pytest.raises(VerifyException, match="the name of a function must not be empty nor have a NUL"):
            verify_program(module)


def test_an_error_in_a_block_is_not_hidden():
    m = ModuleBuilder()
    with pytest.raises(ZeroDivisionError), m.function("main") as f, f.dataflow():
        raise ZeroDivisionError
