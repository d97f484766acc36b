"""Names agree: registry key, class, file stem, FileCheck test; and stages name only passes that exist."""

from __future__ import annotations

import re
import sys
from dataclasses import fields
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any, cast

import pytest
from xdsl.passes import ModulePass
from xdsl.universe import XDSL_UNIVERSE
from xdsl.utils.arg_spec import parse_pipeline
from xdsl_relax.dialects import DIALECTS
from xdsl_relax.lowering import LOWERINGS
from xdsl_relax.lowering.pipeline import Settings, pipelines
from xdsl_relax.passes import PASSES
from xdsl_relax.tools.pass_list import pass_description
from xdsl_relax.universe import RELAX_UNIVERSE

PIPELINES = pipelines(Settings(threads=0))

ROOT = Path(__file__).resolve().parents[3]
REGISTRIES = {"passes": PASSES, "lowering": LOWERINGS}
ENTRIES = [(folder, name) for folder, registry in REGISTRIES.items() for name in registry]


def load(folder: str, name: str) -> type[ModulePass]:
    return REGISTRIES[folder][name]()


def words(name: str) -> str:
    """The name as one lower-case word, without the `relax` in front that passes on relax carry."""
    return re.sub("[-_]", "", name.lower()).removeprefix("relax")


def stem(pass_type: type[ModulePass]) -> str:
    """The file of the pass."""
    return pass_type.__module__.rpartition(".")[2]


@pytest.mark.parametrize(("folder", "name"), ENTRIES)
def test_names_agree(folder: str, name: str):
    pass_type = load(folder, name)
    assert issubclass(pass_type, ModulePass)
    assert pass_type.name == name
    assert pass_type.__name__.endswith("Pass")
    assert words(pass_type.__name__.removesuffix("Pass")) == words(name)
    assert words(stem(pass_type)) == words(name)


@pytest.mark.parametrize(("folder", "name"), ENTRIES)
def test_each_option_has_a_text(folder: str, name: str):
    pass_type = load(folder, name)
    text = pass_description(pass_type)
    for field in fields(cast(Any, pass_type)):
        assert re.search(rf"^  {field.name}=.*\n    [0-9A-Za-z`]", text, re.MULTILINE), (
            f"{field.name} has no text behind it"
        )


@pytest.mark.parametrize(("folder", "name"), ENTRIES)
def test_a_pass_has_a_docstring_and_a_filecheck_test(folder: str, name: str):
    pass_type = load(folder, name)
    assert pass_type.__doc__ and not pass_type.__doc__.startswith(f"{pass_type.__name__}(")
    file = stem(pass_type)
    area = ROOT / "tests" / "filecheck" / folder
    tests = [*area.glob(f"{file}*.mlir"), *area.glob(f"{file}/*.mlir")]
    assert any(re.search(rf"-p\s*['\"]?[^|\n]*\b{re.escape(name)}\b", test.read_text()) for test in tests), (
        f"no test in {area.relative_to(ROOT)} whose name starts with {file} runs {name}"
    )


@pytest.mark.parametrize("name", PASSES)
def test_a_pass_shows_ir_and_says_what_it_requires_and_leaves(name: str):
    documentation = load("passes", name).__doc__ or ""
    for part in ("```mlir", "*Requires*", "*Leaves*"):
        assert part in documentation, f"the docstring of {name} has no {part}"


@pytest.mark.parametrize("folder", list(REGISTRIES))
def test_every_pass_is_registered(folder: str):
    registered = {load(folder, name) for name in REGISTRIES[folder]}
    for module in [m for n, m in sorted(sys.modules.items()) if n.startswith(f"xdsl_relax.{folder}.")]:
        for value in vars(module).values():
            if (
                isinstance(value, type)
                and issubclass(value, ModulePass)
                and value.__module__ == module.__name__
                and "name" in vars(value)
            ):
                assert value in registered, f"{value.__name__} is not in {folder}/__init__.py"


def test_registries_are_sorted_into_one_universe():
    assert not {*PASSES} & {*LOWERINGS}
    assert {*RELAX_UNIVERSE.all_passes} == {*PASSES} | {*LOWERINGS}


def test_names_do_not_clash_with_xdsl():
    # A clash makes every xDSL driver fail at its start.
    assert not {*RELAX_UNIVERSE.all_passes} & {*XDSL_UNIVERSE.all_passes}
    assert not {*RELAX_UNIVERSE.all_dialects} & {*XDSL_UNIVERSE.all_dialects}


def test_the_universe_is_an_entry_point():
    (ours,) = [e for e in entry_points(group="xdsl.universe") if e.name == "xdsl_relax"]
    assert ours.load() is RELAX_UNIVERSE


@pytest.mark.parametrize("name", DIALECTS)
def test_dialects_are_named_as_registered(name: str):
    assert DIALECTS[name]().name == name


@pytest.mark.parametrize("stage", PIPELINES)
def test_stages_name_existing_passes(stage: str):
    known = {*RELAX_UNIVERSE.all_passes, *XDSL_UNIVERSE.all_passes}
    names = [spec.name for entry in PIPELINES[stage] for spec in parse_pipeline(entry)]
    assert names and [name for name in names if name not in known] == []
    assert stage not in known, "a stage and a pass must not share a name"
