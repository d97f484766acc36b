"""Passes on devices against TVM's, on random modules; `RELAX_DEVICE_MODULES=500` compares more."""

from __future__ import annotations

import os

import pytest

pytest.importorskip("tvm")

from generators.device_modules import DeviceModule
from oracles.oracle_devices import COMPARISONS, COMPETING
from tvm_ffi import structural_equal
from xdsl_relax.dialects.relax.attrs import VDeviceAttr
from xdsl_relax.dialects.relax.vocabulary.attributes import VDEVICES
from xdsl_relax.frontend.tvm import from_relax, to_relax
from xdsl_relax.frontend.tvm.diagnostics import UnsupportedError

MODULES = int(os.environ.get("RELAX_DEVICE_MODULES", "30"))


@pytest.mark.parametrize("name", COMPARISONS)
def test_results_are_those_of_the_reference(name: str):
    outcomes = [COMPARISONS[name](seed) for seed in range(MODULES)]
    assert [(seed, detail) for seed, (kind, detail) in enumerate(outcomes) if kind == "different"] == []
    assert sum(kind == "same" for kind, _ in outcomes) > MODULES // 3


def test_hints_that_compete():
    """The reference obeys a hint that ours overrules; without it nothing differs."""
    assert COMPARISONS["realize"](557)[0] == COMPETING


@pytest.mark.parametrize("seed", range(5))
def test_devices_survive_the_way_to_tvm_and_back(seed: int):
    there = to_relax(DeviceModule(seed, tuples=True).module())
    back = from_relax(there)
    assert VDEVICES.of(back) == VDEVICES.of(DeviceModule(seed, tuples=True).module())
    assert structural_equal(to_relax(back), there)


def test_a_device_that_tvm_does_not_know():
    module = DeviceModule(0).module()
    VDEVICES.set(module, (VDeviceAttr.of("abacus"),))
    with pytest.raises(UnsupportedError, match="device abacus:0"):
        to_relax(module)
