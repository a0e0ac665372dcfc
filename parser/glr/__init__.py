"""The parser: graph-structured stacks, prefixes, suffixes, incremental parsing."""
