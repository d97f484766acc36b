"""What torch computes for an exported program: the original that a compiled model is compared with."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch.export.graph_signature import ConstantArgument, InputKind, OutputKind, SymIntArgument
from torch.utils import _pytree as pytree

from ..model.problems import OriginalModelError
from .decompositions import decomposed
from .load import load_program
from .types import from_numpy, to_numpy


def run_original(path: Path, inputs: Mapping[str, np.ndarray[Any, Any]]) -> list[np.ndarray[Any, Any]]:
    """Returns the results of a program in a file for inputs, and buffers that it writes, by their names: what the importer has for results.

    Raises `OriginalModelError` for what torch does not run.
    """
    # What a program writes is known when it writes nothing in place any more.
    program = decomposed(load_program(path), {})
    signature = program.graph_signature
    leaves: list[Any] = []
    tensors: dict[str, torch.Tensor] = {}
    for spec in signature.input_specs:
        if spec.kind != InputKind.USER_INPUT:
            continue
        if isinstance(spec.arg, ConstantArgument):
            leaves.append(spec.arg.value)
            continue
        given = inputs[spec.arg.name]
        # A size is a shape of one entry.
        leaves.append(int(given[0]) if isinstance(spec.arg, SymIntArgument) else from_numpy(np.array(given)))
        tensors[spec.arg.name] = leaves[-1]
    try:
        module = program.module()
        buffers = dict(module.named_buffers())
        written = [str(item.target) for item in signature.output_specs if item.kind == OutputKind.BUFFER_MUTATION]
        with torch.no_grad():
            for name in written:
                buffers[name].copy_(from_numpy(np.array(inputs[name])))
            args, kwargs = pytree.tree_unflatten(leaves, program.call_spec.in_spec or pytree.tree_structure(((), {})))
            results = [item for item in pytree.tree_leaves(module(*args, **kwargs)) if item is not None]
    except Exception as error:
        # It raises what its ops, and the checks of its sizes, raise.
        raise OriginalModelError(f"torch does not run the model: {str(error).splitlines()[0]}") from None
    changed = [str(item.target) for item in signature.output_specs if item.kind == OutputKind.USER_INPUT_MUTATION]
    values = [*results, *(tensors[name] for name in changed), *(buffers[name] for name in written)]
    return [to_numpy(item) if isinstance(item, torch.Tensor) else np.asarray(item) for item in values]
