"""The tree-sitter grammars in use, and each language's further facts. They are wheels of PyPI, the extra `languages`."""

from __future__ import annotations

import importlib
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cache
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from ...common.words import words_of
from ..errors import GrammarError
from . import newer
from .newer import AS_IS, Newer

if TYPE_CHECKING:
    from tree_sitter import Language

LIBRARY = "tree-sitter"

_BRACES = (re.compile(r"\{[ \t]*$"), "}"), (re.compile(r"\([ \t]*$"), ")"), (re.compile(r"\[[ \t]*$"), "]")
_WORDS_OF_RUBY = r"(?:def|class|module|if|unless|while|until|case|begin|for)\b|do\b(?:[ \t]*\|[^|]*\|)?[ \t]*$"
_NAMES = frozenset(("identifier", "type_identifier", "field_identifier"))


# Each level of blocks is kept in 1,024 bytes, whatever their number. It takes a column or one of these signs.
_DEEP = re.compile(rb"\0|^[ \t?:-]{100}|^(?:[^\n?:-]*+(?:[?:-](?![ \t])[^\n?:-]*+)*+[?:-][ \t]){50}", re.MULTILINE)

_C = words_of(
    "auto break case const continue default do else enum extern for goto if register return sizeof static struct switch typedef"
    " union volatile while"
)
_JAVA = words_of(
    "abstract assert break case catch class const continue default do else enum extends final finally for goto if implements import"
    " instanceof interface native new package private protected public return static super switch synchronized this throw throws"
    " transient try volatile while"
)


_GENERIC = frozenset((("default", "type_descriptor"),))
"""In `_Generic(x, int: 1, default: 0)`."""
_VOID = words_of("area base br col embed hr img input link meta source track wbr")


@dataclass(frozen=True)
class Checked:
    """A language checked by tree-sitter."""

    package: str
    """of the grammar, on PyPI; its module has underscores"""
    patterns: tuple[str, ...]
    """of the names of its files"""
    aliases: tuple[str, ...] = ()
    """its other names in editors"""
    fallback: str = ""
    """an older package, used where the first is not installed"""
    function: str = "language"
    """the function of the module that returns the grammar"""
    line_comment: str = "//"
    """the mark of a comment up to the end of the line; "" where the language has none"""
    block_comment: bool = True
    """whether `/*` begins a comment"""
    long_quotes: bool = False
    """Whether the text between two `'` is a string, of any length."""
    reserved: frozenset[str] = frozenset()
    """words that cannot be names; the grammars take a keyword for a name where they do not expect it"""
    not_reserved: frozenset[tuple[str, str]] = frozenset()
    """(word, kind of node) where the word may be a name nevertheless; the word is "" for all of them"""
    names: frozenset[str] = _NAMES
    """kinds of nodes that are names"""
    blocks: tuple[tuple[re.Pattern[str], str], ...] = _BRACES
    """pairs of a pattern for a line that opens a block, without its indentation, and the text that closes it"""
    last_comma: bool = True
    """whether a comma may stand before a closing parenthesis"""
    statements: frozenset[str] = frozenset()
    """kinds of expressions that are statements; none: all are"""
    constructor: str = ""
    """the kind of a constructor, which has the name of its class; a method without a type is taken for one"""
    declarations: str = ""
    """the kind of a node without expression statements"""
    pairs: tuple[str, ...] = ()
    """kinds of pairs that need a key, of one line where nothing marks it"""
    begun: tuple[str, ...] = ()
    """texts for the beginning of blocks without brackets"""
    unclosed: frozenset[str] = frozenset()
    """tags of elements that may lack an end; none: the language has no tags"""
    void: frozenset[str] = frozenset()
    """void tags, which end themselves"""
    opaque: frozenset[str] = frozenset()
    """kinds of nodes whose text is skipped, though it is code"""
    newer: Newer = AS_IS
    """forms missing in the grammar"""
    calls: tuple[tuple[str, str], ...] = ()
    """(name of a call, the only kind of node whose statement it may be)"""
    foreign: frozenset[str] = frozenset()
    """kinds of nodes from another language, which the grammar includes"""
    unsafe: re.Pattern[bytes] = re.compile(rb"\0")
    """a pattern for a line that must not reach the grammar, which would overrun its memory or never end"""


