"""The declarations shown to a model for a script's use."""

from pathlib import Path

from suture.lsp_server.completion.engine.cursor_context import CursorContext
from suture.lsp_server.completion.engine.pipeline import CompletionEngine
from suture.lsp_server.context.declarations import useful_declarations
from suture.lsp_server.settings.spec import Settings

from ..support.slua_scripts import DELVE

API = """-- Where something is.
-- In the level.
record Coord { x: number, y: number }
class Actor {
  name: string,

  Heal: (amount: number) -> void
}
global g_game: Game
-- g_effects.frost is { Apply: () -> void }
"""


def test_declarations_stay_whole_and_the_useful_ones_come_first() -> None:
    (only,) = useful_declarations(API, {"Heal"})
    assert only.text.startswith("class Actor {\n  name: string,\n\n  Heal: (amount: number) -> void\n}\n-- Where")
    assert sorted(only.text.split("\n")) == sorted(API.split("\n"))


def test_pieces_are_small_enough_for_a_prompt_and_bounded_together() -> None:
    many = "".join(f"record R{n} {{ x: number }}\n" for n in range(1000))
    pieces = list(useful_declarations(many, {"R999"}))
    assert pieces[0].text.startswith("record R999 ")
    assert all(len(piece.text) <= 700 for piece in pieces) and 2_000 < sum(len(piece.text) for piece in pieces) < 3_500
    assert not list(useful_declarations("-" * 10_000, set()))


def place(folder: Path, language: str, settings: Settings) -> CursorContext:
    text = "do\n  local a: number = g_math.Fl"
    return CursorContext(
        str(folder), language, text, len(text), path=str(folder / "scripts" / "new.slua"), settings=settings
    )


def test_the_api_is_shown_to_the_model_where_other_files_may_be(tmp_path: Path) -> None:
    engine = CompletionEngine(Settings())
    shown = engine.surroundings.options(place(DELVE, "slua", Settings())).snippets
    assert "Floor:" in shown[0].text and {piece.comment for piece in shown} == {"--"}
    assert not engine.surroundings.options(place(DELVE, "slua", Settings(context_files=False))).snippets
    assert not engine.surroundings.options(place(tmp_path, "slua", Settings())).snippets
    assert not engine.surroundings.options(place(DELVE, "python", Settings())).snippets
