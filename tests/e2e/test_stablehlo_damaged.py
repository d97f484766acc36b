"""Programs of StableHLO that are damaged, or whose calls cannot be inlined: one error, and nothing beside it."""

from __future__ import annotations

import io
import random
from typing import Any

import numpy as np
import pytest

jax = pytest.importorskip("jax", reason="needs jax")
import jax.numpy as jnp  # noqa: E402
from xdsl_relax.frontend.model.problems import ModelImportError  # noqa: E402
from xdsl_relax.frontend.stablehlo import from_jax, import_stablehlo, load, to_stablehlo_bytecode  # noqa: E402

SCALARS = "(tensor<f32>) -> tensor<f32>"


def _bytecode() -> bytes:
    x = jax.ShapeDtypeStruct((4, 3), "float32")
    return to_stablehlo_bytecode(from_jax(lambda x, y: jnp.sort(x + y) @ y.T, x, x))


def _refusal(program: str | bytes) -> str:
    try:
        import_stablehlo(program)
    except ModelImportError as error:
        return str(error)
    return ""


def test_damaged_bytecode_is_one_line(capfd: pytest.CaptureFixture[str]) -> None:
    whole, rng = _bytecode(), random.Random(0)
    refused = 0
    for _ in range(8):
        data = bytearray(whole if rng.random() > 0.3 else whole[: rng.randrange(40, len(whole))])
        for _ in range(rng.choice([1, 1, 2, 5])):
            data[rng.randrange(len(data))] = rng.randrange(256)
        message = _refusal(bytes(data))
        refused += bool(message)
        assert "\n" not in message and not message.startswith("internal")
    assert refused > 5
    assert capfd.readouterr() == ("", "")


def test_bytecode_that_is_no_portable_artifact() -> None:
    buffer = io.BytesIO()
    jax.jit(lambda x: x + x).lower(np.ones(3, np.float32)).compiler_ir("stablehlo").operation.write_bytecode(buffer)
    data = buffer.getvalue()
    assert import_stablehlo(data).inputs
    assert _refusal(data[: len(data) // 2]).startswith("not a program of StableHLO: ")
    # MLIR reads the ops of artifacts without what it knows of them, and ends.
    damaged = _bytecode().replace(b"StableHLO_v", b"StableHLO\xff\xfe", 1)
    assert _refusal(damaged[:-200]).startswith("not a program of StableHLO: ")


def test_bytecode_that_the_bindings_never_return_of(monkeypatch: pytest.MonkeyPatch) -> None:
    data = _bytecode()
    monkeypatch.setattr(load, "CPU_SECONDS", 1)
    monkeypatch.setattr(load, "READ", load.READ.replace("data = sys", "while True: pass\ndata = sys"))
    assert _refusal(data) == "not a program of StableHLO: the bytecode is damaged"


@pytest.mark.parametrize("name", ["jit_f", "main", "named"])
def test_names_that_are_no_text(name: str) -> None:
    buffer = io.BytesIO()
    x = jax.ShapeDtypeStruct((3,), "float32")

    def f(x: Any) -> Any:
        with jax.named_scope("named"):
            return x + x

    jax.jit(f).lower(x).compiler_ir("stablehlo").operation.write_bytecode(buffer, desired_version=1)
    data = buffer.getvalue()
    damaged = data.replace(name.encode(), b"\xff" + name.encode()[1:])
    assert damaged != data
    message = _refusal(damaged)
    assert name == "jit_f" or message.endswith(
        ("the bytecode is damaged", "the file is damaged (names in it are no UTF-8)")
    )


def _function(name: str, *lines: str) -> str:
    return "\n".join([f"func.func {name}(%x: tensor<f32>) -> tensor<f32> {{", *lines, "}\n"])


def test_calls_that_cannot_be_inlined() -> None:
    call = f"  %y = func.call @f(%x) : {SCALARS}"
    main = _function("public @main", call, "  return %y : tensor<f32>")
    assert "func.call at 'line 3': the function @f has no body" in _refusal(
        f"func.func private @f(tensor<f32>) -> tensor<f32>\n{main}"
    )
    assert (
        _refusal(_function("private @f", call, "  return %y : tensor<f32>") + main) == "the function 'f' calls itself"
    )
    doubled = "".join(
        _function(
            f"private @f{'' if level == 0 else level}",
            f"  %y = func.call @f{level + 1}(%x) : {SCALARS}",
            f"  %z = func.call @f{level + 1}(%y) : {SCALARS}",
            "  return %z : tensor<f32>",
        )
        for level in range(40)
    )
    last = _function("private @f40", "  return %x : tensor<f32>")
    assert "ops when they are inlined, expected at most 100000" in _refusal(doubled + last + main)
