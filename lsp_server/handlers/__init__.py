"""The handlers of LSP messages, one module for each topic.

Each handler turns the protocol's types into offsets and strings, calls code without LSP, and turns the outcome back. Handlers that are not
`async` run where the messages are read, in the order of arrival; none of them blocks.
"""

from . import commands, configuration, documents, explaining, feedback, inline, lifecycle, notebooks, texts

TOPICS = (lifecycle, documents, notebooks, configuration, inline, feedback, commands, explaining, texts)
"""Each has `add_to(dispatcher)`, which registers its handlers."""
