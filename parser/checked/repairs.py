"""Errors that tree-sitter's grammars repair silently."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice, pairwise
from typing import TYPE_CHECKING

from ...common.words import words_of
from .grammars import Checked
from .tree import touching

if TYPE_CHECKING:
    from tree_sitter import Node, Tree

_BEFORE_COMMA = (",", "(")
_QUALIFIED = (".", "::", "&.", "?.", "->", "def", ":")
_FREE = frozenset(
    words_of(
        "macro_definition macro_invocation token_repetition token_repetition_pattern token_tree token_tree_pattern"
    )
)
"""Kinds of nodes where any word is a name, and nothing may stand between commas: a macro gives them their meaning."""
_WITH_GAPS = _FREE | {"array_rank_specifier", "list_literal", "type_argument_list"}
"""Kinds of nodes where nothing may stand between commas."""
_OF_TEXT = frozenset(("textarea", "title"))
_ARM = "switch_rule"
_HOLDS_STATEMENTS = (
    "block",
    "expression_statement",
    "labeled_statement",
    "switch_block_statement_group",
    "switch_rule",
)
_SINGLE = frozenset(("html", "head", "body"))
_FOREIGN = frozenset(("svg", "math"))
_MOST_LEVELS = 100
_FEW = 800
"""The most nodes at a text that are checked."""


def is_repaired(tree: Tree, rules: Checked, text: tuple[int, int], near: tuple[int, int]) -> bool:
    """Whether something in a text, or between it and its neighbours, is not of the language.

    text: its beginning and end, in bytes; near: the same with the blanks around it.
    """
    before: Node | None = None
    start, end = text[0], max(text[0] + 1, text[1])
    for node, parent in islice(touching(tree, *near), _FEW):
        if node.is_extra:
            continue
        if node.start_byte < end and start < node.end_byte and any(wrong(node, parent, rules) for wrong in _WRONG):
            return True
        if not node.child_count:
            before = before or _leaf_before(node)
            if _is_wrong_behind(node, parent, before, rules):
                return True
            before = node
    return False


def _leaf_before(leaf: Node) -> Node | None:
    """The leaf before one that touches a text; it may lie beyond `near`."""
    node: Node | None = leaf
    while node is not None and node.prev_sibling is None:
        node = node.parent
    node = None if node is None else node.prev_sibling
    while node is not None and node.child_count:
        node = node.child(node.child_count - 1)
    return node


def _is_wrong_behind(leaf: Node, parent: str, before: Node | None, rules: Checked) -> bool:
    """Whether a node is wrong behind another leaf."""
    kind, last = leaf.type, "" if before is None else before.type
    if kind == "," and last in _BEFORE_COMMA and parent not in _WITH_GAPS:
        return True
    if kind == ")" and last == "," and not rules.last_comma:
        return True
    is_name = kind in rules.names or parent in rules.names
    if is_name and parent not in _FREE and last not in _QUALIFIED and (said := _said(leaf)) in rules.reserved:
        return (said, parent) not in rules.not_reserved and ("", parent) not in rules.not_reserved
    if (kind, last, parent) == ("name", "$", "variable_name") and before and before.end_byte < leaf.start_byte:
        return True
    return kind == last and not leaf.is_named and kind.isalpha() and "modifier" in parent


def _said(node: Node) -> str:
    return (node.text or b"").decode(errors="replace")


def _first(node: Node) -> Node | None:
    return next(iter(node.named_children), None)


def _is_no_statement(node: Node, parent: str, rules: Checked) -> bool:
    """Whether an expression statement is none, or stands where only declarations do."""
    inner = _first(node) if node.type == "expression_statement" else None
    if inner is None:
        return False
    if parent == rules.declarations:
        return inner.type != "macro_invocation"
    return bool(rules.statements) and inner.type not in rules.statements and not (parent == _ARM and _is_value(node))


def _is_value(statement: Node) -> bool:
    """Whether a statement is the value of an arm, as its switch is an operand."""
    switch = statement.parent and statement.parent.parent and statement.parent.parent.parent
    outer = switch and switch.parent
    return outer is not None and outer.type not in _HOLDS_STATEMENTS


def _is_unclosed(node: Node, parent: str, rules: Checked) -> bool:
    """Whether an element lacks the end tag it needs."""
    if not rules.unclosed or node.type != "element" or not node.child_count:
        return False
    first, last = node.child(0), node.child(node.child_count - 1)
    name = _first(first) if first.type == "start_tag" and last.type != "end_tag" else None
    if name is None or _said(name).lower() in rules.unclosed:
        return False
    return _OF_TEXT.isdisjoint(_outer_tags(first))


def _is_nameless(node: Node, parent: str, rules: Checked) -> bool:
    """Whether a pair has no key or one of several lines, or a constructor does not have the name of its class."""
    if node.type in rules.pairs:
        key = node.child_by_field_name("key")
        return key is None or (key.start_point[0] < key.end_point[0] and node.children[0].type != "?")
    if node.type != rules.constructor:
        return False
    own = node.child_by_field_name("name")
    holder = None if node.parent is None else node.parent.parent
    name = None if holder is None else holder.child_by_field_name("name")
    return own is not None and name is not None and _said(own) != _said(name)


def _is_odd_tag(node: Node, parent: str, rules: Checked) -> bool:
    """Whether a tag has an attribute twice or no blank between two of its parts, or stands or ends where it may not."""
    if not rules.void or node.type not in ("start_tag", "self_closing_tag"):
        return False
    parts = node.named_children
    if any(before.end_byte == behind.start_byte for before, behind in pairwise(parts)):
        return True
    names = [_said(part.children[0]).lower() for part in parts if part.type == "attribute"]
    if len(set(names)) < len(names):
        return True
    tag = _said(parts[0]).lower() if parts else ""
    if node.type == "self_closing_tag" and tag.isalnum() and tag not in rules.void:
        return tag not in _FOREIGN and _FOREIGN.isdisjoint(_outer_tags(node))  # in drawings every tag may end itself
    return tag in _SINGLE and tag in _outer_tags(node)


def _outer_tags(tag: Node) -> Iterator[str]:
    """The names of the elements around a tag's own, up to _MOST_LEVELS: each step up reads the tree from its root."""
    node = tag.parent
    for _ in range(_MOST_LEVELS):
        node = node and node.parent
        first = node.child(0) if node is not None and node.type == "element" and node.child_count else None
        name = None if first is None else _first(first)
        if name is not None:
            yield _said(name).lower()


def _is_stray(node: Node, parent: str, rules: Checked) -> bool:
    """Whether a node is of another language, or a call stands outside the only kind of body that may have it."""
    if node.type in rules.foreign:
        return True
    if not rules.calls or node.type != "method_invocation" or node.child_by_field_name("object") is not None:
        return False
    name = node.child_by_field_name("name")
    only = None if name is None else dict(rules.calls).get(_said(name))
    body = node.parent and node.parent.parent
    return only is not None and (body is None or body.type != only)


_WRONG = (_is_no_statement, _is_unclosed, _is_nameless, _is_odd_tag, _is_stray)
