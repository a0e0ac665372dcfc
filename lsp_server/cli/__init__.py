"""The commands of `suture`: each module adds its arguments to the parser and runs with the given ones.

These modules import the standard library alone; modules that take long (torch, pygls, the grammars) are imported by the
command that runs.
"""

from . import bench, check, complete, config, doctor, models, playground, serve, slua, stats

COMMANDS = (serve, complete, check, models, config, doctor, stats, bench, playground, slua)
"""In the order in which the help shows them; each has `add_to(commands)`, which sets `run(options) -> exit code`."""
