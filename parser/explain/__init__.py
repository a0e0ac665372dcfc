"""The texts a hole accepts, and its reasons for refusals, as plain values for people to read."""

from .explainer import Explainer
from .explanation import Explanation, Layout, explain
from .hole_grammar import HoleGrammar, hole_grammar
from .rejection import Rejection, why_left_breaks, why_not_complete, why_rejected, why_text_breaks
from .surroundings import OpenBlock, OpenBracket
from .symbols import Accepted

__all__ = [
    "Accepted", "Explainer", "Explanation", "HoleGrammar", "Layout", "OpenBlock", "OpenBracket", "Rejection",
    "explain", "hole_grammar", "why_left_breaks", "why_not_complete", "why_rejected", "why_text_breaks",
]  # fmt: skip
