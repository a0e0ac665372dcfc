"""The recognition of permissive licences, fit for training, in a distribution's metadata."""

from __future__ import annotations

import re
from collections.abc import Iterable
from email.message import Message

from ..common.words import words_of

PERMISSIVE = words_of("""
    0bsd apache-2.0 bsd-2-clause bsd-3-clause bsl-1.0 cc0-1.0 isc mit mit-0 psf-2.0 python-2.0 unlicense zlib
""")
_HARMLESS_EXCEPTIONS = frozenset({"llvm-exception"})

_CLASSIFIERS = {
    "Apache Software License": "Apache-2.0",
    "BSD License": "BSD",
    "ISC License (ISCL)": "ISC",
    "MIT License": "MIT",
    "MIT No Attribution License (MIT-0)": "MIT-0",
    "Python Software Foundation License": "PSF-2.0",
    "The Unlicense (Unlicense)": "Unlicense",
    "zlib/libpng License": "Zlib",
}

# Free text of the old `License` field; anything else is unknown.
_FREE_TEXT = re.compile(
    r"(?:the )?(?P<name>mit(?:-0)?|(?:new |modified |simplified )?bsd|bsd[- ][23][- ]clause|[23][- ]clause bsd|"
    r"apache(?: software)?(?: license)?(?:,? ?(?:version|v)?[- ]?2(?:\.0)?)?|asl 2(?:\.0)?|isc|psf(?:-2\.0)?|"
    r"unlicense|0bsd|zlib)(?: licen[cs]e)?",
    re.IGNORECASE,
)


def permissive_licence(metadata: Message) -> str | None:
    """The licence of a distribution if every part of it is permissive, else None.

    The SPDX expression counts if there is one, then the classifiers, then the free text.
    """
    expression = metadata.get("License-Expression")
    if expression:
        return expression if is_permissive(expression) else None
    classifiers = [
        str(line).split(" :: ")[-1]
        for line in metadata.get_all("Classifier", [])
        if str(line).startswith("License :: ") and " :: " in str(line)[len("License :: ") :]
    ]
    if classifiers:
        return _all_known(classifiers)
    text = (metadata.get("License") or "").strip()
    if text and is_permissive(text):
        return text
    return text if _FREE_TEXT.fullmatch(text) else None


_TEXTS = (
    ("MIT", "permission is hereby granted, free of charge, to any person obtaining a copy"),
    ("Apache-2.0", "apache license version 2.0"),
    ("BSD", "redistribution and use in source and binary forms, with or without modification, are permitted"),
    ("ISC", "permission to use, copy, modify, and/or distribute this software for any purpose with or without fee"),
    ("ISC", "permission to use, copy, modify, and distribute this software for any purpose with or without fee"),
    ("Unlicense", "this is free and unencumbered software released into the public domain"),
)
_RESTRICTED_TEXTS = (
    "general public license", "mozilla public", "creative commons", "commons clause", "commercial license",
)  # fmt: skip


def licence_of_text(text: str) -> str | None:
    """The permissive licences in a licence file, by their own words; None for any other text."""
    plain = re.sub(r"[\W_]+", " ", text).lower()
    if any(words in plain for words in _RESTRICTED_TEXTS):
        return None
    named = dict.fromkeys(name for name, words in _TEXTS if re.sub(r"[\W_]+", " ", words) in plain)
    return " AND ".join(named) or None


def is_permissive(expression: str) -> bool:
    """Whether an SPDX expression allows a choice of only permissive licences."""
    words = re.findall(r"[()]|[^\s()]+", expression)
    try:
        value, rest = _either(words)
    except IndexError:
        return False
    return value and not rest


def _either(words: list[str]) -> tuple[bool, list[str]]:
    value, words = _both(words)
    while words and words[0].upper() == "OR":
        other, words = _both(words[1:])
        value = value or other
    return value, words


def _both(words: list[str]) -> tuple[bool, list[str]]:
    value, words = _one(words)
    while words and words[0].upper() == "AND":
        other, words = _one(words[1:])
        value = value and other
    return value, words


def _one(words: list[str]) -> tuple[bool, list[str]]:
    if words[0] == "(":
        value, words = _either(words[1:])
        if words[0] != ")":
            raise IndexError
        return value, words[1:]
    value, words = words[0].lower() in PERMISSIVE, words[1:]
    if words and words[0].upper() == "WITH":
        value, words = value and words[1].lower() in _HARMLESS_EXCEPTIONS, words[2:]
    return value, words


def _all_known(classifiers: Iterable[str]) -> str | None:
    names = [_CLASSIFIERS.get(name) for name in classifiers]
    if any(name is None for name in names):
        return None
    return " / ".join(name for name in names if name)
