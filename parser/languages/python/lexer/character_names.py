"""Character names for `\\N{...}`: their possible beginnings, and the ways to continue them.

The names are those of the running interpreter's `unicodedata`, whatever the text's version of Python: each version adds a few hundred to a
few thousand names. `unicodedata` does not list aliases; those up to Unicode 15 are listed here (from NameAliases.txt of the Unicode Character
Database), as far as the interpreter knows them. Case matters only in the names of unified ideographs and of Hangul syllables, as in CPython.
"""

from __future__ import annotations

import unicodedata
from bisect import bisect_left
from functools import cache
from itertools import chain

_IDEOGRAPH = "CJK UNIFIED IDEOGRAPH-"
_SYLLABLE = "HANGUL SYLLABLE "
_SYLLABLES = range(0xAC00, 0xD7A4)
_NAMED = (
    *(range(0x20, 0x3400), range(0x4DC0, 0x4E00), range(0xA000, 0xAC00), range(0xD7A4, 0xD800)),
    *(range(0xF900, 0x20000), range(0x2F800, 0x2FA20), range(0xE0000, 0xE01F0)),
)
_IDEOGRAPHS = (range(0x3400, 0x4DC0), range(0x4E00, 0xA000), range(0x20000, 0x2F800), range(0x30000, 0x34000))
_TRIED = 200
"""Names tried in the search for the shortest rest."""

_ABBREVIATIONS = """
    ACK ACKNOWLEDGE ALERT ALM APC BACKSPACE BEL BOM BPH BS CAN CANCEL CCH CGJ CR CSI DC1 DC2 DC3 DC4 DCS DEL DELETE DLE
    ENQ ENQUIRY EOL EOM EOT EPA ESA ESC ESCAPE ETB ETX FF FS FSI FVS1 FVS2 FVS3 FVS4 GS HOP HT HTJ HTS IND INDEX LF LRE
    LRI LRM LRO MMSP MVS MW NAK NBH NBSP NEL NL NNBSP NUL NULL OSC PAD PDF PDI PLD PLU PM PU1 PU2 RI RLE RLI RLM RLO RS
    SCI SGC SHY SI SINGLE-SHIFT-2 SINGLE-SHIFT-3 SO SOH SOS SP SPA SS2 SS3 SSA ST STS STX SUB SUBSTITUTE SYN TAB US VT
    VTS WJ ZWJ ZWNBSP ZWNJ ZWSP
"""
_ALIASES = """
    APPLICATION PROGRAM COMMAND; BREAK PERMITTED HERE; BYTE ORDER MARK;
    BYZANTINE MUSICAL SYMBOL FTHORA SKLIRON CHROMA VASIS; CANCEL CHARACTER; CARRIAGE RETURN; CHARACTER TABULATION;
    CHARACTER TABULATION SET; CHARACTER TABULATION WITH JUSTIFICATION; CONTROL SEQUENCE INTRODUCER;
    CUNEIFORM SIGN NU11 OVER NU11 BUR OVER BUR; CUNEIFORM SIGN NU11 TENU; DATA LINK ESCAPE; DEVICE CONTROL FOUR;
    DEVICE CONTROL ONE; DEVICE CONTROL STRING; DEVICE CONTROL THREE; DEVICE CONTROL TWO; END OF GUARDED AREA;
    END OF LINE; END OF MEDIUM; END OF PROTECTED AREA; END OF SELECTED AREA; END OF TEXT; END OF TRANSMISSION;
    END OF TRANSMISSION BLOCK; FILE SEPARATOR; FORM FEED; GROUP SEPARATOR; HANGUL JONGSEONG SSANGYESIEUNG;
    HANGUL JONGSEONG YESIEUNG-KHIEUKH; HANGUL JONGSEONG YESIEUNG-KIYEOK; HANGUL JONGSEONG YESIEUNG-SSANGKIYEOK;
    HENTAIGANA LETTER E-1; HIGH OCTET PRESET; HORIZONTAL TABULATION; HORIZONTAL TABULATION SET;
    HORIZONTAL TABULATION WITH JUSTIFICATION; INFORMATION SEPARATOR FOUR; INFORMATION SEPARATOR ONE;
    INFORMATION SEPARATOR THREE; INFORMATION SEPARATOR TWO; KANNADA LETTER LLLA; LAO LETTER FO FAY; LAO LETTER FO FON;
    LAO LETTER LO; LAO LETTER RO; LATIN CAPITAL LETTER GHA; LATIN SMALL LETTER GHA;
    LEFTWARDS TRIANGLE-HEADED ARROW WITH DOUBLE VERTICAL STROKE; LINE FEED; LINE TABULATION; LINE TABULATION SET;
    LOCKING-SHIFT ONE; LOCKING-SHIFT ZERO; MEDEFAIDRIN CAPITAL LETTER H; MEDEFAIDRIN CAPITAL LETTER NG;
    MEDEFAIDRIN SMALL LETTER H; MEDEFAIDRIN SMALL LETTER NG; MESSAGE WAITING; MICR DASH SYMBOL; MICR ON US SYMBOL;
    MYANMAR LETTER KHAMTI LLA; NEGATIVE ACKNOWLEDGE; NEW LINE; NEXT LINE; NO BREAK HERE; OPERATING SYSTEM COMMAND;
    PADDING CHARACTER; PARTIAL LINE BACKWARD; PARTIAL LINE DOWN; PARTIAL LINE FORWARD; PARTIAL LINE UP;
    PRESENTATION FORM FOR VERTICAL RIGHT WHITE LENTICULAR BRACKET; PRIVACY MESSAGE; PRIVATE USE ONE; PRIVATE USE TWO;
    PRIVATE USE-1; PRIVATE USE-2; RECORD SEPARATOR; REVERSE INDEX; REVERSE LINE FEED;
    RIGHTWARDS TRIANGLE-HEADED ARROW WITH DOUBLE VERTICAL STROKE; SET TRANSMIT STATE; SHIFT IN; SHIFT OUT;
    SINGLE CHARACTER INTRODUCER; SINGLE GRAPHIC CHARACTER INTRODUCER; SINGLE SHIFT THREE; SINGLE SHIFT TWO;
    START OF GUARDED AREA; START OF HEADING; START OF PROTECTED AREA; START OF SELECTED AREA; START OF STRING;
    START OF TEXT; STRING TERMINATOR; SYNCHRONOUS IDLE; SYRIAC SUBLINEAR COLON SKEWED LEFT;
    TIBETAN MARK BKA- SHOG GI MGO RGYAN; UNIT SEPARATOR; VERTICAL TABULATION; VERTICAL TABULATION SET;
    WEIERSTRASS ELLIPTIC FUNCTION; YI SYLLABLE ITERATION MARK
"""


