"""Parsing with scopes and types: a stack of small parsers, each with its own scope and type. See docs/slua.md."""
