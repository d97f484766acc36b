"""Arguments of `compile` and `load` of the wrong kind: one line that says what is wanted."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import xdsl_relax
from xdsl_relax.interpreter.host.errors import ArgumentError
from xdsl_relax.runtime.params.parameter_set import ParameterSet

SOURCE = "func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {\n  return %x : tensor<2xf32>\n}"

WRONG: list[tuple[dict[str, Any], str]] = [
    ({"target": 3}, "target: expected the name of a CPU, got 3"),
    ({"target": b"native"}, "target: expected the name of a CPU, got b'native'"),
    ({"passes": 3}, "passes: expected a pipeline as text, or a list of such and of pass objects, got 3"),
    ({"passes": None}, "passes: expected a pipeline as text, or a list of such and of pass objects, got None"),
    ({"passes": [3]}, "passes: expected a pipeline as text, or a list of such and of pass objects, got [3]"),
    ({"passes": {"graph": 3}}, "passes: expected a pipeline as text, or a list of such and of pass objects, got 3"),
    ({"passes": {3: "cse"}}, "there is no stage 3, expected one of optimize, graph"),
    ({"passes": "name"}, "unknown pass 'name', expected one that relax-opt --list-passes lists"),
    ({"passes": "relax-fold-constnt"}, "unknown pass 'relax-fold-constnt' (did you mean 'relax-fold-constant'"),
    (
        {"optlevel": 3},
        "compile: no option 'optlevel', did you mean 'opt_level'?; its options are opt_level, threads, lift, target",
    ),
    ({"observer": 3}, "observer: expected a function of a name, a module and seconds, got 3"),
    ({"threads": "2"}, "threads: expected 0 to 4096, got '2'"),
    ({"threads": True}, "threads: expected 0 to 4096, got True"),
    ({"opt_level": True}, "opt_level: expected 0, 1, 2 or 3, got True"),
    ({"opt_level": 7}, "opt_level: expected 0, 1, 2 or 3, got 7"),
    ({"bounds_checks": "no"}, "bounds_checks: expected True or False, got 'no'"),
    ({"bounds_checks": 0}, "bounds_checks: expected True or False, got 0"),
    ({"profile": "on"}, "profile: expected True or False, got 'on'"),
    ({"lift": 1}, 'lift: expected False, True or "shared", got 1'),
    ({"lift": "x"}, "lift: expected False, True or \"shared\", got 'x'"),
]


@pytest.mark.parametrize(("arguments", "message"), WRONG, ids=str)
def test_a_wrong_argument_is_one_line(arguments: dict[str, Any], message: str):
    with pytest.raises(Exception) as error:
        xdsl_relax.compile(SOURCE, **arguments)
    assert str(error.value).startswith(message) and "\n" not in str(error.value)


@pytest.mark.parametrize("source", [None, b"func", 3, []], ids=str)
def test_a_wrong_source_is_one_line(source: Any):
    for use in (xdsl_relax.compile, xdsl_relax.load):
        with pytest.raises(TypeError, match=r"^expected the text of a module, or the Path of its file, got .*$"):
            use(source)


def test_a_model_of_another_library_is_told_its_importer():
    torch = pytest.importorskip("torch")
    with pytest.raises(
        TypeError, match=r"got Linear\(.*; import it with xdsl_relax\.frontend\.torch\.import_exported_program$"
    ):
        xdsl_relax.compile(torch.nn.Linear(3, 4))


def test_weights_in_place_of_transformed_parameters_are_told_the_transform():
    text = """
        func.func @main(%x: tensor<2x4xf32>, %w: tensor<3x4xf32>) -> tensor<2x3xf32> attributes {relax.num_input = 1 : i64} {
          %t = relax.permute_dims %w : (tensor<3x4xf32>) -> tensor<4x3xf32>
          %y = relax.matmul %x, %t : (tensor<2x4xf32>, tensor<4x3xf32>) -> tensor<2x3xf32>
          func.return %y : tensor<2x3xf32>
        }"""
    exe, x, w = xdsl_relax.compile(text, lift=True), np.ones((2, 4), np.float32), np.ones((3, 4), np.float64)
    with pytest.raises(
        ArgumentError, match=r"\(parameters are what main_transform_params returns: call transform_params\)$"
    ):
        exe["main"](x, w)


def test_a_profile_is_there_at_the_end():
    exe = xdsl_relax.compile(SOURCE, profile=True)
    with exe.profiling() as profiling, pytest.raises(ArgumentError, match=r"^the profile is there at the end"):
        _ = profiling.profile
    assert profiling.profile is not None


def test_a_parameter_set_is_a_sequence_that_shows_no_data():
    first, second = np.full((2, 3), 7.25, np.float32), (4, 5)
    params = ParameterSet("transform_params", "f" * 64, (first, second))
    assert len(params) == 2 and params[0] is first and list(params)[1] is second
    assert first in params and np.array(first) not in params and second in params
    assert repr(params) == str(params)
    assert repr(params).splitlines() == [
        "<ParameterSet of @transform_params: 2 values, 24 bytes",
        "  result_0: float32[2, 3], 24 bytes",
        "  result_1: (4, 5)>",
    ]
