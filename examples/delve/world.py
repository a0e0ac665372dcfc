"""The dungeon: a grid, actors, turns, effects and talents. It knows no terminal and no model.

Scripts see the names in `delve.slua-api`. Every function here takes any number (NaN counts as 0, others are clamped to the range) and any
actor (the dead do nothing), so that no script can break the game.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from suture import slua

HERE = Path(__file__).resolve().parent
WIDTH, HEIGHT = 40, 14
HOOK_DEPTH = 3  # the greatest depth of hooks setting off others
MOST_EFFECTS = 20  # on one actor


def number(value: float, low: float = -1e6, high: float = 1e6) -> float:
    """Any number in a form usable by the game."""
    return 0.0 if math.isnan(value) else min(max(value, low), high)


@dataclass(frozen=True)
class Coord:
    """A place. Its numbers may be anything; `cell` is its cell in the level."""

    x: float
    y: float

    @property
    def cell(self) -> tuple[int, int]:
        return int(number(self.x, 0, WIDTH - 1)), int(number(self.y, 0, HEIGHT - 1))


@dataclass(eq=False)
class Actor:
    """The hero or a monster; methods in capitals are for scripts."""

    world: World
    name: str
    sign: str
    at: tuple[int, int]
    max_health: float
    attack: float
    level: float = 1
    hostile: bool = True
    health: float = 0
    effects: list[Effect] = field(default_factory=list)
    talents: dict[str, Any] = field(default_factory=dict)  # id -> its record
    ready_at: dict[str, float] = field(default_factory=dict)  # id -> the turn

    def __post_init__(self) -> None:
        self.health = self.max_health

    @property
    def alive(self) -> bool:
        return self.health > 0

    def GetCoord(self) -> Coord:
        return Coord(*self.at)

    def GetHealth(self) -> float:
        return max(0, self.health)

    def GetMaxHealth(self) -> float:
        return self.max_health

    def GetAttack(self) -> float:
        return self.attack

    def GetLevel(self) -> float:
        return self.level

    def IsEnemyOf(self, other: Actor) -> bool:
        return self.hostile != other.hostile

    def Damage(self, amount: float, source: Actor) -> None:
        amount = number(amount, 0, 1000)
        if not self.alive or amount == 0:
            return
        self.health -= amount
        self.world.log(f"{self.name} loses {amount:.3g} health.")
        if not self.alive:
            self.world.log(f"{self.name} dies.")
            return
        for effect in list(self.effects):
            self.world.hook(effect, "OnDamageReceived", amount, source)

    def Heal(self, amount: float) -> None:
        if self.alive:
            self.health = min(self.max_health, self.health + number(amount, 0, 1000))

    def MoveTo(self, to: Coord) -> None:
        if self.alive and self.world.free(to.cell):
            self.at = to.cell

    def Push(self, source: Coord, distance: float) -> None:
        for _ in range(int(number(distance, 0, 10))):
            dx, dy = ((a > b) - (a < b) for a, b in zip(self.at, source.cell, strict=True))
            cell = self.at[0] + dx, self.at[1] + dy
            if not self.alive or cell == self.at or not self.world.free(cell):
                break
            self.at = cell

    def Say(self, text: str) -> None:
        if self.alive:
            self.world.log(f'{self.name}: "{text[:80]}"')

    def ForEachEffect(self, each: Callable[[Effect], None]) -> None:
        for effect in list(self.effects):
            each(effect)


@dataclass(eq=False)
class Effect:
    """An effect on an actor."""

    world: World
    definition: Any
    target: Actor
    source: Actor
    params: Any
    since: int
    stacks: float = 0.0

    def GetId(self) -> str:
        return self.definition.id

    def GetTarget(self) -> Actor:
        return self.target

    def GetSource(self) -> Actor:
        return self.source

    def TurnsActive(self) -> float:
        return self.world.turn - self.since

    def Remove(self) -> None:
        if self in self.target.effects:
            self.target.effects.remove(self)
            self.world.hook(self, "OnDeactivate")

    def describe(self) -> str:
        return self.world.ask(self.definition.GetDescription, self, self.params) or ""


class Level:
    def __init__(self, world: World) -> None:
        self._world = world

    def ForEachActorWithin(self, center: Coord, radius: float, each: Callable[[Actor], None]) -> None:
        for actor in list(self._world.living):
            if actor.alive and math.dist(actor.at, center.cell) <= number(radius, 0, 100):
                each(actor)

    def WithActorAt(self, at: Coord, found: Callable[[Actor], None]) -> None:
        actor = self._world.actor_at(at.cell)
        if actor is not None:
            found(actor)

    def WithFreeCellNear(self, center: Coord, found: Callable[[Coord], None]) -> None:
        cells = [(x, y) for x in range(WIDTH) for y in range(HEIGHT) if self._world.free((x, y))]
        if cells:
            found(Coord(*min(cells, key=lambda cell: math.dist(cell, center.cell))))

    def IsWalkable(self, at: Coord) -> bool:
        return self._world.free(at.cell)

    def Distance(self, a: Coord, b: Coord) -> float:
        return math.dist(a.cell, b.cell)

    def WithRandomEnemyOf(self, actor: Actor, found: Callable[[Actor], None]) -> None:
        enemies = [other for other in self._world.living if other.IsEnemyOf(actor)]
        if enemies:
            found(self._world.random.choice(enemies))

    def SpawnTrap(self, at: Coord, damage: float) -> None:
        self._world.traps[at.cell] = number(damage, 0, 100)


class Game:
    def __init__(self, world: World) -> None:
        self._world = world

    def GetTurn(self) -> float:
        return self._world.turn

    def GetLevelOfDungeon(self) -> float:
        return self._world.depth

    def Log(self, text: str) -> None:
        self._world.log(text[:200])

    def RandomInt(self, low: float, high: float) -> float:
        first, last = sorted((int(number(low)), int(number(high))))
        return self._world.random.randint(first, last)

    def Chance(self, percent: float) -> bool:
        return self._world.random.random() * 100 < number(percent)


class Math:
    def Floor(self, x: float) -> float:
        return math.floor(x) if math.isfinite(x) else x

    def Min(self, a: float, b: float) -> float:
        return min(a, b)

    def Max(self, a: float, b: float) -> float:
        return max(a, b)

    def Abs(self, x: float) -> float:
        return abs(x)

    def Sqrt(self, x: float) -> float:
        return math.sqrt(x) if x >= 0 else 0.0

    def Clamp(self, x: float, low: float, high: float) -> float:
        return min(max(x, low), high)


class Strings:
    def FromNumber(self, x: float) -> str:
        return f"{x:.10g}"

    def Upper(self, text: str) -> str:
        return text.upper()

    def Join(self, a: str, b: str) -> str:
        return (a + b)[:10_000]


class Registered:
    """A script's registration: `g_effects.<id>`."""

    def __init__(self, world: World, definition: Any) -> None:
        self._world = world
        self.definition = definition

    def Apply(self, to: Actor, source: Actor, params: Any) -> None:
        if not to.alive:
            return
        effect = next((one for one in to.effects if one.definition is self.definition), None)
        if effect is None:
            if len(to.effects) >= MOST_EFFECTS:
                return
            effect = Effect(self._world, self.definition, to, source, params, self._world.turn)
            to.effects.append(effect)
            self._world.log(f"{to.name} has {self.definition.name[:40]}.")
        effect.params = params
        self._world.hook(effect, "OnActivate")

    def WithEffect(self, on: Actor, found: Callable[[Effect], None]) -> None:
        for effect in [one for one in on.effects if one.definition is self.definition]:
            found(effect)


