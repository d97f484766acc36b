"""The packed functions that lowered programs call by themselves; both the interpreter's and the native calls provide them."""

INVOKE_CLOSURE = "relax.invoke_closure"
"""Calls its first argument, an object, with the others."""

TENSOR_OF_OBJECT = "relax.tensor_of_object"
"""Lends the array that an object is; its label is the element type that it must have."""

RELEASE = "relax.release"
"""Gives back an object or a tensor."""
