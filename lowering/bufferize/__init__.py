"""Bufferization in destination-passing style; see docs/stages.md, "buffers"."""

from .convert import BufferizePass, bufferize_module

__all__ = ["BufferizePass", "bufferize_module"]
