#!/usr/bin/env bash
# The gguf package writes no key for an empty string or list, and reads a list of lists as one list.
#
# Guessed: what GGUFWriter is given, GGUFReader gives back, since the format knows empty strings, empty arrays and arrays of arrays.
# Seen with gguf 0.19.0: a key whose value is "" or [] is not in the file, without a word, so a reader cannot tell an empty prefix of a template from one that was
# never set; a list of lists is written as such and read flat. Two chat templates whose names differ by a blank and an underscore are one
# key, and the last of them stays. And a number in a list has 32 bits: 0.1 comes back as 0.10000000149011612.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/python" -m pip install --quiet --disable-pip-version-check gguf==0.19.0
cat >"$folder/ask.py" <<'PYTHON'
import pathlib
import sys

from gguf import GGUFReader, GGUFWriter

file = pathlib.Path(sys.argv[1], "values.gguf")
writer = GGUFWriter(file, "llama")
writer.add_string("a.text", "text")
writer.add_string("an.empty.text", "")
writer.add_array("a.list", [1, 2])
writer.add_array("an.empty.list", [])
writer.add_array("a.list.of.lists", [[1, 2], [3]])
writer.add_array("a.list.of.numbers", [0.1])
writer.add_chat_template([{"name": "tool use", "template": "FIRST"}, {"name": "tool_use", "template": "SECOND"}])
writer.write_header_to_file()
writer.write_kv_data_to_file()
writer.write_tensors_to_file()
writer.close()
for name, field in GGUFReader(file).fields.items():
    if not name.startswith("G"):
        print(name, *(each.name for each in field.types), field.contents())
PYTHON
cat >"$folder/seen" <<'SEEN'
general.architecture STRING llama
a.text STRING text
a.list ARRAY INT32 [1, 2]
a.list.of.lists ARRAY ARRAY INT32 [1, 2, 3]
a.list.of.numbers ARRAY FLOAT32 [0.10000000149011612]
tokenizer.chat_template.tool_use STRING SECOND
tokenizer.chat_templates ARRAY STRING ['tool_use']
SEEN
"$folder/venv/bin/python" "$folder/ask.py" "$folder" 2>/dev/null | tee "$folder/now"
diff "$folder/seen" "$folder/now" && echo "as it was seen"
