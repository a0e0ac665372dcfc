"""What pyproject.toml cannot say: the packages are those found in the tree, under one name."""

from setuptools import find_packages, setup

ROOTS = ("common", "lsp_server", "model", "parser", "slua", "training")
FOUND = find_packages(include=[*ROOTS, *(f"{root}.*" for root in ROOTS)])

setup(packages=[f"suture.{name}" for name in FOUND], package_dir={"suture": "."})
