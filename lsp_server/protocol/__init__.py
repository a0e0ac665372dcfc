"""Transports, framing, and workarounds for pygls."""
