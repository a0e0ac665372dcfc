"""The reference: Earley charts over an NFA, and the quotient of a grammar by both contexts as a grammar.

Melcer, Fulton, Gouru, Qian, "Constrained Decoding for Fill-in-the-Middle Code Language Models via Efficient Left and Right
Quotienting of Context-Sensitive Grammars" (2024). Slow and independent of the fast engine, which is tested against it; `suture check
--explain` shows its grammar of a hole.
"""

from .cfg import Cfg, simplified, trimmed
from .chart import Charts, TooLarge, charts
from .nfa import Nfa
from .quotients import left_quotient, quotient, right_quotient

__all__ = [
    "Cfg", "Charts", "Nfa", "TooLarge", "charts", "left_quotient", "quotient", "right_quotient", "simplified",
    "trimmed",
]  # fmt: skip
