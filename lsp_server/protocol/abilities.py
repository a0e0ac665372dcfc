"""The abilities of a client, and its habits, read from `initialize`."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, auto

from lsprotocol import types

from ...common.json_types import is_object

INSERTS_AS_WRITTEN = ("Eglot", "helix")
"""Clients that announce nothing about indentation and leave it alone."""
RUNS_COMMANDS = ("Neovim",)
"""Clients that run an item's command without announcing `workspace.executeCommand`."""
TABULATES = ("coc.nvim",)
"""Clients that turn the leading blanks of each line, also of the first, into tabs."""


class Indenting(Enum):
    """The client's treatment of the further lines of a list entry."""

    AS_WRITTEN = auto()
    AS_ASKED = auto()  # as written where the entry asks for it
    ADJUSTED = auto()  # behind the indentation of the cursor's line
    UNKNOWN = auto()


@dataclass(frozen=True)
class Abilities:
    """The forms of a suggestion supported by a client."""

    replaces_closers: bool = False
    """texts for a range that ends behind the cursor"""
    takes_snippets: bool = False
    """texts with a place for the cursor"""
    takes_imports: bool = False
    """texts with an import: the client shows it and lets the server add it"""
    runs_commands: bool = False
    tabulates: bool = False
    """texts at the cursor lose their leading blanks"""
    indenting: Indenting = Indenting.UNKNOWN


def abilities_of(params: types.InitializeParams) -> Abilities:
    """Read the abilities of a client."""
    options, capabilities = params.initialization_options, params.capabilities
    name = params.client_info.name if params.client_info is not None else ""
    workspace = capabilities.workspace
    announced = workspace is not None and workspace.execute_command is not None
    runs_commands = announced or name in RUNS_COMMANDS
    return Abilities(
        replaces_closers=said(options, "replaceClosers"),
        takes_snippets=said(options, "snippets"),
        takes_imports=runs_commands
        and said(options, "imports")
        and workspace is not None
        and bool(workspace.apply_edit),
        runs_commands=runs_commands,
        tabulates=name in TABULATES,
        indenting=_indenting(capabilities.text_document, name),
    )


def _indenting(documents: types.TextDocumentClientCapabilities | None, name: str) -> Indenting:
    entries = documents.completion if documents is not None else None
    item = entries.completion_item if entries is not None else None
    support = item.insert_text_mode_support if item is not None else None
    if support is not None and types.InsertTextMode.AsIs in support.value_set:
        return Indenting.AS_ASKED
    if entries is not None and entries.insert_text_mode == types.InsertTextMode.AdjustIndentation:
        return Indenting.ADJUSTED
    announced = support is not None or (entries is not None and entries.insert_text_mode is not None)
    return Indenting.AS_WRITTEN if announced or name in INSERTS_AS_WRITTEN else Indenting.UNKNOWN


def said(options: object, key: str) -> bool:
    """Whether an initialization option is on; for options beside the settings."""
    if is_object(options):
        options = options.get("suture") if is_object(options.get("suture")) else options
        return is_object(options) and options.get(key) is True
    return False
