"""Languages without an exact engine: tree-sitter judges the whole file after a text, and steers nothing.

An accepted text is *checked*, never *valid*: tree-sitter's grammars are made for colouring, accept more than the language has, and
repair silently. So no language with an exact engine is here.
"""
