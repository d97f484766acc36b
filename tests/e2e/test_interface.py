"""The interface record: equal after JSON, and with the object code all that another process needs to run a module."""

from __future__ import annotations

import json
import operator
import random
import re
import struct
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import xdsl_relax
from harness.in_process_tools import run_tool, tools
from harness.sampling import runs_all
from xdsl.utils.exceptions import PassFailedException
from xdsl_relax.interpreter.host.errors import ArgumentError
from xdsl_relax.runtime.bisection.isolated import Returned, isolated
from xdsl_relax.runtime.executable.arguments import symbol_names
from xdsl_relax.runtime.executable.executable import Executable
from xdsl_relax.runtime.interface import json_form
from xdsl_relax.runtime.interface.json_form import from_json, plain_type, sealed, to_json, type_from_plain
from xdsl_relax.runtime.interface.record import FORMAT, Interface
from xdsl_relax.runtime.machine.jit import CompileError
from xdsl_relax.runtime.machine.object_file import ObjectFileError, read_object

EXAMPLES = sorted((Path(__file__).resolve().parents[2] / "examples").glob("*.mlir"))

_stem = operator.attrgetter("stem")

N = "tensor<?x8xf32, #relax.sym<n>>"
LIFTED = f"""
func.func @main(%x: {N}, %w: tensor<4x8xf32> {{relax.name = "w"}}, %b: tensor<4xf32> {{relax.name = "b"}}) -> tensor<?x4xf32, #relax.sym<n>>
    attributes {{relax.num_input = 1 : i64}} {{
  %r = relax.dataflow {{
    %t = relax.permute_dims %w : (tensor<4x8xf32>) -> tensor<8x4xf32>
    %y = relax.matmul %x, %t : ({N}, tensor<8x4xf32>) -> tensor<?x4xf32, #relax.sym<n>>
    %z = relax.add %y, %b : (tensor<?x4xf32, #relax.sym<n>>, tensor<4xf32>) -> tensor<?x4xf32, #relax.sym<n>>
    relax.output %z : tensor<?x4xf32, #relax.sym<n>>
  }} : tensor<?x4xf32, #relax.sym<n>>
  return %r : tensor<?x4xf32, #relax.sym<n>>
}}"""
CALLBACKS = """
func.func @main(%x: tensor<?xf32, #relax.sym<n>>, %f: !relax.object) -> (tensor<?xf32, #relax.sym<n>>, tensor<?xf32, #relax.sym<n>>, !relax.object) {
  %a = relax.call_packed %x {callee = "test.triple"} : (tensor<?xf32, #relax.sym<n>>) -> tensor<?xf32, #relax.sym<n>>
  %b = relax.call_dps_packed %a {callee = "test.negated"} : (tensor<?xf32, #relax.sym<n>>) -> tensor<?xf32, #relax.sym<n>>
  %o = relax.invoke_closure %f, %b : (!relax.object, tensor<?xf32, #relax.sym<n>>) -> !relax.object
  return %a, %b, %o : tensor<?xf32, #relax.sym<n>>, tensor<?xf32, #relax.sym<n>>, !relax.object
}"""
SIZES = """
func.func @main(%x: tensor<?x?xf32, #relax.sym<n, m>>, %y: tensor<?x8xf32, #relax.sym<2 * n + min(m, 3)>>,
    %s: !relax.shape<[m, 4]>, %p: tuple<tensor<?xbf16, #relax.sym<n>>, i1>) -> (tensor<?x?xi64>, tuple<tensor<?xbf16, #relax.sym<n>>, i1>) {
  %i = relax.nonzero %x : (tensor<?x?xf32, #relax.sym<n, m>>) -> tensor<?x?xi64>
  return %i, %p : tensor<?x?xi64>, tuple<tensor<?xbf16, #relax.sym<n>>, i1>
}"""
CONSTANT = """
func.func @main(%x: tensor<128x160xf32>) -> tensor<128x160xf32> {{
  %c = relax.constant {{value = dense<"0x{data}"> : tensor<128x160xf32>}} : () -> tensor<128x160xf32>
  %y = relax.nn.softmax %x : (tensor<128x160xf32>) -> tensor<128x160xf32>
  %z = relax.add %y, %c : (tensor<128x160xf32>, tensor<128x160xf32>) -> tensor<128x160xf32>
  return %z : tensor<128x160xf32>
}}"""
ONE = '#relax.vdevice<"cpu", 1, "global">'
DEVICES = f"""
func.func @main(%x: tensor<64x80xf32, {ONE}>, %y: tensor<80x16xf32, {ONE}>) -> tensor<64x16xf32, {ONE}> {{
  %z = relax.matmul %x, %y : (tensor<64x80xf32, {ONE}>, tensor<80x16xf32, {ONE}>) -> tensor<64x16xf32, {ONE}>
  %s = relax.nn.softmax %z : (tensor<64x16xf32, {ONE}>) -> tensor<64x16xf32, {ONE}>
  return %s : tensor<64x16xf32, {ONE}>
}}"""

