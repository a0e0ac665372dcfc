#!/usr/bin/env bash
# To continue a last message, transformers lets the template write it with a tag behind it: a template that does more than print it, sees or prints the tag.
#
# Guessed: with `continue_final_message` the prompt is what the template writes, cut behind the text of the last message.
# Seen with transformers 5.24.0: the message has `CONTINUE_FINAL_MESSAGE_TAG ` behind it while the template runs. Where a template prints it twice the tag stays in
# the prompt, where it asks for the text's end or length it is told the tag's, and where it changes the text's case an error says that the message is not
# in the prompt. A template that trims, as many do, takes the blanks from the end of the message, so an indent that was to be continued is lost.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/python" -m pip install --quiet --disable-pip-version-check transformers==5.24.0 jinja2==3.1.6
cat >"$folder/ask.py" <<'PYTHON'
import json

from transformers.utils.chat_template_utils import render_jinja_template

WAYS = (
    "{{ message.content }}",
    "{{ message.content | trim }}",
    "{{ message.content[-2:] }}",
    "{{ message.content | length }} {{ message.content }}",
    "{% if message.content.endswith(':') %}a header: {% endif %}{{ message.content }}",
    "{{ message.content | upper }}",
    "{{ message.content }}, that is {{ message.content }}",
)
for way in WAYS:
    template = "{% for message in messages %}<{{ message.role }}>" + way + "</{{ message.role }}>{% endfor %}"
    for content in ("if x:", "if x:\n    "):
        messages = [{"role": "user", "content": "go on"}, {"role": "assistant", "content": content}]
        try:
            prompt = render_jinja_template([messages], chat_template=template, continue_final_message=True)[0][0]
        except ValueError as error:
            print(way, json.dumps(content), "error:", str(error)[:60])
        else:
            print(way, json.dumps(content), "prompt:", json.dumps(prompt.partition("<assistant>")[2]))
PYTHON
cat >"$folder/seen" <<'SEEN'
{{ message.content }} "if x:" prompt: "if x:"
{{ message.content }} "if x:\n    " prompt: "if x:\n    "
{{ message.content | trim }} "if x:" prompt: "if x:"
{{ message.content | trim }} "if x:\n    " prompt: "if x:"
{{ message.content[-2:] }} "if x:" error: continue_final_message is set but the final message does not
{{ message.content[-2:] }} "if x:\n    " error: continue_final_message is set but the final message does not
{{ message.content | length }} {{ message.content }} "if x:" prompt: "32 if x:"
{{ message.content | length }} {{ message.content }} "if x:\n    " prompt: "37 if x:\n    "
{% if message.content.endswith(':') %}a header: {% endif %}{{ message.content }} "if x:" prompt: "if x:"
{% if message.content.endswith(':') %}a header: {% endif %}{{ message.content }} "if x:\n    " prompt: "if x:\n    "
{{ message.content | upper }} "if x:" error: continue_final_message is set but the final message does not
{{ message.content | upper }} "if x:\n    " error: continue_final_message is set but the final message does not
{{ message.content }}, that is {{ message.content }} "if x:" prompt: "if x:CONTINUE_FINAL_MESSAGE_TAG , that is if x:"
{{ message.content }}, that is {{ message.content }} "if x:\n    " prompt: "if x:\n    CONTINUE_FINAL_MESSAGE_TAG , that is if x:\n    "
SEEN
"$folder/venv/bin/python" "$folder/ask.py" 2>/dev/null | tee "$folder/now"
diff "$folder/seen" "$folder/now" && echo "as it was seen"
