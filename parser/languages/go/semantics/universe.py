"""The predeclared identifiers of Go, and the packages of its standard library, as far as names need them."""

from __future__ import annotations

from .....common.words import words_of

PREDECLARED = words_of("""
    any bool byte comparable complex64 complex128 error float32 float64 int int8 int16 int32 int64 rune string uint
    uint8 uint16 uint32 uint64 uintptr true false iota nil append cap clear close complex copy delete imag len make max
    min new panic print println real recover
""")

ORDINARY = words_of("""
    any bool byte complex64 complex128 error float32 float64 int int8 int16 int32 int64 rune string uint uint8 uint16
    uint32 uint64 uintptr
""")
"""The predeclared types of variables."""

KEYWORDS = words_of("""
    break case chan const continue default defer else fallthrough for func go goto if import interface map package
    range return select struct switch type var
""")

STANDARD = words_of("""
    archive arena bufio builtin bytes cmp compress container context crypto database debug embed encoding errors expvar
    flag fmt go hash html image index internal io iter log maps math mime net os path plugin reflect regexp runtime
    slices sort strconv strings structs sync syscall testing text time unicode unique unsafe vendor weak
""")
"""First elements of import paths whose packages are named by the last element."""