RNG = np.random.default_rng(3)
PROGRAMS: dict[str, tuple[str, dict[str, Any]]] = {
    "lifted": (LIFTED, {"lift": True}),
    "threads": (LIFTED, {"threads": 2}),
    "callbacks": (CALLBACKS, {}),
    "sizes": (SIZES, {}),
    "constant": (CONSTANT.format(data=RNG.standard_normal((128, 160), np.float32).tobytes().hex()), {}),
    "devices": (DEVICES, {}),
}

RUNNER = """
import sys
from pathlib import Path
import numpy as np
import xdsl_relax
from xdsl_relax.runtime.interface.json_form import from_json

folder = Path(sys.argv[1])
exe = xdsl_relax.link(from_json((folder / "interface.json").read_text()), (folder / "code.o").read_bytes())
sys.path.insert(0, str(Path(sys.argv[2])))
from calls import call
for index, array in enumerate(call(sys.argv[3], exe)):
    np.save(folder / f"{index}.npy", array)
made = [name for name in sys.modules if name.startswith(("xdsl_relax.passes", "xdsl_relax.lowering", "xdsl_relax.frontend"))]
assert not made, made
"""
CALLS = '''
import numpy as np
import xdsl_relax


def call(program, exe):
    """Returns the arrays that a program computes."""
    rng = np.random.default_rng(7)
    x, w, b = (rng.standard_normal(shape, np.float32) for shape in ((5, 8), (4, 8), (4,)))
    if program == "lifted":
        return [exe["main"](x, exe.transform_params({"w": w, "b": b}, progress=False))]
    if program == "threads":
        return [exe["main"](x, w, b)]
    if program == "callbacks":
        xdsl_relax.register_packed("test.triple", lambda array: array * np.float32(3))
        xdsl_relax.register_packed("test.negated", lambda array, out: np.negative(array, out=out))
        return exe["main"](b, lambda array: array + np.float32(1))
    if program == "sizes":
        import ml_dtypes

        array = (rng.standard_normal((2, 3)) > 0).astype(np.float32)
        pair = (np.arange(2).astype(ml_dtypes.bfloat16), True)
        found, (half, flag) = exe["main"](array, rng.standard_normal((7, 8), np.float32), (3, 4), pair)
        return [found, half.astype(np.float32), np.asarray(flag)]
    if program == "constant":
        return [exe["main"](rng.standard_normal((128, 160), np.float32))]
    arrays = [rng.standard_normal(shape, np.float32) for shape in ((64, 80), (80, 16))]
    device = xdsl_relax.device("cpu", 1)
    return [np.asarray(xdsl_relax.to_device(exe["main"](*(xdsl_relax.to_device(a, device) for a in arrays)), xdsl_relax.device("cpu")))]
'''


@cache
def _compiled(program: str) -> Executable:
    text, options = PROGRAMS[program]
    return xdsl_relax.compile(text, **options)


