"""The names of what the compiler makes and of what its runtime offers."""

INVOKE_CLOSURE = "relax.invoke_closure"
"""A packed function of the runtime: it calls its first argument, an object, with the others."""
TENSOR_OF_OBJECT = "relax.tensor_of_object"
"""A packed function of the runtime: it lends the array that an object is; its label is the element type that it must have."""
RELEASE = "relax.release"
"""A packed function of the runtime: it gives back an object or a tensor."""

MICRO_KERNEL = "relax.contract"
"""The beginning of the names of private functions that multiply tiles of matrices."""
