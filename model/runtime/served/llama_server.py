"""The program of the child that runs llama.cpp's server: settings as JSON on standard input, its address as JSON on standard output.

It ends when its standard input does, and so with its parent process, however that ends. It imports nothing of Suture, and is run by its path:
a crash here ends no language server.
"""

import json
import os
import sys
import threading
from typing import Any


def main() -> int:
    """Serve until standard input ends."""
    given = sys.stdin.readline()
    if not given:
        return 1
    settings = json.loads(given)
    try:
        from importlib import import_module

        xllamacpp: Any = import_module("xllamacpp")
    except ImportError as error:
        return _say({"error": "missing", "reason": str(error)})
    if settings.get("memory") and (settings["gpu_layers"] == 0 or not _has_gpu(xllamacpp)):
        _bound_memory(settings["memory"])
    threading.Thread(target=_end_with_input, daemon=True).start()
    try:
        server = xllamacpp.Server(_parameters(xllamacpp, settings))
    except Exception as error:  # whatever llama.cpp reports about a file it cannot load
        return _say({"error": "load", "reason": str(error)})
    _say({"address": server.listening_address, "version": xllamacpp.BUILD_INFO})
    threading.Event().wait()
    return 0


def _parameters(xllamacpp: Any, settings: dict[str, Any]) -> Any:
    params = xllamacpp.CommonParams()
    params.model.path = settings["path"]
    params.model_alias = {settings["alias"]}
    if hasattr(params, "hostnames"):
        params.hostnames = ["127.0.0.1"]
    else:
        params.hostname = "127.0.0.1"
    params.port = settings["port"]
    params.api_keys = [settings["key"]]
    params.n_ctx = settings["context"]
    params.n_parallel = settings["slots"]
    params.n_batch = params.n_ubatch = settings["batch"]
    params.cache_ram_mib = settings["cache_mib"]
    params.n_predict = settings["context"]
    # Completions need no chat template, and a file's is a program llama.cpp would run: this one replaces it.
    params.chat_template, params.use_jinja = "chatml", False
    params.ui = False
    params.endpoint_slots = False
    params.warmup = True
    params.verbosity = 1
    if settings["gpu_layers"] is not None:
        params.n_gpu_layers = settings["gpu_layers"]
    for cores in (params.cpuparams, params.cpuparams_batch):
        cores.n_threads = settings["threads"]
        cores.poll = 0  # threads waiting for each other must not spin: beside other work that is ten times slower
    return params


def _has_gpu(xllamacpp: Any) -> bool:
    """Whether this llama.cpp may run a model on a GPU, whose driver maps more memory than there is."""
    try:
        kinds = {str(device["type"]) for device in xllamacpp.get_device_info()}
    except Exception:  # a version with another format
        return True
    return any("CPU" not in kind and "ACCEL" not in kind for kind in kinds)


def _bound_memory(most: int) -> None:
    """Let the system refuse this process more than so many bytes of its own; a file mapped for reading does not count."""
    if sys.platform != "linux":
        return
    import resource

    try:
        resource.setrlimit(resource.RLIMIT_DATA, (most, most))
    except (ValueError, OSError):  # there is a lower limit
        pass


def _say(what: dict[str, object]) -> int:
    print(json.dumps(what, default=str), flush=True)
    return 1


def _end_with_input() -> None:
    while sys.stdin.readline():
        pass
    os._exit(0)


if __name__ == "__main__":
    sys.exit(main())
