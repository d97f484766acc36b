"""From tensors to buffers: destination passing, the arena, shape functions."""
