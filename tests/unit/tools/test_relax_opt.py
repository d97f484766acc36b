"""`relax-opt` answers every kind of bad input with one positioned line and exit status 1, and never with a traceback."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from xdsl_relax.dialects.upstream.nesting import TOO_DEEP
from xdsl_relax.tools.relax_opt import main

HEADLINE = re.compile(r"^(?P<file>[^\n:]+)(:(?P<line>\d+):(?P<column>\d+))?: error: (?P<message>.+)$")


def in_function(line: str) -> str:
    """The line as the second one of a program, in a function with the values %x (a tensor) and %i (an index)."""
    return (
        f"func.func @f(%x: tensor<4xf32>, %i: index) -> tensor<4xf32> {{\n  {line}\n  return %x : tensor<4xf32>\n}}\n"
    )


T = "tensor<4xf32>"

# name: (text, line, column, part of the message)
FAULTS: dict[str, tuple[str | bytes, int, int, str]] = {
    "empty": ("", 1, 1, "expected an operation, found the end of the file"),
    "blank": (" \n\n", 3, 1, "found the end of the file"),
    "only-comment": ("// nothing\n", 2, 1, "found the end of the file"),
    "nul": (b"func.func @f() {\0}", 1, 17, "unexpected character"),
    "all-bytes": (bytes(range(256)), 2, 118, "byte 0x80 is not valid UTF-8"),
    "latin-1": (b"// caf\xe9\n", 1, 7, "byte 0xe9 is not valid UTF-8"),
    "utf-16": ("func.func @f()".encode("utf-16"), 1, 1, "is not valid UTF-8"),
    "elf": (b"\x7fELF\x02\x01\x01\0\0\0", 1, 1, "unexpected character"),
    "json": ('{"a": 1}', 1, 1, "expected an operation"),
    "markdown": ("# Title\n", 1, 1, "expected a name behind '#'"),
    "python": ("import os\n", 1, 1, "operation import is not registered"),
    "html": ("<html></html>", 1, 1, "expected an operation"),
    "cut-in-type": ("func.func @f(%x: tensor<4xf", 1, 27, "expected shape type"),
    "cut-in-arguments": ("func.func @f(", 1, 14, "expected argument or type, found the end of the file"),
    "cut-after-op": ("func.func @f() {\n  return", 2, 9, "expected an operation, a block or '}', found the end"),
    "cut-in-string": ('func.func @"f', 1, 12, "expected a closing quote on this line"),
    "cut-in-module": ("module {\n}\nmodule {\n", 4, 1, "expected an operation, a block or '}', found the end"),
    "cut-in-location": ("func.func @f() { return } loc(", 1, 31, "unexpected location syntax"),
    "extra-brace": ("func.func @f() { return }\n}\n", 2, 1, "expected an operation"),
    "unknown-op": (in_function(f"%y = relax.nope %x : ({T}) -> {T}"), 2, 3, "operation relax.nope is not registered"),
    "unknown-dialect": (in_function("%y = foo.bar %x : i32"), 2, 3, "operation foo.bar is not registered"),
    "unknown-type": ("func.func @f(%x: !relax.nope) { return }", 1, 29, "'relax.nope' is not registered"),
    "unknown-attribute": ("func.func @f() attributes {a = #relax.nope} { return }", 1, 43, "'relax.nope' is not reg"),
    "undefined-value": (in_function(f"%y = relax.add %x, %z : ({T}, {T}) -> {T}"), 2, 22, "used but not defined: [%z]"),
    "value-used-too-early": (
        in_function("%a = arith.addi %b, %i : index\n  %b = arith.constant 1 : index"),
        2,
        19,
        "value %b is used before it is defined",
    ),
    "value-defined-twice": (in_function(f"%x = relax.add %x, %x : ({T}, {T}) -> {T}"), 2, 3, "already defined"),
    "too-many-results": (in_function(f"%y, %z = relax.add %x, %x : ({T}, {T}) -> {T}"), 2, 3, "has 1 results"),
    "too-few-types": (in_function(f"%y = relax.add %x, %x : ({T}) -> {T}"), 2, 27, "operand types"),
    "wrong-type-of-operand": (
        in_function(f"%y = relax.add %x, %x : (tensor<5xf32>, {T}) -> {T}"),
        2,
        18,
        "tensor<5xf32>",
    ),
    "tuple-index": (in_function(f"%y = relax.add %x#1, %x : ({T}, {T}) -> {T}"), 2, 18, "out of bounds"),
    "wrong-result-type": (in_function(f"%y = relax.add %x, %x : ({T}, {T}) -> tensor<5xf32>"), 2, 3, "5"),
    "no-tensor": (in_function("%y = relax.add %i, %i : (index, index) -> index"), 2, 3, "index"),
    "encoding-of-static-type": ("func.func @f(%x: tensor<4xf32, #relax.sym<n>>) { return }", 1, 1, "1 dim"),
    "too-many-symbols": ("func.func @f(%x: tensor<?xf32, #relax.sym<n, m>>) { return }", 1, 1, "2 dim"),
    "symbol-syntax": ("func.func @f(%x: tensor<?xf32, #relax.sym<n +>>) { return }", 1, 46, ""),
    "symbol-division-by-zero": (
        "func.func @f(%x: tensor<?xf32, #relax.sym<1 floordiv 0>>) { return }",
        1,
        54,
        "expected a positive divisor, got 0",
    ),
    "shape-without-brackets": ("func.func @f(%x: !relax.shape<n>) { return }", 1, 31, "'['"),
    "negative-size": ("func.func @f(%x: tensor<-4xf32>) { return }", 1, 25, "expected shape type"),
    "duplicate-attribute": ("func.func @f() attributes {a, a} { return }", 1, 34, "a"),
    "string-escape": ('func.func @f() attributes {a = "\\zz"} { return }', 1, 32, ""),
    "no-terminator": ("func.func @f() {\n  %c = arith.constant 1 : i32\n}", 2, 3, "is not a terminator"),
    "no-result": ("func.func @f() -> i32 {\n  return\n}", 2, 3, "expected [i32], got []"),
    "function-defined-twice": ("module {\n  func.func @f() { return }\n  func.func @f() { return }\n}", 1, 1, "f"),
    "undefined-block": ("func.func @f() {\n  cf.br ^b\n}", 3, 2, "b"),
    "block-defined-twice": ("func.func @f() {\n  cf.br ^b\n^b:\n  return\n^b:\n  return\n}", 1, 1, "b"),
    "alias-defined-twice": ("#a = 1 : i32\n#a = 2 : i32\nfunc.func @f() { return }", 2, 4, "alias '#a'"),
    "undefined-alias": ("func.func @f() attributes {a = #zz} { return }", 1, 35, "'#zz'"),
    "dense-shape": (
        "func.func @f() {\n  %c = arith.constant dense<[1, 2]> : tensor<3xi32>\n  return\n}",
        3,
        3,
        "[2] shape",
    ),
    "dense-element": (
        "func.func @f() {\n  %c = arith.constant dense<1.5> : tensor<3xi32>\n  return\n}",
        2,
        29,
        "integer",
    ),
    "integer-out-of-range": ("func.func @f() {\n  %c = arith.constant 300 : i8\n  return\n}", 2, 23, "out of range"),
    "huge-integer": (
        f"func.func @f() {{\n  %c = arith.constant {'9' * 10000} : i64\n  return\n}}",
        2,
        3,
        "10000 digits",
    ),
    "undefined-callee": ("func.func @f() {\n  func.call @g() : () -> ()\n  return\n}", 2, 3, "'@g'"),
    "custom-form-without-types": (
        in_function("%y = linalg.matmul indexing_maps = [] ins(%x) outs(%x)"),
        2,
        47,
        "expected ':'",
    ),
    "relax-op-without-type": (
        in_function("%y = relax.constant dense<2.0> : tensor<f32>"),
        2,
        23,
        "relax.constant: expected ':', the form is: relax.constant {value = ...} : () -> type",
    ),
    "relax-op-without-function-type": (
        in_function("%y = relax.add %x, %x {acme.a = 1 : i64} : tensor<4xf32>"),
        2,
        46,
        "relax.add: expected a function type, the form is: relax.add %lhs, %rhs : (type, type) -> type",
    ),
    "relax-op-with-types-of-others": (
        in_function("%y = relax.add %x, %x : (tensor<4xf32>) -> tensor<4xf32>"),
        2,
        27,
        "relax.add: expected 2 operand types, got 1",
    ),
    "relax-op-without-operand": (
        in_function("%y = relax.zeros {dtype = f32} : () -> tensor<4xf32>"),
        2,
        3,
        "relax.zeros: expected 1 operand (shape), got 0",
    ),
    "relax-op-with-few-operands": (
        in_function("%y = relax.nn.nll_loss %x : (tensor<4xf32>) -> tensor<f32>"),
        2,
        3,
        "relax.nn.nll_loss: expected at least 2 operands (predictions, targets, weights), got 1",
    ),
    "deep-regions": ('"builtin.module"() ({' * 100_000, 1, -1, TOO_DEEP),
    "deep-attribute": ("module attributes {a = " + "[" * 100_000, 1, -1, TOO_DEEP),
    "deep-type": ("func.func @f(%x: " + "tuple<" * 100_000, 1, -1, TOO_DEEP),
    "deep-function-type": ("func.func @f(%x: " + "(() -> " * 100_000, 1, -1, TOO_DEEP),
    "deep-symbol": (
        "func.func @f(%x: tensor<?xf32, #relax.sym<" + "(" * 100_000,
        1,
        172,
        "at most 128 nested operators or parentheses",
    ),
    "deep-affine-map": ("module attributes {a = affine_map<(d0) -> (" + "(" * 100_000, 1, -1, TOO_DEEP),
    "long-line": ("func.func @f() { " + " " * 1_000_000 + "oops }", 1, 1000018, "operation oops is not registered"),
}


def run(args: list[str], capsys: pytest.CaptureFixture[str]) -> tuple[int, str, str]:
    status = main(args)
    out, err = capsys.readouterr()
    return status, out, err


@pytest.fixture
def program(tmp_path: Path) -> Callable[[str | bytes], str]:
    def write(text: str | bytes) -> str:
        path = tmp_path / "program.mlir"
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return str(path)

    return write


@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_gives_one_positioned_error(name: str, program: Callable[..., str], capsys: pytest.CaptureFixture[str]):
    text, line, column, message = FAULTS[name]
    status, out, err = run([program(text)], capsys)
    assert status == 1
    assert out == ""
    headlines = [match for match in map(HEADLINE.match, err.splitlines()) if match]
    assert len(headlines) == 1, err
    (headline,) = headlines
    assert headline["file"].endswith("program.mlir")
    assert message in headline["message"]
    assert (int(headline["line"]), int(headline["column"])) == (line, column if column > 0 else int(headline["column"]))
    assert not re.match("[A-Z][a-z]", headline["message"]) and not headline["message"].endswith(".")
    assert "Traceback" not in err and max(map(len, err.splitlines())) < 800


def test_every_truncation_of_a_program_is_an_error_or_a_program(
    program: Callable[..., str], capsys: pytest.CaptureFixture[str]
):
    text = in_function(f'%y = relax.matmul %x, %x {{acme.a = [1, "s"]}} : ({T}, {T}) -> tensor<f32>')
    assert run([program(text)], capsys)[0] == 0
    for end in range(len(text.rstrip())):
        status, _, err = run([program(text[:end])], capsys)
        # A function without its body is a declaration.
        assert status == 0 if text[:end].rstrip().endswith(("index)", "-> tensor<4xf32>")) else status == 1, text[:end]
        assert status == 0 or HEADLINE.match(err.splitlines()[0])


def test_a_missing_character_is_an_error_or_a_program(program: Callable[..., str], capsys: pytest.CaptureFixture[str]):
    text = in_function(f"%y = relax.add %x, %x : ({T}, {T}) -> {T}")
    for at in range(len(text)):
        status, _, err = run([program(text[:at] + text[at + 1 :])], capsys)
        assert status in (0, 1) and "internal error" not in err


def test_verifier_errors_show_the_line_and_the_operation(
    program: Callable[..., str], capsys: pytest.CaptureFixture[str]
):
    text = 'func.func @f(%c: i32) {\n  // one\n  %z = "arith.addi"(%c, %c) : (i32, i32) -> i64\n  return\n}\n'
    _, _, err = run([program(text)], capsys)
    lines = err.splitlines()
    assert ":3:3: error: " in lines[0]
    assert lines[1] == '  %z = "arith.addi"(%c, %c) : (i32, i32) -> i64'.replace("  %z", "    %z")
    assert lines[2] == "    ^"
    assert lines[3].startswith('  note: see current operation: %z = "arith.addi"(%c, %c)')


def test_positions_survive_passes(program: Callable[..., str], capsys: pytest.CaptureFixture[str]):
    text = "func.func @f(%c: i32) -> i32 {\n  %d = arith.constant 1 : i32\n\n  %z = arith.addi %c, %d : i32\n  return %z : i32\n}"
    _, out, _ = run([program(text), "-p", "canonicalize,cse", "--print-debuginfo"], capsys)
    assert re.search(r'%z = arith.addi .* loc\("[^"]*program.mlir":4:3\)', out)
    _, plain, _ = run([program(text), "-p", "canonicalize,cse"], capsys)
    assert "loc(" not in plain


def test_an_explicit_location_is_kept(program: Callable[..., str], capsys: pytest.CaptureFixture[str]):
    text = 'func.func @f() {\n  return loc("model.py":7:1)\n} loc("model.py":6:1)\n'
    _, out, _ = run([program(text), "--print-debuginfo"], capsys)
    assert 'return loc("model.py":7:1)' in out and '} loc("model.py":6:1)' in out


BAD_PIPELINES = {
    "canonicalise": "unknown pass 'canonicalise' (did you mean 'canonicalize'",
    "relax-fuse-op": "unknown pass 'relax-fuse-op' (did you mean 'relax-fuse-ops'",
    "linalgg": "'linalg'",
    "xyzzy": "unknown pass 'xyzzy'",
    "canonicalize{a=1}": "pass 'canonicalize' has no option 'a'; its options: none",
    "linalg{a=1}": "the stage 'linalg' takes no options",
    "cse,{": "cannot read the pass pipeline 'cse,{': expected pass name here",
    "cse cse": "cannot read the pass pipeline",
    "cse{": "cannot read the pass pipeline",
    "cse,,dce": "cannot read the pass pipeline",
    "builtin.module(cse)": "cannot read the pass pipeline",
    "convert-memref-to-ptr{lower_func=3}": "bad option of pass 'convert-memref-to-ptr'",
    "convert-memref-to-ptr{lower_fun=true}": "(did you mean 'lower_func'?)",
}


@pytest.mark.parametrize("spec", BAD_PIPELINES)
def test_bad_pipelines(spec: str, program: Callable[..., str], capsys: pytest.CaptureFixture[str]):
    status, out, err = run([program(in_function("")), "-p", spec], capsys)
    assert (status, out) == (1, "")
    assert len(err.splitlines()) == 1
    assert BAD_PIPELINES[spec] in err


def test_missing_file_directory_and_output(
    tmp_path: Path, program: Callable[..., str], capsys: pytest.CaptureFixture[str]
):
    assert run(["nofile.mlir"], capsys) == (1, "", "nofile.mlir: error: no such file or directory\n")
    assert run([str(tmp_path)], capsys)[0] == 1
    status, _, err = run([program(in_function("")), "-o", str(tmp_path / "no" / "where.mlir")], capsys)
    assert status == 1 and "no such file or directory" in err


def test_a_failed_run_leaves_no_output_file(
    tmp_path: Path, program: Callable[..., str], capsys: pytest.CaptureFixture[str]
):
    output = tmp_path / "out.mlir"
    assert run([program("oops"), "-o", str(output)], capsys)[0] == 1
    assert not output.exists()
    assert run([program(in_function("")), "-o", str(output)], capsys)[0] == 0
    assert "func.func @f" in output.read_text()


def test_a_failing_pass_is_named(
    program: Callable[..., str], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
):
    from xdsl.transforms.dead_code_elimination import DeadCodeElimination
    from xdsl.utils.exceptions import PassFailedException

    def fail(self: object, ctx: object, op: object) -> None:
        raise PassFailedException("Cannot go on.")

    monkeypatch.setattr(DeadCodeElimination, "apply", fail)
    status, _, err = run([program(in_function("")), "-p", "cse,dce"], capsys)
    assert status == 1
    assert "error: cannot go on\n" in err and err.endswith("  note: in pass dce\n")


def test_a_defect_of_ours_is_told_from_bad_input(
    program: Callable[..., str], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
):
    from xdsl.transforms.dead_code_elimination import DeadCodeElimination

    def crash(self: object, ctx: object, op: object) -> None:
        raise KeyError("k")

    monkeypatch.setattr(DeadCodeElimination, "apply", crash)
    status, _, err = run([program(in_function("")), "-p", "dce"], capsys)
    assert status == 2
    assert "internal error: KeyError: 'k' in pass dce; run with --debug" in err and "Traceback" not in err
    _, _, err = run([program(in_function("")), "-p", "dce", "--debug"], capsys)
    assert "Traceback" in err


def test_an_error_of_a_pass_about_an_op_has_its_position(
    program: Callable[..., str], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
):
    from xdsl.dialects.builtin import ModuleOp
    from xdsl.transforms.dead_code_elimination import DeadCodeElimination
    from xdsl_relax.dialects.upstream.op_error import OpError

    def fail(self: object, ctx: object, module: ModuleOp) -> None:
        for op in module.walk():
            if op.name == "func.return":
                raise OpError(op, "cannot lower this")

    monkeypatch.setattr(DeadCodeElimination, "apply", fail)
    status, _, err = run([program(in_function("")), "-p", "dce"], capsys)
    assert status == 1
    assert re.match(r"[^\n]*program\.mlir:3:3: error: cannot lower this\n", err)


EXPECTED = {
    "announced": ("// expected-error@+1 {{not registered}}\noops.x\n", True),
    "same-line": ("oops.x // expected-error {{not registered}}\n", True),
    "below": ("// expected-error@below {{not registered}}\noops.x\n", True),
    "above": ("oops.x\n\n// expected-error@-2 {{not registered}}\n", True),
    "two-chunks": (
        "oops.x // expected-error {{oops.x is not}}\n// -----\n\noops.y // expected-error {{oops.y is not}}",
        True,
    ),
    "comments-alone": ("// a file\n\n// -----\noops.x // expected-error {{oops.x is not}}\n", True),
    "no-error": ("// expected-error@+1 {{not registered}}\nfunc.func @f() { return }\n", False),
    "wrong-line": ("// expected-error@+2 {{not registered}}\noops.x\n", False),
    "wrong-text": ("// expected-error@+1 {{nope}}\noops.x\n", False),
    "not-announced": ("oops.x\n", False),
    "twice": ("// expected-error@+2 {{not registered}}\n// expected-error@+1 {{not registered}}\noops.x\n", False),
    "in-one-of-two": ("oops.x // expected-error {{oops.x is not}}\n// -----\noops.y\n", False),
    "malformed": ("oops.x // expected-error not registered\n", False),
    "bad-place": ("// expected-error@next {{not registered}}\noops.x\n", False),
}


@pytest.mark.parametrize("name", EXPECTED)
def test_expected_diagnostics(name: str, program: Callable[..., str], capsys: pytest.CaptureFixture[str]):
    text, matches = EXPECTED[name]
    status, _, err = run([program(text), "--verify-diagnostics", "--split-input-file"], capsys)
    assert status == (0 if matches else 1)
    assert bool(err) is not matches


def test_positions_in_a_split_file_count_from_its_start(
    program: Callable[..., str], capsys: pytest.CaptureFixture[str]
):
    text = "func.func @f() { return }\n// -----\n\nfunc.func @g() -> i32 {\n  return\n}\n"
    status, out, err = run([program(text), "--split-input-file"], capsys)
    assert status == 1 and "program.mlir:5:3: error:" in err
    assert err.splitlines()[1] == "    return"
    assert "@f" in out


def test_print_between_passes_and_timing_go_to_stderr(program: Callable[..., str], capsys: pytest.CaptureFixture[str]):
    flags = ["-p", "canonicalize,cse", "--print-between-passes", "--time-passes"]
    status, out, err = run([program(in_function("")), *flags], capsys)
    assert status == 0
    assert re.findall(r"^// IR after (.*):$", err, re.M) == ["canonicalize", "cse"]
    assert re.findall(r"^ +[\d.]+ +[\d.]+  (\S+)", err, re.M) == [
        "(parse)", "(verify)", "canonicalize", "cse", "(print)", "total",
    ]  # fmt: skip
    assert out == run([program(in_function("")), "-p", "canonicalize,cse"], capsys)[1]


@pytest.mark.parametrize("flag", ["--lift", "--lift-shared"])
def test_lifting_without_stages_is_an_error(flag: str, program: Callable[..., str], capsys: pytest.CaptureFixture[str]):
    file = program(in_function(""))
    message = f"{flag} says what stages do: expected -p with a stage, such as 'optimize', got no -p"
    assert run([file, flag], capsys) == (1, "", f"relax-opt: error: {message}\n")
    assert run([file, flag, "-p", "dce"], capsys)[0] == 0


@pytest.mark.parametrize(
    ("args", "hint"),
    [
        (["--lft"], ", did you mean '--lift'?"),
        (["--xyzzy"], " (relax-opt --help lists the options)"),
    ],
)
def test_a_misspelled_option_is_one_line(args: list[str], hint: str, capsys: pytest.CaptureFixture[str]):
    with pytest.raises(SystemExit) as ended:
        main(args)
    assert ended.value.code == 2
    assert capsys.readouterr().err == f"relax-opt: error: unrecognized arguments: {args[0]}{hint}\n"


def test_the_recursion_limit_is_left_alone(program: Callable[..., str], capsys: pytest.CaptureFixture[str]):
    limit = sys.getrecursionlimit()
    run([program("[" * 10_000)], capsys)
    assert sys.getrecursionlimit() == limit


@pytest.mark.parametrize(
    ("name", "data", "message"),
    [
        ("net.onnx", b"\x08\x08:3\n\x0c", "not a text of MLIR: a file that ends in .onnx is read by relax-import onnx"),
        ("net.pt2", b"PK\x03\x04", "not a text of MLIR: a file that ends in .pt2 is read by relax-import torch"),
        ("p.mlirbc", b"ML\xefR", "not a text of MLIR: a file that ends in .mlirbc is read by relax-import stablehlo"),
        ("p.mlirbc", b"", "not a text of MLIR: a file that ends in .mlirbc is read by relax-import stablehlo"),
        (
            "p.mlirbc",
            b"M",
            "operation M is not registered; a file that ends in .mlirbc is read by relax-import stablehlo",
        ),
        ("p.mlir", b"\x08\x08:3\n\x00", "unexpected character: \x08"),
        ("p.mlir", b"", "expected an operation, found the end of the file"),
    ],
)
def test_the_file_of_a_model_is_one_line(
    name: str, data: bytes, message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    file = tmp_path / name
    file.write_bytes(data)
    assert main([str(file)]) == 1
    out, err = capsys.readouterr()
    lines = err.splitlines()
    assert out == "" and len(lines) == 1
    match = HEADLINE.match(lines[0])
    assert match is not None and match["message"] == message


def test_a_pass_is_for_the_target_of_the_command_line(program: Callable[..., str], capsys: pytest.CaptureFixture[str]):
    """Vectors are of 16 numbers with AVX-512, of 8 with AVX2; an option of the pass itself comes first."""
    file = program(
        in_function(f"%y = relax.add %x, %x : ({T}) -> {T}".replace(f"({T})", f"({T}, {T})")).replace("4xf32", "64xf32")
    )

    def schedules(*flags: str) -> str:
        assert main([file, *flags]) == 0
        return "\n".join(re.findall(r"#relax.schedule<[^>]*>", capsys.readouterr().out))

    def wanted(target: str) -> str:
        return schedules("-p", f"buffers,schedule-linalg{{target={target}}}")

    named = "buffers,schedule-linalg"
    assert wanted("x86-64-v3") != wanted("x86-64-v4") != ""
    assert schedules("-p", named) == wanted("x86-64-v4")
    assert schedules("--target", "x86-64-v3", "-p", named) == wanted("x86-64-v3")
    assert schedules("--target", "native", "-p", named) == wanted("native")
    assert schedules("--target", "x86-64-v3", "-p", f"{named}{{target=x86-64-v4}}") == wanted("x86-64-v4")
