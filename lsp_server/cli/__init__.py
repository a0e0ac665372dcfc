"""The commands of `suture`: each module adds its arguments to the parser and runs with their values.

These modules import the standard library alone; slow imports (torch, pygls, the grammars) are left to the running command.
"""

from . import bench, check, complete, config, doctor, models, playground, serve, slua, stats

COMMANDS = (serve, complete, check, models, config, doctor, stats, bench, playground, slua)
"""In the order of the help; each has `add_to(commands)`, which sets `run(options) -> exit code`."""
