"""From the dialect to TVM Relax."""
