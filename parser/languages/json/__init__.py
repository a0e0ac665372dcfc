"""JSON."""

PATTERNS = {"json": ("*.json", "*.webmanifest", "*.geojson", "*.ipynb")}
