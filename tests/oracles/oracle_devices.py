"""Runs the passes on devices of the reference and ours on the same modules and compares the results, structurally up to names.

python tests/oracles/oracle_devices.py realize --seeds 0:500
python tests/oracles/oracle_devices.py update --seeds 0:500 --show 3
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tvm import relax
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.rewriter import InsertPoint, Rewriter
from xdsl.utils.exceptions import PassFailedException
from xdsl_relax.dialects.relax.ops.vdevice import HintOnDeviceOp, ToVDeviceOp
from xdsl_relax.dialects.relax.vocabulary.attributes import VDEVICES
from xdsl_relax.frontend.tvm import from_relax, to_relax
from xdsl_relax.frontend.tvm.diagnostics import UnsupportedError
from xdsl_relax.passes.devices.device_domains import Domains
from xdsl_relax.passes.devices.realize_vdevice import RealizeVDevicePass
from xdsl_relax.passes.devices.realize_vdevice import realize as realize_domains
from xdsl_relax.passes.devices.update_vdevice import UpdateVDevicePass
from xdsl_relax.passes.devices.verify_devices import VerifyDevicesPass

sys.path.insert(0, str(Path(__file__).parents[1]))

from generators.device_modules import DeviceModule

from oracles.normal_form import difference

MIXED = "the reference's result mixes devices"
LEFT = "the reference leaves the old device behind"
COMPETING = "hints compete"
KINDS = ("same", "both refuse", MIXED, LEFT, COMPETING, "different")


def mixes_devices(module: ModuleOp) -> bool:
    """Returns whether an op of a module reads a value that is on another device."""
    try:
        VerifyDevicesPass().apply(Context(), module)
    except PassFailedException:
        return True
    return False


def compare(ours: ModuleOp, module: Any, reference: Any) -> tuple[str, str]:
    """Returns the kind of the outcome, and both results if they differ.

    The reference refuses a sum of tensors on two devices while it types its result; `relax-verify-devices` refuses it in ours. Where
    several hints want values that belong together on different devices, the reference gives each its own, so that its result mixes them (or
    is refused by itself); in ours one of them counts and the others become moves.
    """
    try:
        expected = reference(module)
    except Exception as error:  # TVM raises under many types.
        if mixes_devices(ours):
            return "both refuse", ""
        if "must have the same VDevice" in str(error):
            return MIXED, ""
        return "different", str(error)
    where = difference(to_relax(ours), expected)
    if where is None:
        return "same", ""
    return (MIXED, "") if mixes_devices(from_relax(expected)) else ("different", where)


def realize(seed: int) -> tuple[str, str]:
    """Compares the passes that realize devices on a random module.

    Where hints compete, types that follow from operands may repair what the reference mixes, on another device than ours. Nothing differs
    without the hints that ours overrules.
    """
    module = DeviceModule(seed).module()
    kind, detail = compare_realized(module)
    if kind == "different" and settle_hints(module) and compare_realized(module)[0] == "same":
        return COMPETING, detail
    return kind, detail


def settle_hints(module: ModuleOp) -> bool:
    """Puts moves before hints that another hint on values that belong together overrules; returns whether there are any."""
    domains = Domains(module)
    realize_domains(domains)
    hints = [(move.op, move.source) for move in domains.moves if isinstance(move.op, HintOnDeviceOp)]
    obeyed = {source.root() for hint, source in hints if source.device == hint.dst_vdevice}
    overruled = [hint for hint, source in hints if source.device != hint.dst_vdevice and source.root() in obeyed]
    for hint in overruled:
        move = ToVDeviceOp.build_from(hint.x, dst_vdevice=hint.dst_vdevice)
        Rewriter.insert_op(move, InsertPoint.before(hint))
        hint.operands = [move.result]
    return bool(overruled)


def compare_realized(original: ModuleOp) -> tuple[str, str]:
    """Compares the passes that realize devices on a module."""
    module = to_relax(original)
    ours = from_relax(module)
    RealizeVDevicePass().apply(Context(), ours)
    ours.verify()
    return compare(ours, module, relax.transform.RealizeVDevice())


def update(seed: int) -> tuple[str, str]:
    """Compares the passes that replace a device, after realizing.

    The reference does not replace the device of an argument that nothing reads, nor the one that a move names.
    """
    start = DeviceModule(seed, moves=False).module()
    RealizeVDevicePass().apply(Context(), start)
    if mixes_devices(start):
        return "both refuse", ""
    index = seed % 2
    module = to_relax(start)
    ours = from_relax(module)
    UpdateVDevicePass("cpu:7", index).apply(Context(), ours)
    ours.verify()
    expected = relax.transform.UpdateVDevice(relax.VDevice("llvm", 7, "global"), index)(module)
    declared = VDEVICES.of(start)
    assert declared is not None
    old = declared[index]
    try:
        left = any(str(old) in str(op) for op in from_relax(expected).body.block.ops)
    except UnsupportedError:
        left = True
    return (LEFT, "") if left else compare(ours, module, lambda _: expected)


COMPARISONS: dict[str, Callable[[int], tuple[str, str]]] = {"realize": realize, "update": update}


def main(argv: list[str] | None = None) -> int:
    """The command line; 1 if a result differs."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("name", choices=sorted(COMPARISONS))
    parser.add_argument("--seeds", metavar="FIRST:LAST", default="0:500", help="random modules (default: 0:500)")
    parser.add_argument("--show", type=int, default=1, help="how many differences to print (default: 1)")
    args = parser.parse_args(argv)
    first, last = map(int, args.seeds.split(":"))
    outcomes: Counter[str] = Counter()
    for seed in range(first, last):
        kind, detail = COMPARISONS[args.name](seed)
        outcomes[kind] += 1
        if kind == "different" and outcomes[kind] <= args.show:
            print(f"seed {seed}: {detail}")
    print(", ".join(f"{kind} {outcomes[kind]}" for kind in KINDS if outcomes[kind]))
    return 1 if outcomes["different"] else 0


if __name__ == "__main__":
    sys.exit(main())
