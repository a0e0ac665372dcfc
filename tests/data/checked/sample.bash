#!/usr/bin/env bash
set -euo pipefail

readonly folder="${1:-.}"
count=0

say() {
  local text="$1"
  printf '%s\n' "$text" >&2
}

for file in "$folder"/*.txt; do
  if [[ -f "$file" && ! -L "$file" ]]; then
    lines=$(wc -l < "$file")
    count=$((count + lines))
  elif [ -d "$file" ]; then
    continue
  else
    say "no $file"
  fi
done

case "$count" in
  0) say "nothing" ;;
  [1-9]) say "few" ;;
  *) say "many" ;;
esac

while read -r name; do
  echo "$name" | tr a-z A-Z
done < names
