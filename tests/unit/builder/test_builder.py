"""The public builder: the programs that it writes, and types."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import xdsl_relax
from harness.linear_program import linear
from xdsl.dialects.builtin import f32, i1
from xdsl_relax.builder import (
    ModuleBuilder,
    device,
    element_type,
    shape,
    sizes_of,
    sym,
    tensor,
)

EXAMPLES = Path(__file__).parents[3] / "examples"


def test_a_function_with_a_parameter():
    assert str(linear().build()) == (
        """\
builtin.module {
  func.func @main(%x: tensor<?x8xf32, #relax.sym<n>>, %fc_weight: tensor<4x8xf32> {relax.name = "fc.weight"}) -> tensor<?x4xf32, #relax.sym<n>> attributes {relax.num_input = 1 : i64} {
    %r = relax.dataflow {
      %w_t = relax.permute_dims %fc_weight {axes = array<i64: 1, 0>} : (tensor<4x8xf32>) -> tensor<8x4xf32>
      %y = relax.matmul %x, %w_t : (tensor<?x8xf32, #relax.sym<n>>, tensor<8x4xf32>) -> tensor<?x4xf32, #relax.sym<n>>
      relax.output %y : tensor<?x4xf32, #relax.sym<n>>
    } : tensor<?x4xf32, #relax.sym<n>>
    func.return %r : tensor<?x4xf32, #relax.sym<n>>
  }
}"""
    )


def test_the_text_parses_to_the_same_text(tmp_path: Path):
    path = tmp_path / "linear.mlir"
    linear().write(path, "A product.\nTwo lines.")
    assert path.read_text().startswith("// A product.\n// Two lines.\nbuiltin.module {")
    assert str(xdsl_relax.load(path)) == str(linear().build())


def test_the_builder_is_a_name_of_the_package():
    assert xdsl_relax.builder.ModuleBuilder is ModuleBuilder


def test_importing_the_builder_loads_no_pass():
    code = "import sys, xdsl_relax.builder; print([m for m in sys.modules if m.startswith(('xdsl_relax.passes', 'xdsl_relax.lowering'))])"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"


@pytest.mark.parametrize("name", ["bert_layer", "llama_decoder", "resnet18"])
def test_examples_are_what_their_scripts_write(name: str, tmp_path: Path):
    arguments = ["2"] if name == "llama_decoder" else []
    script = tmp_path / f"{name}.py"
    script.write_text((EXAMPLES / f"{name}.py").read_text())
    subprocess.run([sys.executable, script, *arguments], check=True)
    assert script.with_suffix(".mlir").read_text() == (EXAMPLES / f"{name}.mlir").read_text()


def test_types():
    assert str(tensor(["n", "2 * n + 1", 4], "f16")) == "tensor<?x?x4xf16, #relax.sym<n, 2 * n + 1>>"
    assert str(tensor([sym("n"), None], np.int8)) == "tensor<?x?xi8, #relax.sym<n, ?>>"
    n = sym("n")
    assert str(tensor([n, 2 * n + 1, n - 1, n // 2, n % 4], "i8")) == (
        "tensor<?x?x?x?x?xi8, #relax.sym<n, 2 * n + 1, n - 1, n floordiv 2, n mod 4>>"
    )
    assert str(tensor([1 + n, 8 - n, n * n], "i8")) == "tensor<?x?x?xi8, #relax.sym<n + 1, (-1) * n + 8, n * n>>"
    assert str(tensor(None, "float32")) == "tensor<*xf32>"
    assert str(tensor([2], f32, "cuda:1")) == 'tensor<2xf32, #relax.vdevice<"cuda", 1, "global">>'
    assert str(shape(["n", 4])) == "!relax.shape<[n, 4]>"
    assert device("cuda:1").label == "cuda:1"
    assert element_type("bool") == i1


def test_wrong_types():
    known = "f64, f32, f16, bf16, i8, i16, i32, i64, ui8, ui16, ui32, ui64, i1, index"
    with pytest.raises(ValueError) as error:
        element_type("f33")
    assert str(error.value).endswith(f": error: expected an element type ({known}), got 'f33', did you mean 'f32'?")
    for code, element in {
        "i4": "i32",
        "i2": "i16",
        "f4": "f32",
        "f2": "f16",
        "f8": "f64",
        "u1": "ui8",
        "b1": "i1",
    }.items():
        with pytest.raises(ValueError) as error:
            element_type(code)
        assert str(error.value).endswith(f"({known}), got {code!r}, which is numpy's code of {element}")
    assert [str(element_type(name)) for name in ("i8", "i1", "bfloat16", "uint8", "<i4")] == [
        "i8",
        "i1",
        "bf16",
        "ui8",
        "i32",
    ]
    assert sizes_of(tensor(None, "f32")) is None
    with pytest.raises(ValueError) as error:
        sym("2 * n")
    assert str(error.value).endswith(": expected the name of a symbol (ASCII letters, digits and '_'), got '2 * n'")
