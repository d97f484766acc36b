"""Files of `torch.export.save`: a program without its weights, which stay in the file until they are read."""

from __future__ import annotations

import json
import math
import struct
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import Any
from zipfile import ZIP_STORED, ZipFile, ZipInfo

import numpy as np
import torch
from torch.overrides import TorchFunctionMode

from ...dialects.relax.dtypes import numpy_dtype
from .types import element_of_dtype

WEIGHTS = "/data/weights/"
CONFIG = "model_weights_config.json"

LOCAL_HEADER = struct.Struct("<26xHH")
"""What stands in an archive before a file: the lengths of its name and of the extra field, behind what the directory has too."""


@dataclass(frozen=True)
class Reader:
    """Returns the elements of a weight in a file, for the tensor that stands for it."""

    path: Path
    info: ZipInfo

    def __call__(self, tensor: torch.Tensor) -> np.ndarray[Any, Any]:
        """Returns the elements, mapped from the file unless they lie in another order there."""
        dtype = numpy_dtype(element_of_dtype(tensor.dtype))
        if tensor.numel() == 0:
            return np.empty(tuple(tensor.shape), dtype)
        with self.path.open("rb") as stream:
            stream.seek(self.info.header_offset)
            lengths = LOCAL_HEADER.unpack(stream.read(LOCAL_HEADER.size))
        begin = self.info.header_offset + LOCAL_HEADER.size + sum(lengths)
        data = np.memmap(self.path, np.uint8, "r", begin, (self.info.file_size,))
        strides = [stride * dtype.itemsize for stride in tensor.stride()]
        return np.asarray(
            np.ndarray(tuple(tensor.shape), dtype, data, int(tensor.storage_offset()) * dtype.itemsize, strides),
            order="C",
        )

    def check(self, name: str, tensor: torch.Tensor) -> None:
        """Raises `ValueError` for a file that does not hold all elements."""
        needed = _extent(tensor.shape, tensor.stride(), int(tensor.storage_offset())) * tensor.itemsize
        if self.info.file_size < needed:
            raise ValueError(f"{self.info.filename} has {self.info.file_size} bytes, expected {needed} for {name}")


def without_weights(path: Path) -> tuple[BytesIO, dict[str, Reader]]:
    """Returns an archive in which weights are empty files, and what reads each of these weights by its name.

    For an empty file torch makes zeros, which take no memory under `UntouchedZeros`. Weights that are more than that stay in the archive.
    """
    skeleton = BytesIO()
    readers: dict[str, Reader] = {}
    with ZipFile(path) as source, ZipFile(skeleton, "w", ZIP_STORED) as target:
        entries = {info.filename: info for info in source.infolist()}
        weights = dict(_separable(source, entries))
        for name, info in entries.items():
            target.writestr(ZipInfo(name), b"" if name in weights else source.read(info))
            for weight in weights.get(name, ()):
                readers[weight] = Reader(path, info)
    skeleton.seek(0)
    return skeleton, readers


class UntouchedZeros(TorchFunctionMode):
    """Makes `torch.zeros` take memory when an element is read or written, not before."""

    def __torch_function__(self, func: Any, types: Any, args: Sequence[Any] = (), kwargs: Any = None) -> Any:
        """Returns what a function of torch returns."""
        result: Any = None
        if func is torch.zeros and len(args) == 1 and (kwargs or {}).keys() <= {"dtype", "device"}:
            meta = func(*args, **{**(kwargs or {}), "device": "meta"})
            if meta.numel() and torch.device((kwargs or {}).get("device") or "cpu").type == "cpu":
                # The memory of zeros is that of the system until it is touched; torch touches its own.
                data = np.zeros(meta.numel() * meta.itemsize, np.uint8)
                result = torch.from_numpy(data).view(meta.dtype).view(meta.shape)
        return func(*args, **(kwargs or {})) if result is None else result


def _separable(archive: ZipFile, entries: Mapping[str, ZipInfo]) -> Iterator[tuple[str, list[str]]]:
    """Yields the files whose elements are nothing but those of weights, with the names of these."""
    config = next((name for name in entries if name.endswith(f"{WEIGHTS}{CONFIG}")), None)
    if config is None:
        return
    by_file: dict[str, dict[str, Any]] = defaultdict(dict)
    for weight, stored in json.loads(archive.read(config))["config"].items():
        by_file[config.removesuffix(CONFIG) + stored["path_name"]][weight] = stored
    for name, stored in by_file.items():
        if any(item["use_pickle"] for item in stored.values()) or entries[name].compress_type != ZIP_STORED:
            continue
        shapes = [_numbers(item, "sizes") for item in stored.values()]
        # torch makes as many zeros as the first weight has elements; others may be views of its memory.
        if all(_stored_extent(item) <= math.prod(shapes[0]) for item in stored.values()):
            yield name, list(stored)


def _numbers(stored: Mapping[str, Any], field: str) -> list[int]:
    return [item["as_int"] for item in stored["tensor_meta"][field]]


def _stored_extent(stored: Mapping[str, Any]) -> int:
    offset = stored["tensor_meta"]["storage_offset"]["as_int"]
    return _extent(_numbers(stored, "sizes"), _numbers(stored, "strides"), offset)


def _extent(sizes: Sequence[int], strides: Sequence[int], offset: int) -> int:
    """Returns how many elements of its memory a weight reaches over."""
    last = sum((size - 1) * stride for size, stride in zip(sizes, strides, strict=True))
    return offset + last + 1 if all(sizes) else 0
