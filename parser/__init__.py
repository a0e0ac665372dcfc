"""Languages: what text may be written between a left and a right context. Knows no model and no protocol."""

from .errors import GrammarError, UnknownLanguage
from .glr.gc_policy import freeze_garbage
from .glr.prefix import Cancelled
from .hole import Hole, State
from .language import (
    Language,
    imports_for,
    language,
    language_for_path,
    languages,
    load_language,
    names_elsewhere,
    renew_languages,
)
from .language_runtime import LEVELS, Imports, Level
from .session import Session

__all__ = [
    "LEVELS",
    "Cancelled",
    "GrammarError",
    "Hole",
    "Imports",
    "Language",
    "Level",
    "Session",
    "State",
    "UnknownLanguage",
    "freeze_garbage",
    "imports_for",
    "language",
    "language_for_path",
    "languages",
    "load_language",
    "names_elsewhere",
    "renew_languages",
]
