"""From a folder, preset or hub name to a model in memory."""
