"""Steps from linalg on tensors to linalg on tensors: general forms, equal kernels once, loop fusion."""