@pytest.mark.parametrize(
    "path", [path for path in EXAMPLES if path.stem in ("devices", "linear", "square_root") or runs_all()], ids=_stem
)
def test_the_record_of_each_example_survives(path: Path) -> None:
    passes = ["relax-realize-vdevice"] if path.stem == "devices" else []
    interface = xdsl_relax.compile(path, lift=True, opt_level=1, passes=passes).interface
    assert interface.functions
    text = to_json(interface)
    assert from_json(text) == interface
    assert to_json(from_json(text)) == text


@pytest.mark.parametrize("program", PROGRAMS)
def test_another_process_runs_what_is_saved(program: str, tmp_path: Path) -> None:
    executable = _compiled(program)
    interface = executable.interface
    text = to_json(interface)
    assert from_json(text) == interface
    assert {
        "lifted": bool(interface.transforms),
        "callbacks": {function.runtime for function in interface.packed} >= {None, "invoke_closure"},
        "constant": bool(interface.constants),
        "devices": interface.functions[0].workspaces == ("cpu:1",),
        "threads": interface.threads == 2,
        "sizes": bool(interface.functions[0].checks),
    }[program]
    (tmp_path / "interface.json").write_text(text)
    (tmp_path / "code.o").write_bytes(executable.code)
    (tmp_path / "calls.py").write_text(CALLS)
    arguments = [sys.executable, "-c", RUNNER, str(tmp_path), str(tmp_path), program]
    done = subprocess.run(arguments, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    namespace: dict[str, Any] = {}
    exec(CALLS, namespace)
    expected = namespace["call"](program, executable)
    assert len(expected) > 0
    for index, array in enumerate(expected):
        result = np.load(tmp_path / f"{index}.npy")
        assert result.dtype == np.asarray(array).dtype and result.tobytes() == np.asarray(array).tobytes()


def test_errors_of_a_linked_module_name_arguments_and_sizes() -> None:
    executable = _compiled("sizes")
    linked = xdsl_relax.link(from_json(to_json(executable.interface)), executable.code)
    x, y = np.zeros((2, 3), np.float32), np.zeros((8, 8), np.float32)
    messages: list[str] = []
    for exe in (executable, linked):
        with pytest.raises(ArgumentError) as caught:
            exe["main"](x, y, (3, 4), (np.zeros(2, np.uint16), True))
        messages.append(str(caught.value))
    assert messages[0] == messages[1] != ""


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "not an interface record"),
        ("[]", f"an interface record of format {FORMAT} is expected, got format None"),
        (json.dumps({"format": FORMAT + 1}), f"got format {FORMAT + 1}"),
        (json.dumps({"format": FORMAT}), "not an interface record: the record: lacks the key 'version'"),
    ],
)
def test_what_is_no_record_is_refused(text: str, message: str) -> None:
    with pytest.raises(ArgumentError, match=message):
        from_json(text)


def test_a_field_of_another_type_is_refused() -> None:
    value = json.loads(to_json(_compiled("threads").interface))
    value["threads"] = "two"
    with pytest.raises(ArgumentError, match="expected int, got 'two'"):
        from_json(json.dumps(value))


def edits(value: Any, path: str = "") -> Iterator[tuple[str, Any, bool]]:
    """Yields the path, the changed value and whether it must be refused, for one change at each place of a JSON value."""
    match value:
        case dict():
            for key, item in value.items():
                yield from (
                    (p, {**value, key: made}, must) for p, made, must in edits(item, f"{path}.{key}".lstrip("."))
                )
            if "tensor" not in value:
                yield path, {**value, "zzz": 1}, True
                yield path, {key: value[key] for key in list(value)[1:]}, bool(value)
        case list():
            for index, item in enumerate(value[:3]):
                changed = edits(item, f"{path}[{index}]")
                yield from ((p, [*value[:index], made, *value[index + 1 :]], must) for p, made, must in changed)
            yield path, value[:-1], False
            yield path, [*value, {"zzz": 1}], True
            # A text is a dim inside of an expression.
            yield path, "text", not any(part in path for part in (".tensor[", ".shape[", "expected"))
        case bool() | None:
            yield path, {"zzz": 1}, True
        case int():
            is_dim = ".type." in path or "results[" in path or "expected" in path or ".shape[" in path
            yield path, -1, not is_dim and "parts" not in path
            yield path, 1 << 70, not is_dim
            yield path, 1.5, True
        case _:
            yield path, 3, ".type." not in path and "results[" not in path and "expected" not in path
            yield path, {"zzz": 1}, True


