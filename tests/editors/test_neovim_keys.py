"""Our keys in real Neovims without a suggestion: each does the same as in a Neovim without them."""

import string
from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest
from scripted import Script

if TYPE_CHECKING:
    from neovim_driver import Neovim

Start = Callable[..., "Neovim"]

ACTIONS = ("accept", "accept_word", "accept_line", "dismiss")
KEYS = (
    *("<Tab>", "<S-Tab>", "<CR>", "<S-CR>", "<C-CR>", "<Esc>", "<Space>", "<BS>", "<Del>", "j", "ä", ")", "<lt>"),
    *(f"<C-{letter}>" for letter in "abdefghjklnopqrstuvwxyz"),
    *("<C-]>", "<C-Space>", "<C-BS>"),
    *("<Right>", "<S-Right>", "<C-Right>", "<Left>", "<Up>", "<Down>", "<Home>", "<End>", "<C-End>", "<PageDown>"),
    *("<M-w>", "<M-W>", "<M-n>", "<M-e>", "<M-l>", "<M-]>", "<M-b>", "<M-o>", "<M-j>", "<M-k>", "<M-ä>", "<M-.>"),
    *("<M-Right>", "<M-Left>", "<M-Tab>", "<M-C-w>", "<M-S-Right>", "<M-Space>", "<M-;>", "<M-u>"),
    *("<C-x><C-s>", "<C-g><C-g>", "jk"),
)
PLACES = ("  one| two\nthree", "(teh|)")
TAIL = "ab"
"""The keys typed behind the key: some keys take the ones behind them."""

MAPPINGS = {
    "plain": "inoremap {key} [p]",
    "remapped": "imap {key} <F2>x",
    "itself": "imap {key} {key}x",
    "itself, by an expression": "imap <expr> {key} pumvisible() ? '<C-n>' : '{key}'",
    "an expression": "inoremap <expr> {key} '<Left>' .. 'x'",
    "a plug": "imap <silent><expr> {key} col('.') > 2 ? '<Plug>(thing)' : '{key}'",
    "a command": "inoremap {key} <Cmd>call setline(1, 'set')<CR>",
    "Lua": "lua vim.keymap.set('i', '{key}', function() vim.api.nvim_put({{'put'}}, 'c', false, true) end)",
    "Lua, an expression": "lua vim.keymap.set('i', '{key}', function() return '<Left>y' end, {{expr = true}})",
    "Lua, nothing": "lua vim.keymap.set('i', '{key}', function() end, {{expr = true}})",
    "Lua, with raw bytes": "lua vim.keymap.set('i', '{key}', function() return '<lt>z' end, {{expr = true,"
    " replace_keycodes = false}})",
    "a buffer's": "inoremap <buffer> {key} [b]",
}
COMMON = ["inoremap <F2> [F2]", "inoremap <Plug>(thing) [thing]", "iabbrev teh the", "nnoremap <F3> x", "set notimeout"]


def pressed(editor: "Neovim", place: str, keys: str) -> tuple[str, str]:
    """The text with the cursor after keys were typed at a place, and the mode, once nothing more happens."""
    left, _, right = place.partition("|")
    word = left[
        len(left.rstrip("_" + string.ascii_letters + string.digits)) :
    ]  # typed, since an abbreviation has to be
    left = left.removesuffix(word)
    lines = left.split("\n")
    editor.api.input("<C-\\><C-n>")
    editor.wait(lambda: editor.api.request("nvim_get_mode") == {"mode": "n", "blocking": False}, "normal mode")
    editor.api.command("set nopaste")
    editor.api.current.buffer[:] = (left + right).split("\n")
    editor.api.input("i")
    editor.wait(lambda: editor.api.request("nvim_get_mode")["mode"] == "i", "insert mode")
    editor.api.current.window.cursor = (len(lines), len(lines[-1].encode()))
    editor.type(word + keys + TAIL)
    mode = editor.api.request("nvim_get_mode")
    if mode["blocking"]:
        return "", "waits"
    return editor.text(), mode["mode"]


@pytest.fixture(autouse=True)
def drawn_by_the_plugin(request: pytest.FixtureRequest) -> None:
    """Keys do the same whoever draws."""
    if request.node.callspec.params["neovim"].endswith("native"):
        pytest.skip("as with the plugin's own drawing")


def both(neovim: Start, script: Script) -> tuple["Neovim", "Neovim"]:
    """An editor without our keys, and one to give them to."""
    editors = neovim("|\n", cmd=script.command), neovim("|\n", cmd=script.command)
    for editor in editors:
        for command in COMMON:
            editor.api.command(command)
    return editors


def give(editor: "Neovim", script: Script, keys: tuple[str, ...]) -> None:
    """Maps keys to our actions, in turn."""
    for start in range(0, len(keys), len(ACTIONS)):
        some = dict(zip(ACTIONS, keys[start : start + len(ACTIONS)], strict=False))
        editor.lua("require('suture').setup(...)", {"cmd": script.command, "keys": some})


def different(editors: tuple["Neovim", "Neovim"], keys: tuple[str, ...], places: tuple[str, ...] = PLACES) -> list[str]:
    """The keys and places with different results in the two editors."""
    ends = [(key, place, *(pressed(each, place, key) for each in editors)) for key in keys for place in places]
    return [f"{key} at {place!r}: {bare}, with ours {ours}" for key, place, bare, ours in ends if bare != ours]


def test_without_a_mapping(neovim: Start, script: Script) -> None:
    editors = both(neovim, script)
    give(editors[1], script, KEYS)
    assert different(editors, KEYS) == []


@pytest.mark.parametrize("kind", MAPPINGS)
def test_with_a_mapping(neovim: Start, script: Script, kind: str) -> None:
    # Neovim 0.10 itself runs mappings that begin with one of its control keys twice.
    editors, keys = both(neovim, script), ("<Tab>", "<M-w>", *(["<C-l>"] if kind != "itself" else []))
    for editor in editors:
        for key in keys:
            editor.api.command(MAPPINGS[kind].format(key=key))
    give(editors[1], script, keys)
    assert different(editors, keys) == []
