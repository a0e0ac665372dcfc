"""Parsing with scopes and types: a stack of small parsers that are told what they need to know. See docs/slua.md."""
