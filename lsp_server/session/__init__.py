"""The state of one session with one client."""