class Effects:
    """Has an attribute for each effect registered by a script."""


class World:
    """A level with everything in it, and the scripts."""

    def __init__(self, seed: int = 0, budget: slua.Budget = slua.Budget(instructions=200_000)) -> None:
        self.random = random.Random(seed)
        self.turn, self.depth = 0, 1
        self.messages: list[str] = []
        self.traps: dict[tuple[int, int], float] = {}
        self.effects = Effects()
        self.talents: dict[str, Any] = {}
        self.outcomes: dict[str, int] = {}  # how calls of scripts ended
        self._hooks = 0
        self.host = slua.Api.load(HERE / "delve.slua-api").bind(
            {
                "g_game": Game(self),
                "g_level": Level(self),
                "g_math": Math(),
                "g_str": Strings(),
                "g_effects": self.effects,
                "Actor": Actor,
                "Effect": Effect,
                "Coord": Coord,
            },
            budget,
        )
        self._dig()

    def _dig(self) -> None:
        self.walls = {
            (x, y) for x in range(WIDTH) for y in range(HEIGHT) if x in (0, WIDTH - 1) or y in (0, HEIGHT - 1)
        }
        for _ in range(12):
            x, y = self.random.randrange(3, WIDTH - 6), self.random.randrange(2, HEIGHT - 2)
            self.walls |= {(x + i, y) for i in range(self.random.randrange(1, 5))}
        self.hero = Actor(self, "Hero", "@", (2, HEIGHT // 2), 40, 5, hostile=False)
        self.walls.discard(self.hero.at)
        self.actors = [self.hero]
        self.spawn()

    def spawn(self) -> None:
        """Put the monsters of a level into it."""
        for _ in range(3 + self.depth):
            name, sign, health, attack = self.random.choice(
                [("Rat", "r", 8, 2), ("Goblin", "g", 14, 3), ("Ogre", "o", 25, 5)]
            )
            cells = [(x, y) for x in range(8, WIDTH) for y in range(HEIGHT) if self.free((x, y))]
            self.actors.append(Actor(self, name, sign, self.random.choice(cells), health, attack, self.depth))

    @property
    def living(self) -> list[Actor]:
        return [actor for actor in self.actors if actor.alive]

    def actor_at(self, cell: tuple[int, int]) -> Actor | None:
        return next((actor for actor in self.living if actor.at == cell), None)

    def free(self, cell: tuple[int, int]) -> bool:
        return cell not in self.walls and self.actor_at(cell) is None

    def log(self, text: str) -> None:
        self.messages.append("".join(char if char.isprintable() else " " for char in text))
        del self.messages[:-200]

    # Scripts.

    def add(self, script: slua.Script) -> str:
        """Run a script once; returns the id of its definition, or "" if it did not end."""
        result = self.host.load(script)
        self.outcomes[result.outcome] = self.outcomes.get(result.outcome, 0) + 1
        for call, record in result.registered:
            if call == "NewEffect":
                setattr(self.effects, record.id, Registered(self, record))
            else:
                self.talents[record.id] = self.hero.talents[record.id] = record
            return record.id
        return ""

    def add_all(self, folder: Path = HERE / "scripts") -> None:
        """Load the game's own scripts: effects first, since talents name them."""
        texts = [path.read_text() for path in sorted(folder.glob("*.slua"))]
        for text in sorted(texts, key=lambda text: "NewEffect" not in text):
            self.add(self.host.api.script(text))

    def ask(self, function: Callable[..., Any], *arguments: Any) -> Any:
        """Call a function of a script; one that used up its budget has simply ended."""
        result = self.host.run(function, *arguments)
        self.outcomes[result.outcome] = self.outcomes.get(result.outcome, 0) + 1
        if result.outcome != "done":
            self.log("The magic fizzles.")
        return result.value

    def hook(self, effect: Effect, name: str, *arguments: Any) -> None:
        """Call a hook of an effect, unless hooks have set each other off too often."""
        function = getattr(effect.definition, name)
        if function is None or self._hooks >= HOOK_DEPTH:
            return
        self._hooks += 1
        try:
            if self._hooks > 1:  # within a script, with its budget
                function(effect, effect.params, *arguments)
            else:
                self.ask(function, effect, effect.params, *arguments)
        finally:
            self._hooks -= 1

    # Turns.

    def use(self, actor: Actor, name: str, at: tuple[int, int]) -> bool:
        """Use a talent, if it is ready and the place is in its range."""
        talent = actor.talents.get(name)
        if talent is None or actor.ready_at.get(name, 0) > self.turn:
            return False
        if math.dist(actor.at, at) > number(talent.range, 0, 100):
            return False
        actor.ready_at[name] = self.turn + number(talent.cooldown, 0, 1000)
        self.ask(talent.Do, actor, Coord(*at))
        return True

    def step(self, actor: Actor, dx: int, dy: int) -> None:
        """Walk, or hit the actor standing there."""
        cell = actor.at[0] + dx, actor.at[1] + dy
        other = self.actor_at(cell)
        if other is not None and other is not actor and other.IsEnemyOf(actor):
            other.Damage(actor.attack, actor)
        elif self.free(cell):
            actor.at = cell
            if cell in self.traps:
                actor.Damage(self.traps.pop(cell), actor)

    def end_turn(self) -> None:
        """The monsters move, and effects have their turn."""
        self.turn += 1
        for actor in list(self.living):
            if actor.hostile and actor.alive and self.hero.alive:
                near = math.dist(actor.at, self.hero.at) < 9
                aim = (
                    self.hero.at
                    if near
                    else (actor.at[0] + self.random.randint(-1, 1), actor.at[1] + self.random.randint(-1, 1))
                )
                dx, dy = ((a > b) - (a < b) for a, b in zip(aim, actor.at, strict=True))
                self.step(actor, dx, 0 if dx and self.random.random() < 0.5 else dy)
            for effect in list(actor.effects):
                if actor.alive:
                    self.hook(effect, "OnTurnEnd")
        self.actors = [actor for actor in self.actors if actor.alive or actor is self.hero]
        if len(self.living) == 1 and self.hero.alive:
            self.depth += 1
            self.hero.level += 1
            self.hero.Heal(20)
            self.log(f"You go down to level {self.depth}.")
            self.spawn()

    def nearest_enemy(self) -> Actor | None:
        enemies = [actor for actor in self.living if actor.hostile]
        return min(enemies, key=lambda actor: math.dist(actor.at, self.hero.at), default=None)

    def draw(self) -> str:
        """The level and the last messages."""
        rows = [
            ["#" if (x, y) in self.walls else "^" if (x, y) in self.traps else "." for x in range(WIDTH)]
            for y in range(HEIGHT)
        ]
        for actor in self.living:
            rows[actor.at[1]][actor.at[0]] = actor.sign
        status = f"Health {self.hero.GetHealth():.0f}/{self.hero.max_health:.0f}  Turn {self.turn}  Level {self.depth}"
        effects = ", ".join(effect.definition.name[:20] for effect in self.hero.effects)
        return "\n".join(
            [*("".join(row) for row in rows), status + (f"  [{effects}]" if effects else ""), *self.messages[-6:]]
        )
