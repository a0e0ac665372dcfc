#!/usr/bin/env bash
# One chat template writes different prompts in transformers and in Hugging Face's own Jinja for JavaScript.
#
# Guessed: the package that was written to render chat templates of models renders them as transformers does, or raises an error.
# Seen with @huggingface/jinja 0.5.11 and transformers 5.24.0 (Jinja2 3.1.6): without an error JavaScript writes `true` for `True`, nothing for `None` and JSON
# for a list, finds "1" equal to 1 and a list unequal to a like one, gives a remainder the sign of the dividend, ignores what `rstrip` is to strip, keeps
# capitals in `capitalize`, and takes no dictionary for iterable, nor a truth value for a number. What it lacks, such as the filter `first` on a string, it
# reports. A field of an undefined variable is an error in transformers and empty in JavaScript.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/python" -m pip install --quiet --disable-pip-version-check transformers==5.24.0 jinja2==3.1.6
npm install --silent --no-audit --no-fund --prefix "$folder" @huggingface/jinja@0.5.11 >/dev/null
cat >"$folder/ask.py" <<'PYTHON'
import json

from jinja2 import TemplateError
from transformers.utils.chat_template_utils import render_jinja_template

TEMPLATES = (
    "{{ messages[0].strict }}",
    "{{ messages[0].name }}",
    "{{ messages[0].tools }}",
    "{{ messages[0] | tojson }}",
    "{{ '1' == 1 }}",
    "{{ messages[0].tools == ['a', \"b's\"] }}",
    "{{ -7 % 3 }}",
    "{{ 'user:::'.rstrip(':') }}",
    "{{ 'getWeather' | capitalize }}",
    "{{ messages[0] is iterable }}",
    "{{ messages[0].strict is number }}",
    "{{ 'abc' | first }}",
    "{{ missing.field }}",
)
MESSAGE = {"role": "user", "strict": True, "name": None, "tools": ["a", "b's"]}


def rendered(template):
    try:
        return render_jinja_template([[MESSAGE]], chat_template=template)[0][0]
    except TemplateError:
        return None


print(json.dumps([[template, MESSAGE, rendered(template)] for template in TEMPLATES]))
PYTHON
cat >"$folder/ask.mjs" <<'JAVASCRIPT'
import { readFileSync } from "node:fs";
import { Template } from "@huggingface/jinja";

for (const [template, message, inPython] of JSON.parse(readFileSync(0, "utf8"))) {
  let inJavaScript = null;
  try {
    inJavaScript = new Template(template).render({ messages: [message] });
  } catch {
    // What cannot be rendered is shown as null.
  }
  console.log(template, "Python:", JSON.stringify(inPython), "JavaScript:", JSON.stringify(inJavaScript));
}
JAVASCRIPT
cat >"$folder/seen" <<'SEEN'
{{ messages[0].strict }} Python: "True" JavaScript: "true"
{{ messages[0].name }} Python: "None" JavaScript: ""
{{ messages[0].tools }} Python: "['a', \"b's\"]" JavaScript: "[\"a\", \"b's\"]"
{{ messages[0] | tojson }} Python: "{\"role\": \"user\", \"strict\": true, \"name\": null, \"tools\": [\"a\", \"b's\"]}" JavaScript: "{\"role\": \"user\", \"strict\": true, \"name\": null, \"tools\": [\"a\", \"b's\"]}"
{{ '1' == 1 }} Python: "False" JavaScript: "true"
{{ messages[0].tools == ['a', "b's"] }} Python: "True" JavaScript: "false"
{{ -7 % 3 }} Python: "2" JavaScript: "-1"
{{ 'user:::'.rstrip(':') }} Python: "user" JavaScript: "user:::"
{{ 'getWeather' | capitalize }} Python: "Getweather" JavaScript: "GetWeather"
{{ messages[0] is iterable }} Python: "True" JavaScript: "false"
{{ messages[0].strict is number }} Python: "True" JavaScript: "false"
{{ 'abc' | first }} Python: "a" JavaScript: null
{{ missing.field }} Python: null JavaScript: ""
SEEN
"$folder/venv/bin/python" "$folder/ask.py" 2>/dev/null | node "$folder/ask.mjs" | tee "$folder/now"
diff "$folder/seen" "$folder/now" && echo "as it was seen"
