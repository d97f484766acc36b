"""Options of passes: a value of another type or out of range is an error when the pass is made, for every option of every pass."""

from __future__ import annotations

import dataclasses
from typing import Any, Literal, get_args, get_origin, get_type_hints

import pytest
from xdsl_relax.lowering import LOWERINGS
from xdsl_relax.lowering.pipeline import Settings
from xdsl_relax.lowering.pipeline_spec import PipelineSpecError, parse_pass_pipeline
from xdsl_relax.passes import PASSES

ALL = {**PASSES, **LOWERINGS}
OPTIONS = [
    (name, option)
    for name, load in ALL.items()
    for option in dataclasses.fields(load())
    if option.init and option.name != "name"
]


def required(pass_type: Any) -> dict[str, Any]:
    """Returns values for the options that have no default."""
    return {option.name: "cpu:1" for option in dataclasses.fields(pass_type) if option.default is dataclasses.MISSING}


@pytest.mark.parametrize(("name", "option"), OPTIONS, ids=lambda value: getattr(value, "name", value))
def test_a_wrong_value_is_refused(name: str, option: Any):
    pass_type = ALL[name]()
    hint = get_type_hints(pass_type)[option.name]
    given = required(pass_type)
    if hint is int:
        least, most = option.metadata["range"]
        wrong = [least - 1, -5, True, 1.5, "3", *([] if most is None else [most + 1])]
        expected = f"{option.name}: expected (at least {least}|{least} to {most}), got"
    elif get_origin(hint) is Literal:
        choices = get_args(hint)
        wrong = ["x", 3, None, *(float(choice) for choice in choices if isinstance(choice, int))]
        expected = f"{option.name}: expected one of {', '.join(map(str, choices))}, got"
    elif hint in (bool, str):
        words = "true or false" if hint is bool else "a string"
        wrong, expected = [3, None, b"x"], f"{option.name}: expected {words}, got"
    else:
        return
    for value in wrong:
        with pytest.raises(ValueError, match=expected):
            pass_type(**{**given, option.name: value})
    assert pass_type(**given)


SPECS = {
    "relax-fuse-ops{max_depth=-5}": "bad option of pass 'relax-fuse-ops': max_depth: expected at least 1, got -5;",
    "relax-fuse-ops{opt_level=7}": "bad option of pass 'relax-fuse-ops': opt_level: expected 0 to 3, got 7;",
    "relax-fuse-ops{max_depth=a}": "max_depth cannot be a; its options: inline_kernels: bool, max_depth: int, opt_level: int, singles: bool",
    "relax-inline{recursion=x}": "recursion cannot be x; its options: private_functions: bool, recursion: keep | refuse",
    "outline-parallel{threads=5000}": "threads: expected 0 to 4096, got 5000; its options: threads: int",
    "relax-fuse-ops{maxdepth=3}": "pass 'relax-fuse-ops' has no option 'maxdepth' (did you mean 'max_depth'?)",
}


@pytest.mark.parametrize("spec", SPECS)
def test_the_error_of_a_pipeline_names_the_option(spec: str):
    with pytest.raises(PipelineSpecError) as error:
        parse_pass_pipeline(spec, ALL, {})
    assert SPECS[spec] in str(error.value)


def test_what_a_call_is_compiled_for():
    told = "schedule-linalg,schedule-linalg{target=x86-64 threads=3},relax-fuse-ops"
    given, own, _ = parse_pass_pipeline(told, ALL, {}, "znver4", 2)
    assert (vars(given)["target"], vars(given)["threads"]) == ("znver4", 2)
    assert (vars(own)["target"], vars(own)["threads"]) == ("x86-64", 3)
    (alone,) = parse_pass_pipeline("schedule-linalg", ALL, {})
    assert vars(alone)["threads"] == 0


@pytest.mark.parametrize("target", ["x86-64", "x86-64-v4", "sapphirerapids", "aarch64-generic", "wasm32"])
def test_a_pass_that_is_named_has_the_options_of_its_stage_for_a_target(target: str):
    asking = ("relax-split-batches", "relax-pack-weights", "relax-use-winograd", "tile-attention", "convert-to-llvm")
    settings = Settings(target=target, lift=True)
    named = parse_pass_pipeline(",".join(asking), ALL, {}, target)
    assert named == parse_pass_pipeline(",".join(name + settings.options(name) for name in asking), ALL, {})


def test_options_that_are_given_stay_for_any_target():
    own, half = parse_pass_pipeline("tile-attention{cache=5},relax-pack-weights{widen-f16=false}", ALL, {}, "x86-64")
    assert (vars(own)["cache"], vars(half)["widen_f16"], vars(half)["panel"]) == (5, False, 16)
    unchanged, _ = parse_pass_pipeline("tile-attention,relax-pack-weights", ALL, {})
    assert unchanged == ALL["tile-attention"]()()
