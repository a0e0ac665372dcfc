"""Lexers: the interface, and the automaton made from a grammar file's terminals."""
