"""Drives a real Neovim: types keys, waits, and reads the screen as a person would see it."""

import os
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

PLUGIN = Path(__file__).parents[2] / "editors" / "neovim"
TIMEOUT_S = 20.0


class Neovim:
    """One embedded Neovim with a screen of 60 columns and 18 lines, and the plugin as its only addition."""

    def __init__(self, executable: str, folder: Path, environment: dict[str, str], plugin: Path = PLUGIN) -> None:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of pynvim and the libraries below it
            import pynvim  # pyright: ignore[reportMissingImports]

            command = ["env", "-i", *(f"{name}={value}" for name, value in self._environment(folder, environment))]
            flags = ["--embed", "--headless", "--clean", "-n", "--cmd", f"set runtimepath^={plugin}"]
            self.api = pynvim.attach("child", argv=[*command, executable, *flags])
        self.closed = False
        self.cells: dict[tuple[int, int], str] = {}  # of the screen, by row and column
        self.api.ui_attach(60, 18, ext_linegrid=True)
        self.api.command("runtime plugin/suture.lua")
        # A message of several lines would wait for a key, and hold up every call, if it had no room.
        self.api.command("set noswapfile laststatus=0 noruler noshowmode cmdheight=4")

    @staticmethod
    def _environment(folder: Path, extra: dict[str, str]) -> list[tuple[str, str]]:
        home = {"HOME": str(folder), "PATH": os.environ["PATH"], "LANG": "C.UTF-8", "TERM": "xterm"}
        for name in ("CONFIG", "DATA", "STATE", "CACHE"):
            home[f"XDG_{name}_HOME"] = str(folder / name.lower())
        return list({**home, **extra}.items())

    def close(self) -> None:
        if self.closed:
            return
        self.closed = True
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                self.api.command("qall!")
            except (OSError, EOFError):
                pass
            self.api.close()

    def lua(self, code: str, *arguments: Any) -> Any:
        return self.api.exec_lua(code, *arguments)

    def open(self, file: Path, left: str, wait: bool) -> None:
        """Opens a file, waits for the server if wanted, and starts inserting after the text `left`."""
        self.api.command(f"edit {file}")
        if wait:
            self.wait(lambda: self.lua("return #vim.lsp.get_clients({bufnr = 0}) > 0"), "the server")
        lines = left.split("\n")
        # `startinsert` alone waits for a key; moving the cursor past the end needs insert mode first.
        self.api.input("i")
        self.wait(lambda: self.api.request("nvim_get_mode")["mode"] == "i", "insert mode")
        self.api.current.window.cursor = (len(lines), len(lines[-1].encode()))

    def type(self, keys: str) -> None:
        """Types keys in Neovim's notation, character by character, as hands do."""
        while keys:
            special = keys.startswith("<") and ">" in keys
            key = keys[: keys.index(">") + 1] if special else keys[0]
            keys = keys[len(key) :]
            self.api.input(key)
            # A round trip, so that every key is a change of its own; only this call is also answered within a command.
            self.api.request("nvim_get_mode")

    def wait(self, wanted: Callable[[], Any], what: str, timeout_s: float = TIMEOUT_S) -> Any:
        deadline = time.monotonic() + timeout_s
        while not (result := wanted()):
            if time.monotonic() > deadline:
                raise AssertionError(f"waited in vain for {what}; the screen:\n" + "\n".join(self.screen()))
            time.sleep(0.02)
        return result

    def screen(self) -> list[str]:
        """The lines of the screen as they are drawn, without the fill characters below the buffer's end."""
        self.api.command("redraw")
        code = """
            local lines = {}
            for row = 1, vim.o.lines - vim.o.cmdheight do
                local cells = {}
                for col = 1, vim.o.columns do cells[col] = vim.fn.screenstring(row, col) end
                lines[row] = (table.concat(cells):gsub('%s+$', ''))
            end
            return lines
        """
        lines: list[str] = self.lua(code)
        while lines and lines[-1] in ("~", ""):
            lines.pop()
        return lines

    def frames(self, row: int) -> list[str]:
        """The texts of a row of the screen since the last call, each time a person could see it."""
        self.api.request("nvim_get_mode")  # earlier drawings arrive before the answer
        shown: list[str] = []
        while self.api._session._pending_messages:
            _, name, batches = self.api.next_message()
            for event, *calls in batches if name == "redraw" else []:
                for call in calls:
                    if event == "grid_line":
                        self._draw(*call[1:4])
                    elif event in ("grid_clear", "grid_scroll"):
                        self.cells.clear()
                if event == "flush":
                    line = "".join(self.cells.get((row, column), " ") for column in range(60)).rstrip()
                    shown += [line] if shown[-1:] != [line] else []
        return shown

    def _draw(self, row: int, column: int, cells: list[list[Any]]) -> None:
        for text, *more in cells:
            for _ in range(more[1] if len(more) > 1 else 1):
                self.cells[row, column] = text
                column += 1

    def ghost(self) -> str | None:
        """The text drawn by the suggestion's marks; None when there is none."""
        code = """
            for _, mark in ipairs(vim.api.nvim_buf_get_extmarks(0, -1, 0, -1, {details = true})) do
                local details = mark[4]
                if details.virt_text then
                    local function text(chunks)
                        local parts = {}
                        for _, chunk in ipairs(chunks) do
                            if chunk[2] == 'SutureSuggestion' or chunk[2] == 'ComplHint' then parts[#parts + 1] = chunk[1] end
                        end
                        return table.concat(parts)
                    end
                    local lines = { text(details.virt_text) }
                    for _, chunks in ipairs(details.virt_lines or {}) do lines[#lines + 1] = text(chunks) end
                    return table.concat(lines, '\\n')
                end
            end
        """
        return self.lua(code) or None

    def wait_for_ghost(self, expected: str | None) -> None:
        self.wait(lambda: self.ghost() == expected, f"the suggestion {expected!r}, not {self.ghost()!r},")

    def wait_for_text(self, expected: str) -> None:
        self.wait(lambda: self.text() == expected, f"the text {expected!r}, not {self.text()!r},")

    def text(self) -> str:
        """The buffer, with | at the cursor."""
        row, column = self.api.current.window.cursor
        lines = [line.encode() for line in self.api.current.buffer[:]]
        lines[row - 1] = lines[row - 1][:column] + b"|" + lines[row - 1][column:]
        return b"\n".join(lines).decode()

    def messages(self) -> str:
        return self.api.request("nvim_exec2", "messages", {"output": True})["output"]
