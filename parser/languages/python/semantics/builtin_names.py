"""The names that Python has without a definition, by version."""

from __future__ import annotations

from functools import cache

_SINCE_3_8 = (
    "ArithmeticError AssertionError AttributeError BaseException BlockingIOError BrokenPipeError BufferError BytesWarning"
    " ChildProcessError ConnectionAbortedError ConnectionError ConnectionRefusedError ConnectionResetError"
    " DeprecationWarning EOFError Ellipsis EnvironmentError Exception False FileExistsError FileNotFoundError"
    " FloatingPointError FutureWarning GeneratorExit IOError ImportError ImportWarning IndentationError IndexError"
    " InterruptedError IsADirectoryError KeyError KeyboardInterrupt LookupError MemoryError ModuleNotFoundError NameError"
    " None NotADirectoryError NotImplemented NotImplementedError OSError OverflowError PendingDeprecationWarning"
    " PermissionError ProcessLookupError RecursionError ReferenceError ResourceWarning RuntimeError RuntimeWarning"
    " StopAsyncIteration StopIteration SyntaxError SyntaxWarning SystemError SystemExit TabError TimeoutError True"
    " TypeError UnboundLocalError UnicodeDecodeError UnicodeEncodeError UnicodeError UnicodeTranslateError UnicodeWarning"
    " UserWarning ValueError Warning ZeroDivisionError __build_class__ __debug__ __doc__ __import__ __loader__ __name__"
    " __package__ __spec__ abs all any ascii bin bool breakpoint bytearray bytes callable chr classmethod compile complex"
    " delattr dict dir divmod enumerate eval exec filter float format frozenset getattr globals hasattr hash hex id input"
    " int isinstance issubclass iter len list locals map max memoryview min next object oct open ord pow print property"
    " range repr reversed round set setattr slice sorted staticmethod str sum super tuple type vars zip"
)
_ADDED = {
    (3, 10): "EncodingWarning aiter anext",
    (3, 11): "BaseExceptionGroup ExceptionGroup",
    (3, 13): "PythonFinalizationError",
}
_SITE = "copyright credits exit license quit"
_MODULE = "WindowsError __annotations__ __builtins__ __file__ __path__"

_WITHOUT_KEYWORDS = (
    "abs aiter all anext any ascii bin bool callable chr classmethod delattr divmod filter float format frozenset getattr"
    " globals hasattr hash hex id input isinstance issubclass iter len list locals next object oct ord range repr"
    " reversed set setattr slice staticmethod tuple vars"
)
_KEYWORDS = {
    "bytearray": "source encoding errors",
    "bytes": "source encoding errors",
    "compile": "source filename mode flags dont_inherit optimize _feature_version",
    "complex": "real imag",
    "enumerate": "iterable start",
    "eval": "globals locals",
    "exec": "globals locals closure",
    "int": "base",
    "map": "strict",
    "max": "key default",
    "memoryview": "object",
    "min": "key default",
    "open": "file mode buffering encoding errors newline closefd opener",
    "pow": "base exp mod",
    "print": "sep end file flush",
    "property": "fget fset fdel doc",
    "round": "number ndigits",
    "sorted": "key reverse",
    "str": "object encoding errors",
    "sum": "start",
    "zip": "strict",
}


@cache
def builtin_keywords(name: str) -> frozenset[str] | None:
    """The keyword arguments that a built-in function takes in any version; None: any (`dict`), or it is none of these."""
    if name in _WITHOUT_KEYWORDS.split():
        return frozenset()
    return frozenset(_KEYWORDS[name].split()) if name in _KEYWORDS else None


@cache
def builtin_names(version: tuple[int, int]) -> frozenset[str]:
    """What is visible everywhere: built-in names, and those that each module has."""
    names = f"{_SINCE_3_8} {_SITE} {_MODULE}".split()
    for since, added in _ADDED.items():
        if version >= since:
            names += added.split()
    return frozenset(names)
