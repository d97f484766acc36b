"""Code that measures itself: clocks around kernels, and the work of each. Only what is compiled for a profile has it."""
