"""The shown part of a text, and the reasons for showing none."""