@pytest.mark.parametrize("program", ["sizes", "callbacks", "lifted", "devices"])
def test_every_change_of_a_record_is_refused_with_its_path_or_is_a_record(program: str) -> None:
    value = json.loads(to_json(_compiled(program).interface))
    refused = 0
    for path, changed, must in edits(value):
        try:
            from_json(json.dumps(changed))
        except ArgumentError as error:
            refused += 1
            message = str(error)
            assert "\n" not in message and len(message) < 400
            named = re.match(r"not an interface record: (.+?): ", message)
            if "of format" not in message:
                assert named is not None
                at_digest = named[1] == "record_digest" and not must
                assert (
                    at_digest
                    or named[1] in ("the record", "record_digest")
                    or path.startswith(named[1].split("[")[0])
                    or "one of the functions" in message
                ), message
        else:
            assert changed == value, f"{path} takes {changed!r:.300}"
    assert refused > 50


def resealed(value: Any, executable: Executable) -> str:
    """Returns the text of a changed record with the digest that fits it; raises `ArgumentError` if it is no record by its form."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(json_form, "verify_record", lambda _: None)
        return to_json(sealed(from_json(json.dumps(value)), executable.code))


NOT_RECORDS: dict[str, tuple[str, str, Any, str]] = {
    "empty-entry": ("threads", "functions.0.entry", "", r"functions\[0\]\.entry: expected a name"),
    "empty-shape-function": ("threads", "functions.0.shape_function", "", r"shape_function: expected a name"),
    "libc-entry": ("threads", "functions.0.entry", "index", "the object code does not define index"),
    "empty-workspace": ("threads", "functions.0.workspaces", [""], r"workspaces\[0\]: expected a device"),
    "no-workspace": ("threads", "functions.0.workspaces", [], "expected the device of each workspace"),
    "no-architecture": ("threads", "architecture", "", "architecture: expected a name"),
    "other-architecture": ("threads", "architecture", "riscv64", "expected object code for riscv64"),
    "object-elements": ("threads", "functions.0.signature.results.0.element", "object", "expected a type"),
    "no-symbol": ("constant", "constants.0.symbol", "", r"constants\[0\]\.symbol: expected a name"),
    "no-transform-function": ("lifted", "functions", [], "expected one of the functions"),
}


@pytest.mark.parametrize("case", NOT_RECORDS)
def test_records_that_code_cannot_follow_are_refused_even_with_their_digest(case: str) -> None:
    program, path, changed, message = NOT_RECORDS[case]
    executable = _compiled(program)
    value = json.loads(to_json(executable.interface))
    *outer, last = [int(step) if step.isdigit() else step for step in path.split(".")]
    place = value
    for step in outer:
        place = place[step]
    place[last] = changed
    with pytest.raises(ArgumentError):
        from_json(json.dumps(value))
    with pytest.raises((ArgumentError, CompileError), match=message):
        xdsl_relax.link(from_json(resealed(value, executable)), executable.code)


@pytest.mark.parametrize("change", ["results", "doubled", "rank", "arguments", "num_input", "params_index"])
def test_a_record_of_other_types_is_refused(change: str) -> None:
    executable = _compiled("lifted")
    (function,) = (f for f in executable.interface.functions if f.signature.name == "main")
    signature = function.signature
    changed = {
        "results": {"results": ()},
        "doubled": {"results": signature.results * 2},
        "rank": {"results": (signature.arguments[-1].type,)},
        "arguments": {"arguments": signature.arguments[:-1]},
        "num_input": {"num_input": 0},
        "params_index": {"params_index": ()},
    }[change]
    others = tuple(
        replace(f, signature=replace(signature, **changed)) if f is function else f
        for f in executable.interface.functions
    )
    with pytest.raises(ArgumentError, match="record_digest: the record was changed"):
        xdsl_relax.link(replace(executable.interface, functions=others), executable.code)


def _linked_with_digest(interface: Interface, code: bytes) -> None:
    xdsl_relax.link(sealed(interface, code), code)


@pytest.mark.parametrize("length", [0, 1, 5, 40, 63, 64, 300, -1])
def test_a_part_of_object_code_is_refused(length: int) -> None:
    executable = _compiled("threads")
    with pytest.raises(CompileError, match=r"^the code is not an object file that can be linked: [^\n]+$"):
        _linked_with_digest(executable.interface, executable.code[:length])


def test_object_code_with_a_changed_table_is_refused_in_one_line() -> None:
    executable = _compiled("threads")
    code = executable.code
    refused = 0
    (table,) = struct.unpack_from("<Q", code, 0x28)
    for place in (*range(4, 20), *range(0x28, 0x30), *range(0x3A, 64), *range(table + 64, len(code))):
        changed = code[:place] + bytes([code[place] ^ 0xFF]) + code[place + 1 :]
        try:
            read_object(changed)
        except ObjectFileError as error:
            refused += 1
            assert "\n" not in str(error)
    assert refused > 100


def test_object_code_whose_relocations_lead_to_what_is_not_loaded_is_refused() -> None:
    code = _compiled("threads").code
    (table,) = struct.unpack_from("<Q", code, 0x28)
    _, count = struct.unpack_from("<HH", code, 0x3A)
    kinds = [struct.unpack_from("<IIQ", code, table + 64 * index)[1:] for index in range(count)]
    loaded = [index for index, (kind, flags) in enumerate(kinds) if kind == 1 and flags & 2]
    symbols = next(index for index, (kind, _) in enumerate(kinds) if kind == 2)
    start, size = struct.unpack_from("<QQ", code, table + 64 * symbols + 24)
    messages: list[str] = []
    for flags in (0, 1, 4, 0x802, 1 << 63):
        for index in loaded:
            place = table + 64 * index + 8
            messages += _problems(code[:place] + struct.pack("<Q", flags) + code[place + 8 :])
    others = [index for index in range(count) if index not in loaded]
    for place in range(start + 6, start + size, 24):
        for index in others:
            messages += _problems(code[:place] + struct.pack("<H", index) + code[place + 2 :])
    assert any("relocates what is not loaded" in message for message in messages)
    assert any("has flags 0x802 that a section of code has not" in message for message in messages)


def _problems(code: bytes) -> list[str]:
    try:
        read_object(code)
    except ObjectFileError as error:
        return [str(error)]
    return []


def test_links_of_mutated_headers_end_with_a_module_or_an_error() -> None:
    executable = _compiled("threads")
    code, rng = executable.code, random.Random(0)
    (table,) = struct.unpack_from("<Q", code, 0x28)

    def mutant() -> bytes:
        changed = bytearray(code)
        for _ in range(rng.choice((1, 2))):
            place = rng.choice((rng.randrange(64), rng.randrange(table, len(code))))
            changed[place] = rng.choice((0, 1, 2, 4, 127, 255, rng.randrange(256)))
        return bytes(changed)

    def link_all(codes: Sequence[bytes]) -> None:
        for changed in codes:
            with suppress(CompileError):
                _linked_with_digest(executable.interface, changed)

    codes = [mutant() for _ in range(300)]
    outcome = isolated(lambda: link_all(codes), 60)
    assert isinstance(outcome, Returned), outcome


@pytest.mark.parametrize("name", ["aarch64-generic", "aarch64-apple-m1"])
def test_object_code_of_another_architecture_is_refused(name: str) -> None:
    foreign = xdsl_relax.compile(LIFTED, target=name, opt_level=0)
    interface = replace(foreign.interface, architecture="x86_64", features=())
    with pytest.raises(CompileError, match="expected object code for x86_64, got code for aarch64"):
        _linked_with_digest(interface, foreign.code)


def test_link_names_what_it_takes() -> None:
    executable = _compiled("threads")
    with pytest.raises(TypeError, match=r"^code: expected the bytes of an object file, got 'x'$"):
        xdsl_relax.link(executable.interface, "x")  # pyright: ignore[reportArgumentType]
    with pytest.raises(TypeError, match=r"^interface: expected an interface record .*, got 'x'$"):
        xdsl_relax.link("x", executable.code)  # pyright: ignore[reportArgumentType]


def test_positions_of_a_record_point_into_its_lists() -> None:
    value = json.loads(to_json(_compiled("sizes").interface))
    function = value["functions"][0]["signature"]
    function["arguments"] = function["arguments"][1:]
    with pytest.raises(ArgumentError, match=r"functions\[0\]\.signature\.(arguments\[0\]\.index|num_input): expected "):
        from_json(json.dumps(value))


def test_sizes_that_a_program_at_the_linalg_stage_declares(tmp_path: Path) -> None:
    """Types have lost them, `relax.dims` has not: errors name them, and limits and libraries find their values."""
    program = """
