"""TVM Relax to the dialect. May not import the exporter."""
