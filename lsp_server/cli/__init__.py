"""The commands of `suture`: each module adds its arguments to the parser and runs with what was given.

These modules import the standard library alone; what takes long to import (torch, pygls, the grammars) is imported by the
command that runs.
"""

from . import bench, check, complete, config, doctor, models, playground, serve, slua, stats

COMMANDS = (serve, complete, check, models, config, doctor, stats, bench, playground, slua)
"""In the order in which the help shows them; each has `add_to(commands)`, which sets `run(options) -> exit code`."""
