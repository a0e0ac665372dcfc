"""A small roguelike whose magic is written while you play.

    python examples/delve/delve.py                        play; `wish` makes the embedded model write a talent
    python examples/delve/delve.py --model ./my-model     with a model of yours: a folder, a GGUF file, or a server's address
    python examples/delve/delve.py --random               talents from random tokens: nonsense, and nothing breaks
    python examples/delve/delve.py --auto 200 --seed 3    the game plays itself for 200 turns and prints the end

Whatever its author, a script is correct: it names only things the game offers, and it ends. See docs/slua.md.
"""

from __future__ import annotations

import argparse
import random

from suture import slua
from suture.model import Model, Options, load
from world import HERE, World

HELP = """\
n e s w      walk or fight          wait         let a turn pass
NAME         use a talent on the nearest enemy (or yourself)
talents      what you can do        wish TEXT    a new talent
quit"""
DIRECTIONS = {"n": (0, -1), "s": (0, 1), "e": (1, 0), "w": (-1, 0)}
EXAMPLES = [
    ("talent: burns everybody around a place", (HERE / "scripts" / "fireball.slua").read_text()),
    (
        "talent: heals the user for each enemy near, and gives thorns",
        (HERE / "scripts" / "bramble_coat.slua").read_text(),
    ),
]


class Writer:
    """Writes scripts: a model, or chance."""

    def __init__(self, model: Model | None, seed: int) -> None:
        self._model = model
        self._random = random.Random(seed)
        self._count = 0

    def write(self, world: World, kind: str, request: str) -> slua.Script:
        self._count += 1
        api = world.host.api
        if self._model is None:
            return api.script(self._nonsense(api, kind), kind)
        options = Options(max_tokens=300, temperature=0.7, seed=self._random.randrange(2**31))
        return slua.generate(api, kind, request, self._model, examples=EXAMPLES, options=options)

    def _nonsense(self, api: slua.Api, kind: str) -> str:
        """Random characters allowed there in a script, then its shortest end."""
        state, text = slua.start(api, kind), ""
        letters = [chr(code) for code in range(32, 127)] + ["\n"]
        words = ["local ", "if ", "for ", "function(", "return ", "g_", "end", "true", " then ", " do ", "{", "("]
        for _ in range(400):
            more = self._random.choice(letters + words * 4)
            after = state.advance(more)
            if after is not None:
                state, text = after, text + more
        return text + ("" if state.complete else state.bridges()[0])


def play(world: World, writer: Writer) -> None:
    """The loop of a game in a terminal."""
    print(HELP)
    while world.hero.alive:
        print("\n" + world.draw())
        command, _, rest = input("> ").strip().partition(" ")
        if command == "quit":
            return
        if command == "talents":
            for name, talent in world.hero.talents.items():
                print(f"  {name}: {world.ask(talent.GetDescription, world.hero)}")
            continue
        if command == "wish":
            script = writer.write(world, "talent", rest or "something useful")
            print(script.text)
            print(f"You have learned {world.add(script) or 'nothing'!r}.")
            continue
        if command in DIRECTIONS:
            world.step(world.hero, *DIRECTIONS[command])
        elif command in world.hero.talents:
            enemy = world.nearest_enemy()
            target = enemy.at if enemy is not None and world.hero.talents[command].range > 0 else world.hero.at
            if not world.use(world.hero, command, target):
                print("Not now, or too far.")
                continue
        elif command not in ("", "wait"):
            print(HELP)
            continue
        world.end_turn()
    print(world.draw() + "\nYou die.")


def watch(world: World, writer: Writer, turns: int) -> None:
    """Let the game play itself, with a new talent every 20 turns, and an effect between them."""
    for turn in range(turns):
        if not world.hero.alive:
            world.hero.health = world.hero.max_health
            world.log("The hero rises again.")
        if turn % 20 == 10:
            world.add(writer.write(world, ("talent", "effect")[turn // 20 % 2], "a surprise"))
        names = list(world.hero.talents)
        enemy = world.nearest_enemy()
        if names and world.random.random() < 0.6:
            world.use(world.hero, world.random.choice(names), enemy.at if enemy is not None else world.hero.at)
        else:
            world.step(world.hero, *world.random.choice(list(DIRECTIONS.values())))
        world.end_turn()


def main(arguments: list[str] | None = None) -> World:
    """Play; gives the world as it is at the end."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", help="a model's folder, GGUF file or server (default: the embedded one)")
    parser.add_argument("--random", action="store_true", help="write scripts by chance instead")
    parser.add_argument("--auto", type=int, metavar="TURNS", help="let the game play itself")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args(arguments)
    world = World(options.seed)
    world.add_all()
    writer = Writer(None if options.random else load(options.model), options.seed)
    if options.auto is None:
        play(world, writer)
    else:
        watch(world, writer, options.auto)
        print(world.draw())
        print(f"Scripts ended: {world.outcomes}")
    return world


if __name__ == "__main__":
    main()
