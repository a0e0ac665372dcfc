"""The handlers of LSP messages, one module for each topic.

Each handler turns the protocol's types into offsets and strings, calls code that knows no LSP, and turns the outcome back. Handlers that
are not `async` run where the messages are read, in the order in which they come; none of them waits.
"""

from . import commands, configuration, documents, explaining, feedback, inline, lifecycle, notebooks, texts

TOPICS = (lifecycle, documents, notebooks, configuration, inline, feedback, commands, explaining, texts)
"""Each has `add_to(dispatcher)`, which registers its handlers."""
