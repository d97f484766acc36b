"""Joins domains by the reads of a module and places what is left; a value or an op that nothing places is on a default device."""

from __future__ import annotations

from collections.abc import Container

from xdsl.utils.exceptions import PassFailedException

from ...dialects.relax.attrs import HOST, VDeviceAttr
from ...dialects.relax.function_signature import is_private
from ...dialects.relax.ops.vdevice import HintOnDeviceOp
from ...dialects.relax.placement import label
from ...records import record
from ..analysis.call_graph import called_functions
from .device_domains import Domain, Domains, Read


@record
class Policy:
    """How devices are chosen."""

    default: VDeviceAttr = HOST
    """Where results of functions are of which nothing is said; arguments are where the first result is."""
    fallback: VDeviceAttr | None = None
    """Where every op runs that no annotation places; without one an op follows what it reads and what reads it."""
    copies: bool = True
    """Whether a value may be copied to where it is read; without it a read from another device is an error, and arguments and results of
    public functions are on the default device if they do not say otherwise."""


def solve(domains: Domains, policy: Policy = Policy()) -> list[Read]:
    """Places every domain; returns the reads for which a value has to be copied, or computed on a second device, in program order.

    Raises `PassFailedException` for the first such read if the policy has no copies.
    """
    domains.place_declared()
    if not policy.copies:
        _place_boundaries(domains, policy.default)
    _place_hints(domains)
    if policy.fallback is not None or not policy.copies:
        _join_hints(domains, policy)
    domains.find_placeless()
    if policy.fallback is not None:
        _place_ops(domains, policy.fallback)
    # What can be computed anywhere joins nothing: it is computed where it is read, once all else has its device.
    late = [read for read in (*domains.reads, *domains.moves) if read.value.owner in domains.placeless]
    for read in domains.reads:
        if read.value.owner not in domains.placeless:
            read.source.join(read.target)
    for move in domains.moves:
        if isinstance(move.op, HintOnDeviceOp):
            move.source.join(move.target)
    _place_defaults(domains, policy.default, {read.source for read in late})
    for read in late:
        read.source.join(read.target)
    for domain in domains.all():
        domain.default(policy.default)
    crossing = [read for read in domains.reads if read.crosses]
    if not policy.copies:
        for read in crossing:
            if read.value.owner not in domains.placeless:
                refuse(read)
    return crossing


def refuse(read: Read) -> None:
    """Raises the error of a read from another device."""
    op = read.op
    operand = f"operand {read.index} {label(read.value)}" + "".join(f".{index}" for index in read.path)
    raise PassFailedException(
        f"{op.name}: {operand} is on {read.source.description}, expected {read.target.description}; "
        "relax-plan-devices inserts copies"
    )


def _place_hints(domains: Domains) -> None:
    """Places what computes the operand of each hint; if that is on another device already, the hint asks for a copy."""
    for move in domains.moves:
        if not isinstance(move.op, HintOnDeviceOp):
            continue
        device, reason = move.op.dst_vdevice, f"the hint on {label(move.value)}"
        placed = move.source.place(device, reason)
        if not placed or move.op.prop("fixed", False):
            move.target.place(device, reason)


def _join_hints(domains: Domains, policy: Policy) -> None:
    for move in domains.moves:
        if isinstance(move.op, HintOnDeviceOp) and not move.source.join(move.target) and not policy.copies:
            refuse(move)


def _place_boundaries(domains: Domains, default: VDeviceAttr) -> None:
    for name, function in domains.functions.items():
        if not is_private(function):
            for domain in (*domains.parameters(name), *domains.results(name)):
                domain.default(default)


def _place_ops(domains: Domains, fallback: VDeviceAttr) -> None:
    called = set[str]().union(*map(called_functions, domains.functions.values()))
    for op, domain in domains.computing.items():
        if op not in domains.placeless:
            domain.default(fallback)
    for name in domains.functions:
        if name not in called:
            for domain in domains.parameters(name):
                domain.default(fallback)


def _place_defaults(domains: Domains, default: VDeviceAttr, placeless: Container[Domain]) -> None:
    """Puts results on the default device, arguments on that of the first result of their function, all else on the default device."""
    for name in domains.functions:
        for domain in domains.results(name):
            domain.default(default)
    for name in domains.functions:
        results = domains.results(name)
        for domain in domains.parameters(name):
            domain.default((results[0].device if results else None) or default)
    for domain in domains.all():
        if domain not in placeless:
            domain.default(default)
