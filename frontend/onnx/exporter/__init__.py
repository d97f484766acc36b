"""The dialect to models of ONNX. May not import the importer.

`nodes` emits nodes, `sizes` computes sizes at run time, `function` walks a function, `ops/` has the rules, one file a family.
"""
