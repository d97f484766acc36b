"""Schedules of linalg ops on memrefs: what an op computes, which kernel it becomes for a target, and whether a schedule is possible.

Nothing here changes the IR but for the attribute `relax.schedule`.
"""