def is_name(text: str) -> bool:
    """Whether this is the name of one character; sequences have names, too, which no escape takes."""
    try:
        return len(unicodedata.lookup(text)) == 1
    except KeyError:
        return False


def may_begin(text: str) -> bool:
    """Whether a text is the name of a character, or its beginning."""
    folded = text.upper()
    names = _names()
    index = bisect_left(names, folded)
    if index < len(names) and names[index].startswith(folded):
        return True
    if text.startswith(_SYLLABLE) or _SYLLABLE.startswith(text):
        syllables = _syllables()
        index = bisect_left(syllables, text)
        return index < len(syllables) and syllables[index].startswith(text)
    return _IDEOGRAPH.startswith(text) or (
        text.startswith(_IDEOGRAPH) and _code_rest(text[len(_IDEOGRAPH) :]) is not None
    )


def shortest_rest(text: str) -> str:
    """A short text that completes the beginning of a name."""
    rests = [name[len(text) :] for name in _beginning_so(_names(), text.upper())]
    rests += [name[len(text) :] for name in _beginning_so(_syllables(), text)]
    if text.startswith(_IDEOGRAPH):
        rests.append(_code_rest(text[len(_IDEOGRAPH) :]) or "")
    elif _IDEOGRAPH.startswith(text):
        rests.append(_IDEOGRAPH[len(text) :] + "4E00")
    return min(rests, key=len)


def beginning(end: str) -> str | None:
    """The beginning of some name with this end; None without such a name."""
    if end.isascii() and not end.strip("0123456789ABCDEF") and len(end) <= 5:
        code = next((_IDEOGRAPH + digit for digit in ("", "2", "3", "5") if is_name(_IDEOGRAPH + digit + end)), None)
        if code is not None:
            return code
    folded = end.upper()
    match = next((name for name in _names() if name.endswith(folded)), None)
    match = match or next((name for name in _syllables() if name.endswith(end)), None)
    return None if match is None else match[: len(match) - len(end)]


def _beginning_so(names: tuple[str, ...], text: str) -> list[str]:
    index = bisect_left(names, text)
    return [name for name in names[index : index + _TRIED] if name.startswith(text)]


def _code_rest(digits: str) -> str | None:
    """The shortest hexadecimal digits that complete the code of an ideograph, of four or five digits; None if there are none."""
    if not all(digit in "0123456789ABCDEF" for digit in digits):
        return None
    for missing in range(max(0, 4 - len(digits)), 6 - len(digits)):
        low = int((digits or "0") + "0" * missing, 16)
        for first, last in _ideographs():
            code = max(low, first)
            if code <= min(low + 16**missing - 1, last):
                return f"{code:0{len(digits) + missing}X}"[len(digits) :]
    return None


@cache
def _names() -> tuple[str, ...]:
    """All names except those of unified ideographs and Hangul syllables, sorted. Takes some 30 ms, once."""
    names = {unicodedata.name(chr(code), "") for code in chain(*_NAMED)} - {""}
    aliases = [*_ABBREVIATIONS.split(), *(" ".join(alias.split()) for alias in _ALIASES.split(";"))]
    names |= {alias for alias in (*aliases, *(f"VS{i}" for i in range(1, 257))) if is_name(alias)}
    return tuple(sorted(names))


@cache
def _syllables() -> tuple[str, ...]:
    return tuple(sorted(unicodedata.name(chr(code)) for code in _SYLLABLES))


@cache
def _ideographs() -> tuple[tuple[int, int], ...]:
    """(first, last) code point of the runs of unified ideographs."""
    ranges: list[tuple[int, int]] = []
    for code in chain(*_IDEOGRAPHS):
        if unicodedata.name(chr(code), "").startswith(_IDEOGRAPH):
            if ranges and ranges[-1][1] == code - 1:
                ranges[-1] = ranges[-1][0], code
            else:
                ranges.append((code, code))
    return tuple(ranges)
