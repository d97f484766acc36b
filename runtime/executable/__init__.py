"""Compiled programs as callers see them: arguments, calls, callbacks."""
