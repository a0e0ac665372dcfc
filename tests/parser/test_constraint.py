"""The demands of decoding on a hole's states, in every language."""

import pytest
from suture.common.constraint import Constraint
from suture.parser import State
from suture.parser.languages.slua.hole import ScriptHoleState
from suture.parser.languages.slua.whole import ScriptState


@pytest.mark.parametrize("kind", [State, ScriptHoleState, ScriptState])
def test_states_have_all_that_a_constraint_has(kind: type) -> None:
    """They are constraints by their shape alone, so they inherit no defaults."""
    asked = {name for name in vars(Constraint) if not name.startswith("_")}
    assert len(asked) > 5 and asked <= set(dir(kind))
