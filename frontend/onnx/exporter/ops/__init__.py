"""How ops are written as nodes of ONNX, one file a family."""
