"""What programs meet on the machine that runs them, interpreted or native: devices and their memory, and functions of Python.

May not evaluate an op, nor know of machine code.
"""
