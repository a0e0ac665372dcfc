#!/usr/bin/env bash
# The newer grammar of C++ on PyPI is the one that is called CUDA's.
#
# Guessed: tree-sitter-cpp is the C++ grammar to use, and tree-sitter-cuda, which says of itself that it extends it, lags behind.
# Seen with the newest releases of both, tree-sitter-cpp 0.23.4 and tree-sitter-cuda 0.21.2, under tree-sitter 0.26.1: the package with the lower number
# reads modules, explicit object parameters and captures with `noexcept` or `static`, and the other calls each of them an error. Of these texts none is
# read by tree-sitter-cpp alone, and `if consteval` by neither. The price: a kernel's call is no error any more.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/python" -m pip install --quiet --disable-pip-version-check tree-sitter==0.26.1 tree-sitter-cpp==0.23.4 tree-sitter-cuda==0.21.2
cat >"$folder/ask.py" <<'PYTHON'
import tree_sitter
import tree_sitter_cpp
import tree_sitter_cuda

parsers = [tree_sitter.Parser(tree_sitter.Language(each.language())) for each in (tree_sitter_cpp, tree_sitter_cuda)]
for text in (
    "export module m;",
    "export namespace n { int a; }",
    "struct S { void f(this S& s) {} };",
    "auto f = [] noexcept {};",
    "auto f = []() static { return 1; };",
    "struct P { int x; }; P p{.x = 1};",
    "void f() { if consteval { } }",
    "void f() { kernel<<<1, 2>>>(x); }",
):
    cpp, cuda = (not parser.parse(text.encode()).root_node.has_error for parser in parsers)
    print(f"{text}  cpp: {cpp}  cuda: {cuda}")
PYTHON
cat >"$folder/seen" <<'SEEN'
export module m;  cpp: False  cuda: True
export namespace n { int a; }  cpp: False  cuda: True
struct S { void f(this S& s) {} };  cpp: False  cuda: True
auto f = [] noexcept {};  cpp: False  cuda: True
auto f = []() static { return 1; };  cpp: False  cuda: True
struct P { int x; }; P p{.x = 1};  cpp: True  cuda: True
void f() { if consteval { } }  cpp: False  cuda: False
void f() { kernel<<<1, 2>>>(x); }  cpp: False  cuda: True
SEEN
"$folder/venv/bin/python" "$folder/ask.py" | tee "$folder/now"
diff "$folder/seen" "$folder/now" && echo "as it was seen"
