"""Cases of `frontend.nn`, by family."""

from __future__ import annotations

from harness.nn_cases import Case

from cases.frontend_nn import elementwise, linear_algebra, manipulate, modules, norm, reduction, sampling

_FAMILIES = (elementwise, manipulate, reduction, linear_algebra, norm, sampling, modules)

CASES: list[Case] = [case for family in _FAMILIES for case in family.CASES]
