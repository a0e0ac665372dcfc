"""The names that a TypeScript file may read though neither it nor a library declares them."""

from pathlib import Path

import pytest
from suture.common.reach import Reach
from suture.parser.languages.typescript import project
from suture.parser.languages.typescript.project import names_elsewhere, names_for_all


def write(root: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    root = tmp_path / "project"
    write(
        root,
        {
            "package.json": "{}",
            "src/a.ts": "export const a = 1;",
            "src/b.ts": "export const b = __DEV__ ? document : Promise;",
            "src/deep/c.tsx": "export const c = <Widget />;",
            "types/env.d.ts": "declare const BUILD: string;\ninterface Settings { a: number }\n",
            "types/module.d.ts": "export {};\ndeclare global {\n  interface Window { x: 1 }\n  var store: {\n    inner: 1;\n  };\n}\n"
            "declare const hidden: 1;\n",
            "node_modules/@types/chrome/index.d.ts": "declare namespace chrome {}\n",
            "node_modules/@types/react/index.d.ts": "export = React;\nexport as namespace React;\ndeclare function inner(): void;\n",
            "node_modules/lodash/index.js": "leftOut();",
            "dist/a.js": "written();",
            "script.js": "var page = 1;\nfunction run() { return missing; }\n",
        },
    )
    return root


def test_what_the_project_says(folder: Path) -> None:
    found = names_elsewhere(folder / "src" / "a.ts", "", {})
    assert found == {
        "__DEV__", "Widget", "BUILD", "Settings", "Window", "store", "chrome", "React", "page", "run", "missing",
    }  # fmt: skip


def test_declarations_around_a_package_are_known_within_its_repository(folder: Path) -> None:
    above, own = folder.parent, folder / "src" / "a.ts"
    write(above, {"global.d.ts": "declare var __TEST__: boolean\n", "other.ts": "export {}; unknown\n"})
    assert {"__TEST__", "unknown"} & (names_elsewhere(own, "", {}) or set()) == {"__TEST__"}
    assert "__TEST__" not in (names_elsewhere(own, "", {}, Reach(str(folder))) or ())
    (folder / ".git").mkdir()
    project._listed.clear()
    assert "__TEST__" not in (names_elsewhere(own, "", {}) or ())


def test_what_a_file_reads_itself_is_no_proof(folder: Path) -> None:
    assert "__DEV__" not in (names_elsewhere(folder / "src" / "b.ts", "", {}) or ())


def test_files_that_are_being_edited_count_as_they_are(folder: Path) -> None:
    own = folder / "src" / "a.ts"
    assert "Gadget" in (names_elsewhere(own, "", {str(folder / "src" / "deep" / "c.tsx"): "export {}; Gadget;"}) or ())
    assert "Widget" not in (names_elsewhere(own, "", {str(folder / "src" / "deep" / "c.tsx"): ""}) or ())


def test_tests_know_what_runs_them(folder: Path) -> None:
    assert "describe" in (names_elsewhere(folder / "src" / "a.test.ts", "", {}) or ())
    assert "describe" in (names_elsewhere(folder / "src" / "setupTests.ts", "", {}) or ())
    assert "describe" not in (names_elsewhere(folder / "src" / "a.ts", "", {}) or ())


def test_without_a_file_nothing_is_known() -> None:
    assert names_elsewhere(None, "", {}) is None


def test_a_large_project_is_read_bit_by_bit(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(folder, {f"src/more{i}.ts": f"export {{}}; more{i}; // {'x' * 1_000}" for i in range(12)})
    monkeypatch.setattr(project, "_AT_ONCE", 3_000)
    own = folder / "src" / "a.ts"
    answers = [names_elsewhere(own, "", {}) for _ in range(8)]
    assert answers[0] is None
    assert answers[-1] is not None and {f"more{i}" for i in range(12)} <= answers[-1]


def test_nothing_is_read_outside_of_what_may_be(folder: Path, tmp_path: Path) -> None:
    write(
        tmp_path, {"secret.ts": "export {}; secret;", "node_modules/@types/other/index.d.ts": "declare var other: 1;\n"}
    )
    (folder / "src" / "link.ts").symlink_to(tmp_path / "secret.ts")
    (folder / "linked").symlink_to(tmp_path, target_is_directory=True)
    own = folder / "src" / "a.ts"
    found = names_elsewhere(own, "", {}, Reach(str(folder))) or frozenset()
    assert "__DEV__" in found and not {"secret", "other"} & found
    assert names_elsewhere(own, "", {}, Reach(str(tmp_path / "elsewhere"))) is None


def test_a_file_that_changes_is_read_again(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    own, other = folder / "src" / "a.ts", folder / "src" / "b.ts"
    assert "__DEV__" in (names_elsewhere(own, "", {}) or ())
    other.write_text("export const b = __PROD__ && 12345;", encoding="utf-8")
    monkeypatch.setattr(project, "_KNOWN_S", 0.0)
    found = names_elsewhere(own, "", {}) or frozenset()
    assert "__PROD__" in found and "__DEV__" not in found


def test_hostile_text_is_read_in_linear_time() -> None:
    """Many blocks that never end: the search is limited to some of them."""
    text = "declare global {\n" * 20_000
    assert names_for_all(text, "x.d.ts") == frozenset()


def test_known_names_are_put_together_once(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    own, other = folder / "src" / "a.ts", folder / "src" / "b.ts"
    found = names_elsewhere(own, "", {})
    assert names_elsewhere(own, "x", {}) is found
    assert "__DEV__" not in (names_elsewhere(own, "", {str(other): ""}) or ())
    monkeypatch.setattr(project, "_KNOWN_S", 0.0)
    assert names_elsewhere(own, "", {}) is found, "the files are the same"
    other.write_text("export const b = __PROD__;", encoding="utf-8")
    assert "__PROD__" in (names_elsewhere(own, "", {}) or ())
