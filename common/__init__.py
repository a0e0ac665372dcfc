"""The base of parser, model and server: the protocol between parser and model, safe reading of foreign files.

Knows none of them.
"""
