"""The table of register tiles holds what its rows say, for every target."""

from __future__ import annotations

from dataclasses import replace

import pytest
from xdsl_relax.dialects.relax.ops.packing import PANEL
from xdsl_relax.lowering.cpu.schedule.register_tiles import TABLE, register_tiles, registers_needed
from xdsl_relax.lowering.cpu.schedule.skinny import columns_of_block
from xdsl_relax.lowering.cpu.schedule.tiles import steps_of_panel
from xdsl_relax.targets.cpu import Cache, cpu_target, target_names

CPUS = [name for name in target_names() if name != "native"]


@pytest.mark.parametrize("name", CPUS)
def test_the_widest_tile_fits_the_registers(name):
    target = cpu_target(name)
    row = register_tiles(target)
    assert row.registers <= target.vector_registers
    assert registers_needed(6, row.vectors) <= target.vector_registers < registers_needed(8, row.vectors)


@pytest.mark.parametrize("name", CPUS)
def test_the_widest_tile_divides_the_panels_of_packed_weights(name):
    target = cpu_target(name)
    assert PANEL % (register_tiles(target).vectors * target.lanes) == 0


@pytest.mark.parametrize("name", CPUS)
def test_a_block_of_a_skinny_product_lies_in_a_page_and_its_rows_in_the_cache(name):
    target = cpu_target(name)
    row = register_tiles(target)
    size = columns_of_block(target, row) * 4
    assert size <= target.page_size and size * row.skinny_rows <= target.l1d.size
    assert size % (row.vectors * target.vector_bits // 8) == 0


def test_rows_go_from_the_most_registers_down():
    registers = [row.registers for row in TABLE]
    assert registers == sorted(registers, reverse=True) and len(set(registers)) == len(registers)
    assert all(row.reason for row in TABLE)


@pytest.mark.parametrize("name", CPUS)
def test_a_panel_leaves_the_cache_to_others(name):
    target = cpu_target(name)
    row = register_tiles(target)
    steps = steps_of_panel(target, row)
    assert steps * row.vectors * target.vector_bits // 8 <= target.l2.size // 8
    assert steps * row.most_rows * 4 <= target.l1d.size // 2


def test_a_small_cache_has_short_panels():
    target = cpu_target("x86-64-v4")
    small = replace(target, l2=Cache(256 << 10, 8))
    assert (steps_of_panel(target, register_tiles(target)), steps_of_panel(small, register_tiles(small))) == (512, 128)
