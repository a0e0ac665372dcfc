"""The regular expressions of the tree of parsers: sound, complete, and without words that begin others."""

import random
import re

import interegular
import pytest
from suture.parser.languages.slua.endings import shortest_ending
from suture.parser.languages.slua.state import beginning

from tests.support.slua_scripts import DELVE, SCRIPTS, delve_api, random_script
from tests.support.slua_tree import TreeOfParsers


def some_word(rng, machine):
    """A random word of an automaton, mostly short."""
    state, word = machine.initial, ""
    while True:
        if state in machine.finals and (rng.random() < 0.5 or len(word) > 40):
            return word
        ways = [(key, to) for key, to in machine.map.get(state, {}).items() if machine.islive(to)]
        if not ways:
            return word
        key, state = rng.choice(ways)
        chars = [char for char in machine.alphabet.by_transition[key] if isinstance(char, str)]
        word += rng.choice(chars) if chars else "ß"


def without_extension(machine):
    """Whether no final state can be reached from a final state."""
    todo = [to for final in machine.finals for to in machine.map.get(final, {}).values()]
    seen = set(todo)
    while todo:
        state = todo.pop()
        if state in machine.finals:
            return False
        for to in machine.map.get(state, {}).values():
            if to not in seen:
                seen.add(to)
                todo.append(to)
    return True


def fsm(regex):
    shorter = re.sub(r"\{0,\d\d\}", "{0,2}", regex)  # names of up to 50 characters make large automata
    return interegular.parse_pattern(shorter.replace(r"\ud800-\udfff", "")).to_fsm()


@pytest.mark.parametrize("seed", range(5))
def test_every_word_can_be_fed_and_none_begins_another(seed):
    rng = random.Random(seed)
    api = delve_api()
    state = beginning(api, [rng.choice(["effect", "talent"])], comments=False)
    steps = []  # states on the way through a random script, within symbols, too
    for char in random_script(rng, state, 60):
        steps.append(state)
        after = state.read(char)
        assert after is not None
        state = after
    assert state.finished
    for state in rng.sample(steps, min(len(steps), 12)):
        machine = fsm(TreeOfParsers(state).next_regex())
        assert without_extension(machine)
        for _ in range(10):
            word = some_word(rng, machine)
            tree = TreeOfParsers(state)
            tree.feed_text(word)
            ended = tree.state.advance(shortest_ending(tree.state))
            assert ended is not None and ended.finished


@pytest.mark.parametrize(
    "text", ["'", "'\\", "'\\x", "'\\xA", "'\\2", "'\\25", "'\\9", "'\\99", "1", "0", "0x", "1.", "1.5e", "1e-"]
)
def test_within_symbols_too(text):
    rng = random.Random(1)
    before = "do local a: string = " if text[0] == "'" else "do local a: number = "
    state = beginning(delve_api(), ["talent"], comments=False).advance(before + text)
    assert state is not None
    machine = fsm(TreeOfParsers(state).next_regex())
    assert without_extension(machine)
    for _ in range(20):
        assert state.advance(some_word(rng, machine)) is not None


def test_every_script_is_made_of_words():
    for at, name in enumerate(SCRIPTS):
        text = (DELVE / "scripts" / f"{name}.slua").read_text().split("\n", 1)[1]
        tree = TreeOfParsers(beginning(delve_api(SCRIPTS[:at]), comments=False))
        position = 0
        while not tree.has_finished():
            found = re.compile(tree.next_regex()).match(text, position)
            assert found is not None and found.group(), text[:position][-40:]
            tree.feed_text(found.group())
            position = found.end()
        assert not text[position:].strip()
        assert re.match(tree.next_regex(), "x") is None


def test_what_does_not_fit_is_refused_and_changes_nothing():
    tree = TreeOfParsers(beginning(delve_api(), ["talent"], comments=False))
    with pytest.raises(ValueError, match="no script goes on"):
        tree.feed_text("interface")
    tree.feed_text("do NewTalent({")
    assert not tree.has_finished()
    with pytest.raises(ValueError, match="comments"):
        TreeOfParsers(beginning(delve_api()))
