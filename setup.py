"""Finds the packages: the repository root is the package `xdsl_relax`, which setuptools' own rules cannot say."""

from setuptools import find_packages, setup

ROOMS = ("builder", "dialects", "frontend", "interpreter", "lowering", "passes", "runtime", "targets", "tools")

setup(
    packages=["xdsl_relax", *(f"xdsl_relax.{name}" for name in find_packages(include=[f"{room}*" for room in ROOMS]))]
)
