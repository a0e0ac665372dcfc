"""Other people's plugins over `suture serve --http`: SUTURE_TEST_CLIENTS names a folder with checkouts of llama.vim and minuet-ai.nvim."""

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from neovim_driver import Neovim
from scripted import EDITORS

CLIENTS = Path(os.environ.get("SUTURE_TEST_CLIENTS", "/nonexistent"))
NVIM = EDITORS / "nvim-0.12" / "bin" / "nvim"
TOKEN = "a-token-of-this-test"
SHOP = '''"""A shop."""


class Item:
    price: int = 1


def total(items: list[Item]) -> int:
    return sum(item.price for item in items)


def dearest(items: list[Item]) -> int:
    return max(|)
'''
LEFT, RIGHT = SHOP.split("|")
GHOSTS = """
    local texts = {}
    for _, mark in ipairs(vim.api.nvim_buf_get_extmarks(0, -1, 0, -1, {details = true})) do
        for _, chunk in ipairs(mark[4].virt_text or {}) do texts[#texts + 1] = chunk[1] end
    end
    return table.concat(texts)
"""


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "shop.py").write_text(LEFT + RIGHT)
    return folder


@pytest.fixture
def port(shop: Path, tmp_path: Path, real_server: list[str]) -> Iterator[int]:
    environment = {**os.environ, "HOME": str(tmp_path), "XDG_CACHE_HOME": str(tmp_path), "SUTURE_TOKEN": TOKEN}
    command = [sys.executable, *real_server[1:], "--http", "0", "--folder", str(shop)]
    piped: Any = {"stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL, "text": True}
    with subprocess.Popen(command, env=environment, **piped) as process:
        assert process.stdout is not None
        yield int(process.stdout.readline().split("http://127.0.0.1:")[1].split()[0])
        process.terminate()


@pytest.fixture
def editor(tmp_path: Path) -> Iterator[Callable[[str], Neovim]]:
    """Starts a Neovim with one plugin."""
    started = list[Neovim]()

    def start(plugin: str) -> Neovim:
        if not (CLIENTS / plugin).is_dir():
            pytest.skip(f"SUTURE_TEST_CLIENTS has no {plugin}")
        started.append(Neovim(str(NVIM), tmp_path, {}, CLIENTS / plugin))
        return started[-1]

    yield start
    for each in started:
        each.close()


def typed_until_ghost(neovim: Neovim) -> str:
    """The ghost text behind a half-typed argument. A text too late for the client is there at the next key."""
    for _ in range(5):
        neovim.type("i<BS>i")
        try:
            return neovim.wait(lambda: neovim.lua(GHOSTS).strip(), "ghost text", timeout_s=8)
        except AssertionError:
            continue
    raise AssertionError("no ghost text: " + neovim.messages())


def test_llama_vim_shows_and_takes_a_text(editor: Callable[[str], Neovim], port: int, shop: Path) -> None:
    neovim = editor("llama.vim")
    config = {
        "endpoint_fim": f"http://127.0.0.1:{port}/infill",
        "api_key": TOKEN,
        "show_info": 0,
        "t_max_predict_ms": 5000,
    }
    neovim.api.command("call llama#init()")
    neovim.api.vars["llama_config"] = {**neovim.api.vars["llama_config"], **config}
    neovim.open(shop / "shop.py", LEFT, wait=False)
    neovim.api.command("LlamaEnable")
    ghost = typed_until_ghost(neovim)
    neovim.type("<Tab>")
    neovim.wait(lambda: ghost.split("\n")[0].strip() in neovim.text().replace("|", ""), "the text in the buffer")
    compile(neovim.text().replace("|", ""), "shop.py", "exec")


def test_minuet_shows_and_takes_a_text(editor: Callable[[str], Neovim], port: int, shop: Path) -> None:
    neovim = editor("minuet-ai.nvim")
    neovim.lua(
        """
        vim.env.SUTURE_API_KEY = ...
        local port = select(2, ...)
        require('minuet').setup({
            provider = 'openai_fim_compatible', throttle = 0, debounce = 50, request_timeout = 20,
            virtualtext = { auto_trigger_ft = { '*' }, keymap = { accept = '<A-A>' } },
            provider_options = { openai_fim_compatible = {
                end_point = 'http://127.0.0.1:' .. port .. '/v1/completions', api_key = 'SUTURE_API_KEY', name = 'Suture', model = 'suture',
            } },
        })
        """,
        TOKEN,
        port,
    )
    neovim.api.command("filetype on")
    neovim.open(shop / "shop.py", LEFT, wait=False)
    neovim.lua("vim.b.minuet_virtual_text_auto_trigger = true")
    typed_until_ghost(neovim)
    neovim.lua("require('minuet.virtualtext').action.accept()")
    neovim.wait(lambda: neovim.text().replace("|", "") != LEFT + "i" + RIGHT, "the text in the buffer")
    compile(neovim.text().replace("|", ""), "shop.py", "exec")
