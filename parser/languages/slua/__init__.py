"""sLua: a typed Lua whose scripts cannot fail; see docs/slua.md."""

PATTERNS = {"slua": ("*.slua",)}
