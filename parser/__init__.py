"""Languages: the texts between a left and a right context. Knows no model and no protocol."""

from .errors import GrammarError, UnknownLanguage
from .glr.effort import Cancelled, OutOfTime, limited
from .glr.gc_policy import freeze_garbage
from .hole import LEVELS, Closer, Hole, HoleState, Level, State
from .importing import Imports
from .language import (
    Guarantee,
    Language,
    checkable,
    checked_names,
    grammar_packages,
    guarantee,
    imports_for,
    is_diagnosed,
    is_error_free,
    language,
    language_for_path,
    languages,
    load_language,
    names_elsewhere,
    names_elsewhere_at_last,
    renew_languages,
)
from .language_runtime import Session, TextProblem
from .pending_hole import pending_behind

__all__ = [
    "LEVELS", "Cancelled", "Closer", "GrammarError", "Guarantee", "Hole", "HoleState", "Imports", "Language", "Level",
    "OutOfTime", "Session", "State", "TextProblem", "UnknownLanguage", "checkable", "checked_names", "freeze_garbage",
    "grammar_packages", "guarantee", "imports_for", "is_diagnosed", "is_error_free", "language",
    "language_for_path", "languages", "limited", "load_language", "names_elsewhere", "names_elsewhere_at_last", "pending_behind", "renew_languages",
]  # fmt: skip
