"""Kernels of TVM's tensor IR as linalg, or loops over tensors; `function.py` is the way in."""
