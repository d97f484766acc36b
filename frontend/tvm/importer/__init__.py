"""From TVM Relax to the dialect."""
