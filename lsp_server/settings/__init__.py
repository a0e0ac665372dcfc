"""The settings: what there is, where they come from, which holds."""