func.func @main(%x: tensor<?x?xf32, #relax.sym<n, 2 * n>>, %s: !relax.shape<[m]>, %r: tensor<1xf32>) -> tensor<?xf32, #relax.sym<m>> {
  %y = relax.broadcast_to %r, %s : (tensor<1xf32>, !relax.shape<[m]>) -> tensor<?xf32, #relax.sym<m>>
  return %y : tensor<?xf32, #relax.sym<m>>
}"""
    (tmp_path / "relax.mlir").write_text(program)
    status, text, _ = run_tool(tools()["relax-opt"], [str(tmp_path / "relax.mlir"), "-p", "linalg"], b"")
    assert status == 0
    lowered = tmp_path / "linalg.mlir"
    lowered.write_bytes(text)
    executable = xdsl_relax.compile(lowered)
    record = executable.interface
    assert from_json(to_json(record)) == record
    (function,) = record.functions
    assert symbol_names(function.signature) == ["n", "m"]
    x, r = np.ones((3, 6), np.float32), np.ones(1, np.float32)
    np.testing.assert_array_equal(executable["main"](x, 5, r), np.ones(5, np.float32))
    with pytest.raises(
        ArgumentError, match=re.escape("main: argument 'x' dim 1: expected 2 * n = 6 (from 'x' dim 0), got 7")
    ):
        executable["main"](np.ones((3, 7), np.float32), 5, r)
    with pytest.raises(ArgumentError, match="main: argument 's': expected m >= 0, got -2"):
        executable["main"](x, -2, r)
    xdsl_relax.compile_library(lowered, tmp_path / "out", name="declared")
    assert "x: float32[n, 2 * n]" in (tmp_path / "out" / "declared.h").read_text()


@pytest.mark.parametrize(
    ("argument", "message"),
    [
        ("tensor<?xf32> {relax.dims = [-1 : i64]}", "f: expected sizes from 0 to below 2^63, got [-1]"),
        (
            "index {relax.dims = [9223372036854775808 : i128]}",
            "f: expected sizes from -9223372036854775808 to below 2^63, got",
        ),
        ("tensor<*xf32>", "f: no value of type tensor<*xf32> crosses the boundary of a function"),
    ],
)
def test_arguments_that_no_caller_has_are_an_error_of_their_function(argument: str, message: str) -> None:
    program = f"func.func @f(%x: {argument}, %k: index) -> index {{\n  func.return %k : index\n}}"
    with pytest.raises(PassFailedException, match=re.escape(f"<text>:1:1: error: {message}")):
        xdsl_relax.compile(program)


def test_types_have_one_spelling() -> None:
    (function,) = _compiled("sizes").interface.functions
    for value_type in (*(argument.type for argument in function.signature.arguments), *function.signature.results):
        assert type_from_plain(json.loads(json.dumps(plain_type(value_type)))) == value_type


def test_the_version_is_that_of_the_package() -> None:
    assert _compiled("threads").interface.version == xdsl_relax.__version__
    assert xdsl_relax.__version__[0].isdigit()
