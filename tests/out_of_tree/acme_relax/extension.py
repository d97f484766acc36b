"""What xdsl-relax sees of this package besides its universe."""

from __future__ import annotations

from xdsl_relax.extensions import Extension

from . import interpreter_rules, lowerings

ACME_EXTENSION = Extension(
    interpreter_rules=interpreter_rules.RULES,
    lowerings=lowerings.RULES,
    stages={"optimize": ("acme-fuse-swish{min_rank=2}",)},
)
