"""The papers' results, with their models on their machines: to put beside our numbers, never in one column with them.

Melcer et al.: "Constrained Decoding for Fill-in-the-Middle Code Language Models via Efficient Left and Right Quotienting of
Context-Sensitive Grammars". SynCode: Ugare et al., "SynCode: LLM Generation with Grammar Augmentation", first version. The third is
the paper of the tree of parsers and of sLua.
"""

from __future__ import annotations

Rows = tuple[tuple[str, ...], ...]

MELCER = {
    "melcer-boundary": (
        ("mode", "valid of 95,390", "valid"),
        ("unconstrained", "65,353", "68.51 %"),
        ("checked", "90,280", "94.64 %"),
        ("constrained", "90,665", "95.05 %"),
    ),
    "melcer-randspan": (
        ("mode", "valid of 95,390", "valid"),
        ("unconstrained", "68,590", "71.90 %"),
        ("checked", "91,654", "96.08 %"),
        ("constrained", "92,085", "96.54 %"),
    ),
}
FAILURES: Rows = (
    ("failures of constrained generation", "count"),
    ("all", "4,725"),
    ("the engine was wrong", "29"),
    ("the text never connected to the right context", "4,696"),
)
BRANCHES: Rows = (("branches of the right context", "number"), ("median", "5"), ("most", "10"))
TIMING: Rows = (
    ("milliseconds, x characters of context", "fit"),
    ("a token, constrained", "9.54e-6 x + 4.53"),
    ("a token, checked", "3.7e-4 x - 0.177"),
    ("once for a hole", "0.283 x + 270"),
)
ERRORS_PY: Rows = (
    ("model", "HumanEval: syntax", "indentation", "MBXP: syntax", "indentation"),
    ("CodeGen-350M", "230 → 7", "41 → 8", "68 → 0", "10 → 4"),
    ("WizardCoder-1B", "32 → 3", "4 → 0", "8 → 1", "20 → 1"),
    ("Llama-7B", "230 → 2", "61 → 0", "108 → 1", "40 → 4"),
)
ERRORS_GO: Rows = (
    ("model", "HumanEval: syntax", "MBXP: syntax"),
    ("CodeGen-350M", "573 → 49", "212 → 2"),
    ("WizardCoder-1B", "1031 → 50", "243 → 14"),
    ("Llama-7B", "725 → 10", "414 → 1"),
)
FEW: Rows = (
    ("model", "syntax", "indentation"),
    ("CodeGen-350M", "53 → 0", "15 → 3"),
    ("WizardCoder-1B", "40 → 2", "22 → 1"),
    ("Llama-7B", "110 → 0", "40 → 5"),
)
PASS: Rows = (
    ("model", "Python pass@1", "pass@10", "Go pass@1", "pass@10"),
    ("CodeGen-350M", "6.8 → 6.9 %", "10.6 → 10.6 %", "3.6 → 3.6 %", "5.6 → 6.1 %"),
    ("WizardCoder-1B", "20.0 → 20.0 %", "27.6 → 28.4 %", "9.3 → 9.5 %", "12.5 → 13.7 %"),
    ("Llama-7B", "11.2 → 11.5 %", "17.1 → 18.9 %", "3.8 → 4.25 %", "8.8 → 8.8 %"),
)
TIME: Rows = (
    ("seconds a completion of 200 tokens", "standard", "LALR", "LR(1)"),
    ("CodeGen-350M, Python", "4.36", "6.06", "4.88"),
    ("WizardCoder-1B, Python", "1.49", "3.00", "1.74"),
    ("Llama-7B, Python", "4.88", "7.26", "6.07"),
    ("CodeGen-350M, Go", "4.35", "6.79", "5.12"),
    ("WizardCoder-1B, Go", "1.42", "3.69", "1.99"),
    ("Llama-7B, Go", "5.35", "7.97", "6.67"),
    ("overhead", "1", "1.76", "1.22"),
)
INCREMENTAL: Rows = (("incremental parsing at 300 tokens", "speed-up"), ("SynCode", "9"))
STORE: Rows = (
    ("mask store", "seconds", "GB of memory"),
    ("Python, CodeGen-350M", "602", "1.87"),
    ("Python, WizardCoder-1B", "588", "1.83"),
    ("Python, Llama-7B", "382", "1.17"),
    ("Go, CodeGen-350M", "603", "1.58"),
    ("Go, WizardCoder-1B", "589", "1.54"),
    ("Go, Llama-7B", "380", "1.06"),
)
SLUA_SPEED: Rows = (
    ("", "tokens a second", "share of compiling"),
    ("unconstrained", "18.89", "0 %"),
    ("Willard and Louf's index", "2.04", "73.35 %"),
    ("Koo et al.'s transducer", "1.47", "79.41 %"),
    ("the tree of parsers", "7.64", "4.98 %"),
)
EXACT: Rows = (
    ("theorems about masks", ""),
    ("soundness (3.1)", "no valid token is masked out"),
    (
        "completeness (3.2)",
        "fails in general: the look-ahead is two terminals long, so tokens are kept after which nothing fits",
    ),
)
