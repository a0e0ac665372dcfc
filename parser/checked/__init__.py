"""Languages that no exact engine knows: tree-sitter judges the whole file after a text, and steers nothing.

A text that it accepts is *checked*, never *valid*: its grammars are made for colouring, accept more than a language has, and repair
without a word. So no language with an exact engine is here.
"""
