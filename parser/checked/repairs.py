"""What a grammar of tree-sitter takes without a word, though its language does not."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .grammars import Checked
from .tree import around, leaves

if TYPE_CHECKING:
    from tree_sitter import Node, Tree

_BEFORE_COMMA = (",", "(")
_QUALIFIED = (".", "::", "&.", "?.", "->", "def", ":")
_FREE = ("token_tree", "macro_invocation", "macro_definition")
_FEW = 200
"""Leaves around a text that are looked at."""


def is_repaired(tree: Tree, rules: Checked, text: tuple[int, int], near: tuple[int, int]) -> bool:
    """Does something in a text, or between it and its neighbours, stand there that the language does not have?

    text: where it begins and ends, in bytes; near: the same with the blanks around it.
    """
    before = ""
    for count, (leaf, parent) in enumerate(leaves(tree, *near)):
        if leaf.is_extra:
            continue
        kind = leaf.type
        if kind == "," and before in _BEFORE_COMMA:
            return True
        if kind == ")" and before == "," and not rules.last_comma:
            return True
        is_name = kind in rules.names or parent in rules.names
        if is_name and parent not in _FREE and before not in _QUALIFIED and _said(leaf) in rules.reserved:
            return True
        if kind == before and kind.isalpha() and parent.startswith("modifier"):
            return True
        before = kind
        if count > _FEW:
            break
    holders = {node.id: node for at in (text[0], max(text[0], text[1] - 1)) for node in around(tree, at, at)}
    wrong = (_is_no_statement, _is_unclosed, _is_nameless)
    return any(each(node, rules) for node in holders.values() for each in wrong)


def _said(node: Node) -> str:
    return (node.text or b"").decode(errors="replace")


def _is_no_statement(node: Node, rules: Checked) -> bool:
    """Is it a statement of an expression that is none?"""
    inner = node.named_child(0) if rules.statements and node.type == "expression_statement" else None
    return inner is not None and inner.type not in rules.statements


def _is_unclosed(node: Node, rules: Checked) -> bool:
    """Is it an element that lacks the end that its tag demands?"""
    if not rules.unclosed or node.type != "element" or not node.child_count:
        return False
    first, last = node.child(0), node.child(node.child_count - 1)
    name = first.named_child(0) if first.type == "start_tag" and last.type != "end_tag" else None
    return name is not None and _said(name).lower() not in rules.unclosed


def _is_nameless(node: Node, rules: Checked) -> bool:
    """Is it a pair without a key, or a constructor that is not called as its class?"""
    if node.type == rules.pair:
        return node.child_by_field_name("key") is None
    if node.type != rules.constructor:
        return False
    own = node.child_by_field_name("name")
    holder = None if node.parent is None else node.parent.parent
    name = None if holder is None else holder.child_by_field_name("name")
    return own is not None and name is not None and _said(own) != _said(name)
