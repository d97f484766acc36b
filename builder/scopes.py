"""Where values may be read: in their own function, in the region that they are made in and those inside of it, and after they are made."""

from __future__ import annotations

from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, Operation, Region, SSAValue

from .errors import BuilderError


def verify_scopes(module: ModuleOp) -> None:
    """Raises `BuilderError` for the first op that reads a value that it cannot see; the text names both places."""
    for function in module.body.block.ops:
        for region in function.regions:
            _verify_region(region, set())


def _verify_region(region: Region, visible: set[SSAValue]) -> None:
    if len(region.blocks) < 2:
        for block in region.blocks:
            _verify_block(block, visible)
        return
    # Blocks that branch to each other see what dominates them; here, what any of them makes.
    made = [value for block in region.blocks for op in block.ops for value in op.results]
    made += [argument for block in region.blocks for argument in block.args]
    for block in region.blocks:
        _verify_block(block, visible | set(made))


def _verify_block(block: Block, visible: set[SSAValue]) -> None:
    # What is inside a region sees what is around it, but not the other way round: the set loses what the block added.
    added = list[SSAValue](block.args)
    visible.update(block.args)
    for op in block.ops:
        for operand in op.operands:
            if operand not in visible:
                raise BuilderError(op.location, _message(op, operand))
        for region in op.regions:
            _verify_region(region, visible)
        visible.update(op.results)
        added += op.results
    visible.difference_update(added)


def _message(op: Operation, value: SSAValue) -> str:
    home = value.owner if isinstance(value.owner, Block) else value.owner.parent
    maker = "an argument" if isinstance(value.owner, Block) else f"the result of {value.owner.name}"
    shown = f"%{value.name_hint}, {maker}" if value.name_hint else maker
    reader, owner = _function(op), None if home is None else _function(home.parent_op())
    if owner is not reader:
        whose = "in no function" if owner is None else f"of @{owner.sym_name.data}"
        return f"{op.name} in {_label(reader)} reads {shown} {whose}"
    around = None if home is None else home.parent_op()
    assert around is not None
    if home is not None and home.find_ancestor_op_in_block(op) is not None:
        return f"{op.name} in {_label(reader)} reads {shown}, before it is made"
    return f"{op.name} in {_label(reader)} reads {shown} inside of {around.name}, which only that region sees"


def _function(op: Operation | None) -> func.FuncOp | None:
    while op is not None and not isinstance(op, func.FuncOp):
        op = op.parent_op()
    return op


def _label(function: func.FuncOp | None) -> str:
    return "the module" if function is None else f"@{function.sym_name.data}"
