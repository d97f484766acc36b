"""Constants whose data stands in the `dialect_resources` section: parsing, printing, and several files in one process."""

from __future__ import annotations

import gc
import subprocess

import numpy as np
import pytest
import xdsl_relax
from harness.upstream import MLIR_OPT, requires_upstream
from xdsl.dialect_interfaces.op_asm import OpAsmDialectInterface
from xdsl.dialects.builtin import Builtin, DenseIntOrFPElementsAttr, TensorType, f32
from xdsl.utils.exceptions import ParseError
from xdsl_relax.dialects.relax.dense import dense_from_numpy, is_splat
from xdsl_relax.dialects.upstream.op_error import OpError
from xdsl_relax.interpreter.engine import Interpreter
from xdsl_relax.tools.relax_opt import main as relax_opt


def _program(value: list[float], name: str = "weight", shape: str = "2xf32", data: str | None = None) -> str:
    digits = data if data is not None else "04000000" + np.array(value, np.float32).tobytes().hex().upper()
    return f"""func.func @main() -> (tensor<{shape}>, tensor<{shape}>) {{
  %0 = arith.constant dense_resource<{name}> : tensor<{shape}>
  %1 = arith.constant dense_resource<{name}> : tensor<{shape}>
  return %0, %1 : tensor<{shape}>, tensor<{shape}>
}}
{{-#
  dialect_resources: {{
    builtin: {{
      {name}: "0x{digits}",
      unused: "0x0400000000"
    }}
  }}
#-}}
"""


def _run(text: str) -> list[list[float]]:
    module = xdsl_relax.load(text)
    interpreted = [np.asarray(result).tolist() for result in Interpreter(module).call("main")]
    native = [np.asarray(result).tolist() for result in xdsl_relax.compile(module)["main"].call()]
    assert native == interpreted
    return native


@pytest.mark.parametrize("name", ["weight", "torch_tensor_2_torch.float32_1", '"a name/with blanks"'])
def test_files_of_one_process_may_use_one_name(name: str) -> None:
    first, second = xdsl_relax.load(_program([1, 2], name)), xdsl_relax.load(_program([3, 4], name))
    assert _run(_program([1, 2], name)) == [[1, 2]] * 2
    assert _run(_program([3, 4], name)) == [[3, 4]] * 2
    assert str(first) != str(second)
    assert str(first) == str(xdsl_relax.load(_program([1, 2], name)))


def test_data_is_freed_with_the_program() -> None:
    module = xdsl_relax.load(_program([5, 6], "freed"))
    store = Builtin.get_interface(OpAsmDialectInterface)
    assert store is not None and f"{store.lookup('freed')}".endswith("C040")
    del module
    gc.collect()
    assert f"{store.lookup('freed')}" == ""
    assert "dense_resource<freed>" in str(xdsl_relax.load(_program([7, 8], "freed")))


def test_bits_are_a_byte_each() -> None:
    text = _program([], shape="9xi1", data="04000000" + "010001000100010001")
    assert _run(text)[0] == [True, False] * 4 + [True]


@requires_upstream
@pytest.mark.parametrize("name", ["printed", '"a name"'])
def test_what_is_printed_is_what_upstream_prints(
    name: str, capfd: pytest.CaptureFixture[str], tmp_path: object
) -> None:
    path = f"{tmp_path}/program.mlir"
    with open(path, "w") as stream:
        stream.write(_program([1.5, 2], name))
    assert relax_opt([path]) in (0, None)
    printed = capfd.readouterr().out
    assert f'{name}: "0x040000000000C03F00000040"' in printed
    result = subprocess.run([str(MLIR_OPT)], input=printed, capture_output=True, text=True, check=True)
    assert f"dense_resource<{name}> : tensor<2xf32>" in result.stdout


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (_program([1, 2, 3]), "resource weight: expected 8 bytes for tensor<2xf32>, got 12"),
        (_program([], data="04"), "resource weight: expected at least 4 bytes, got 1"),
        (_program([], data="04000000F"), "resource weight: expected an even number of hexadecimal digits"),
        (_program([], data="04000000zz"), "resource weight: expected an even number of hexadecimal digits"),
        (_program([1, 2]).replace("#-}", ""), "'#-}' expected, found the end of the file"),
        (_program([1, 2]).replace("dialect_resources", "external_resources"), "external resources are not supported"),
    ],
)
def test_malformed_sections_are_one_error_with_a_position(text: str, message: str) -> None:
    with pytest.raises(ParseError) as raised:
        xdsl_relax.compile(text)
    assert message in str(raised.value)


def test_a_resource_without_data_is_parsed_and_named() -> None:
    text = _program([1, 2], "__elided__").partition("{-#")[0]
    with pytest.raises(OpError, match="the file has no dense_resource named '__elided__'"):
        xdsl_relax.compile(xdsl_relax.load(text))


@pytest.mark.parametrize(
    ("values", "expected"),
    [([1.0] * 100, True), ([0.0, -0.0], False), ([float("nan")] * 3, True), ([1.0] * 99 + [2.0], False), ([], False)],
)
def test_a_splat_repeats_its_bits(values: list[float], expected: bool) -> None:
    value = dense_from_numpy(np.array(values, np.float32), f32)
    assert isinstance(value, DenseIntOrFPElementsAttr) and isinstance(value.type, TensorType)
    assert is_splat(value) == expected
