"""Functions of jax as they are written for the CPU: branches of platforms, calls of LAPACK and of Python."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

jax = pytest.importorskip("jax", reason="needs jax")
import jax.numpy as jnp  # noqa: E402
import xdsl_relax  # noqa: E402
from xdsl_relax.frontend.model.problems import UnsupportedModelError  # noqa: E402
from xdsl_relax.frontend.stablehlo import from_jax  # noqa: E402
from xdsl_relax.runtime.interpreted import interpret  # noqa: E402
from xdsl_relax.tools import relax_run  # noqa: E402

RNG = np.random.default_rng(0)


def _floats(*shape: int) -> np.ndarray[Any, Any]:
    return RNG.standard_normal(shape, dtype=np.float32)


def _agrees(function: Callable[..., Any], *arguments: np.ndarray[Any, Any]) -> None:
    """Holds a function by the interpreter and as machine code against jax on the CPU."""
    module = from_jax(function, *arguments)
    expected = jax.tree_util.tree_leaves(jax.jit(function)(*arguments))
    native = xdsl_relax.compile(module)["main"](*arguments)
    for results in (interpret(module)("main", *arguments), native if isinstance(native, list | tuple) else [native]):
        for result, other in zip(results, expected, strict=True):
            np.testing.assert_allclose(np.asarray(result), other, rtol=1e-3, atol=1e-3)


def test_branches_of_platforms_are_those_of_the_cpu() -> None:
    def choose(x: Any) -> Any:
        named = jax.lax.platform_dependent(x, cpu=lambda x: x + 1, tpu=lambda x: x + 2, default=lambda x: x + 3)
        return named, jax.lax.platform_dependent(x, tpu=lambda x: x + 2, default=lambda x: x + 3)

    _agrees(choose, np.zeros(3, np.float32))


@pytest.mark.parametrize("upper", (False, True))
def test_cholesky(upper: bool) -> None:
    a = _floats(3, 5, 5)
    a = a @ np.swapaxes(a, 1, 2) + np.eye(5, dtype=np.float32)
    a[1, 3, 3], a[2, 0, 0] = -1, 0
    _agrees(lambda a: jnp.linalg.cholesky(a, upper=upper), a)


@pytest.mark.parametrize("left_side", (False, True))
def test_triangular_systems(left_side: bool) -> None:
    def solve(a: Any, b: Any) -> Any:
        kinds = [(lower, turned, unit) for lower in (0, 1) for turned in (0, 1) for unit in (0, 1)]
        return [
            jax.lax.linalg.triangular_solve(
                a, b, left_side=left_side, lower=bool(lower), transpose_a=bool(turned), unit_diagonal=bool(unit)
            )
            for lower, turned, unit in kinds
        ]

    _agrees(solve, _floats(2, 3, 3) / 4 + np.eye(3, dtype=np.float32), _floats(2, 3, 3))


@pytest.mark.parametrize("n", (1, 2, 3, 17))
def test_tridiagonal_systems(n: int) -> None:
    lower, diagonal, upper = _floats(2, n), _floats(2, n), _floats(2, n)
    # The second needs that rows are exchanged; what stands outside of the matrix is not read.
    diagonal[0] += 3
    diagonal[1, 0] = 0 if n > 1 else 1
    lower[:, 0] = upper[:, -1] = np.nan
    _agrees(jax.lax.linalg.tridiagonal_solve, lower, diagonal, upper, _floats(2, n, 2))


def test_singular_tridiagonal_systems_have_no_solution() -> None:
    zeros, b = np.zeros(3, np.float32), np.ones((3, 1), np.float32)
    _agrees(jax.lax.linalg.tridiagonal_solve, zeros, np.array([1, 0, 1], np.float32), zeros, b)


def _print(x: Any) -> Any:
    jax.debug.print("{}", x)
    return x


CALLBACKS: dict[str, Callable[[Any], Any]] = {
    "pure_callback": lambda x: jax.pure_callback(np.sin, x, x),
    "debug_print": _print,
    "io_callback": lambda x: jax.experimental.io_callback(np.sin, x, x, ordered=True),
}


@pytest.mark.parametrize("name", CALLBACKS)
@pytest.mark.parametrize("size", (4, "n"))
def test_calls_of_python_are_refused_by_name(name: str, size: int | str) -> None:
    sizes = jax.export.symbolic_shape(size) if isinstance(size, str) else (size,)
    with pytest.raises(UnsupportedModelError, match=f"cannot import 1 construct: .*{name}.* no counterpart"):
        from_jax(CALLBACKS[name], jax.ShapeDtypeStruct(sizes, np.float32))


def test_other_calls_of_lapack_are_refused_by_name() -> None:
    with pytest.raises(UnsupportedModelError, match="custom_call @lapack_sgetrf_ffi at 'lu'"):
        from_jax(jnp.linalg.inv, jax.ShapeDtypeStruct((3, 3), np.float32))


def test_dynamic_sizes_are_compared_with_jax(tmp_path, capsys):
    sizes = jax.export.symbolic_shape("n, m")
    data = jax.ShapeDtypeStruct((sizes[0], 4), np.float32), jax.ShapeDtypeStruct((4, sizes[1]), np.float32)
    exported = jax.export.export(jax.jit(lambda x, y: jax.nn.softmax(x @ y) + x.shape[0]))(*data)
    path = tmp_path / "dynamic.mlirbc"
    path.write_bytes(exported.mlir_module_serialized)
    assert relax_run.main([str(path), "--check=jax", "--dim", "arg0_0=3", "--dim", "arg1_1=5"]) == 0
    assert "check: result 0 agrees with jax" in capsys.readouterr().out
