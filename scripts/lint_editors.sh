#!/bin/sh
# Lints the editors' TypeScript and Lua, with those of biome and luacheck that can be had.
# With BIOME_REQUIRED=1, as in CI, it is an error that there is Node and still no biome.
set -eu
cd "$(dirname "$0")/.."

# By name, not in package.json: a lock file would have to name its builds for all systems.
biome() {
    npm_config_fetch_retries=$([ -n "${BIOME_REQUIRED:-}" ] && echo 3 || echo 0) npx --yes --prefer-offline @biomejs/biome@2.6.8 "$@"
}

if ! command -v npx >/dev/null; then
    echo 'WARNING: TypeScript is NOT linted: there is no npx (it comes with Node).' >&2
elif said=$(biome --version 2>&1); then
    biome lint --error-on-warnings editors
else
    printf '%s\nWARNING: TypeScript is NOT linted: npx cannot get biome, and said the above.\n' "$said" >&2
    test -z "${BIOME_REQUIRED:-}"
fi
if command -v luacheck >/dev/null; then
    git ls-files '*.lua' | xargs luacheck -q
else
    echo 'WARNING: Lua is NOT linted: luacheck is not installed (apt install lua-check, brew install luacheck).' >&2
fi