CHECKED: Mapping[str, Checked] = {
    "rust": Checked(
        "tree-sitter-rust",
        ("*.rs",),
        reserved=words_of(
            "as async await break const continue dyn else enum extern fn for if impl in let loop match mod move mut pub ref return"
            " static struct trait type unsafe use where while"
        ),
        not_reserved=frozenset((("static", "lifetime"), ("unsafe", "attribute"))),
        declarations="source_file",
        newer=newer.RUST,
    ),
    "java": Checked(
        "tree-sitter-java",
        ("*.java",),
        reserved=_JAVA,
        not_reserved=frozenset((("default", "switch_label"),)),
        last_comma=False,
        constructor="constructor_declaration",
        statements=words_of(
            "assignment_expression update_expression method_invocation object_creation_expression switch_expression"
        ),
        newer=newer.JAVA,
        calls=tuple((name, "constructor_body") for name in newer.CALLED),
    ),
    "c": Checked("tree-sitter-c", ("*.c", "*.h"), reserved=_C, not_reserved=_GENERIC, last_comma=False, newer=newer.C),
    "cpp": Checked(
        "tree-sitter-cuda",  # C++ and a little more, of a newer standard than in tree-sitter-cpp
        ("*.cc", "*.cpp", "*.cxx", "*.hh", "*.hpp", "*.hxx"),
        ("c++",),
        fallback="tree-sitter-cpp",
        reserved=_C
        | words_of("catch class delete friend namespace new private protected public template throw try using virtual"),
        not_reserved=_GENERIC
        | {
            ("auto", "call_expression"),
            ("auto", "compound_literal_expression"),
            ("sizeof", "parameter_declaration"),  # in `Key key(a, sizeof(b));`, which reads as a declaration
        },
        last_comma=False,
        newer=newer.CPP,
        foreign=frozenset(("kernel_call_syntax",)),
    ),
    "csharp": Checked(
        "tree-sitter-c-sharp",
        ("*.cs",),
        ("cs", "c_sharp", "c#"),
        reserved=_JAVA
        - words_of(
            "assert extends final implements import instanceof native package super synchronized throws transient"
        )
        | words_of(
            "as base checked delegate event explicit extern fixed foreach implicit in internal is lock namespace operator out"
            " override params readonly ref sealed sizeof stackalloc struct typeof unchecked unsafe using virtual"
        ),
        constructor="constructor_declaration",
        last_comma=False,
        newer=newer.CSHARP,
    ),
    "ruby": Checked(
        "tree-sitter-ruby",
        ("*.rb", "*.rake", "Rakefile", "Gemfile", "*.gemspec"),
        line_comment="#",
        block_comment=False,
        long_quotes=True,
        reserved=words_of(
            "begin break case class def do else elsif end ensure for if in module next rescue then undef unless until"
            " when while"
        ),
        not_reserved=frozenset((("", "alias"), ("", "undef"))),
        blocks=((re.compile(_WORDS_OF_RUBY), "end"), *_BRACES),
    ),
    "php": Checked("tree-sitter-php", ("*.php",), function="language_php", long_quotes=True, newer=newer.PHP),
    "bash": Checked(
        "tree-sitter-bash",
        ("*.sh", "*.bash", ".bashrc", ".profile", ".bash_profile"),
        ("sh", "shellscript"),
        line_comment="#",
        block_comment=False,
        long_quotes=True,
        reserved=words_of("case do done elif else esac fi for function if select then until while"),
        names=frozenset(("command_name",)),
        blocks=(
            (re.compile(r"(?:.*;[ \t]*)?then[ \t]*$|else[ \t]*$"), "fi"),
            (re.compile(r"(?:.*;[ \t]*)?do[ \t]*$"), "done"),
            (re.compile(r"case\b.*\bin[ \t]*$"), "esac"),
            *_BRACES,
        ),
        begun=("x; then", "x; do", "if x; then", "while x; do", "case x in"),
        newer=newer.BASH,
    ),
    "css": Checked("tree-sitter-css", ("*.css",), line_comment="", long_quotes=True, newer=newer.CSS),
    "html": Checked(
        "tree-sitter-html",
        ("*.html", "*.htm"),
        line_comment="",
        block_comment=False,
        long_quotes=True,
        blocks=(),
        unclosed=_VOID
        | words_of("html head body p li dt dd option optgroup tr td th thead tbody tfoot colgroup caption rp rt"),
        void=_VOID,
        opaque=frozenset(("raw_text",)),
    ),
    "yaml": Checked(
        "tree-sitter-yaml",
        ("*.yaml", "*.yml"),
        line_comment="#",
        block_comment=False,
        long_quotes=True,
        pairs=("block_mapping_pair", "flow_pair"),
        begun=("x:", ":"),
        unsafe=_DEEP,
    ),
    "toml": Checked(
        "tree-sitter-toml", ("*.toml",), line_comment="#", block_comment=False, long_quotes=True, newer=newer.TOML
    ),
}
"""By name; docs/decisions.md has the choice, and the reasons."""

_ALIASES = {alias: name for name, facts in CHECKED.items() for alias in facts.aliases}


def checked_name(name: str) -> str | None:
    """The name used here for an editor's name of a language; None where it is unknown."""
    return name if name in CHECKED else _ALIASES.get(name)


def name_for(file: str) -> str | None:
    """The language of a file, by its name."""
    return next(
        (name for name, facts in CHECKED.items() if any(fnmatchcase(file, each) for each in facts.patterns)), None
    )


@cache
def has(name: str) -> bool:
    """Whether tree-sitter and a language's grammar are installed. Nothing is imported."""
    return _is_installed(LIBRARY) and _is_installed(_package(name))


def _is_installed(package: str) -> bool:
    return find_spec(package.replace("-", "_")) is not None


def _package(name: str) -> str:
    """The installed package with the grammar of a language."""
    facts = CHECKED[name]
    return facts.fallback if facts.fallback and not _is_installed(facts.package) else facts.package


@cache
def load(name: str) -> Language:
    """The grammar of a language; raises GrammarError where it is not installed, or not for this version of tree-sitter."""
    try:
        from tree_sitter import Language

        module = importlib.import_module(_package(name).replace("-", "_"))
        capsule: object = getattr(module, CHECKED[name].function)()
        return Language(capsule)
    except (ImportError, AttributeError, TypeError, ValueError) as error:
        raise GrammarError(f"the grammar of {name} cannot be loaded: {error}") from error


@dataclass(frozen=True)
class CheckedRuntime:
    """The state shared by the sessions of a language; see LanguageRuntime."""

    name: str
    rules: Checked
    grammar: Language
    size: int = 0

    def release_incrementally(self) -> Iterator[None]:
        """See LanguageRuntime: there is nothing to take apart."""
        return iter(())


def maker(name: str) -> Callable[[], Any]:
    """The maker of a language's runtime."""
    return lambda: CheckedRuntime(name, CHECKED[name], load(name))
