"""What xDSL's dialects, parser and errors lack: subclasses and registrations of our contexts. May not change a class of xDSL.

Each file ends its docstring with the sentence that would go into the upstream request. `tests/e2e/test_xdsl_unchanged.py` holds the room to
its rule.
"""
