"""From the loops stage to the `llvm` dialect alone, in one walk per function."""

from .convert import ConvertToLLVMPass
from .types import LoweringError

__all__ = ["ConvertToLLVMPass", "LoweringError"]
