#!/usr/bin/env bash
# A server that names the active parameter once, for the whole signature help, withdraws it in each signature, through lsprotocol.
#
# Guessed: a field that is left at None is left out of the message, so `active_parameter=1` of the signature help holds for its signatures.
# Seen with lsprotocol 2025.0.0 (pygls 2.1.1 has the same converter): a signature's own `activeParameter` is written as null, unasked. Since 3.18 the protocol
# tells null from a missing field: a missing one leaves the choice to the signature help, null says that no parameter is active. So a client that goes by it
# marks none, and there is no way to leave the field out, as there is for `activeSignature` beside it. What is read loses the difference too.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/python" -m pip install --quiet --disable-pip-version-check lsprotocol==2025.0.0 pygls==2.1.1
cat >"$folder/ask.py" <<'PYTHON'
import json

from lsprotocol import converters, types
from pygls.protocol import default_converter

signature = types.SignatureInformation(label="f(a, b)", parameters=[types.ParameterInformation(label=each) for each in "ab"])
for name, converter in (("lsprotocol", converters.get_converter()), ("pygls", default_converter())):
    print(name, "signatures:", json.dumps(converter.unstructure(types.SignatureHelp(signatures=[signature], active_parameter=1))))
    print(name, "nothing chosen:", json.dumps(converter.unstructure(types.SignatureHelp(signatures=[]))))
    for field in ({}, {"activeParameter": None}):
        read = converter.structure({"label": "f()", **field}, types.SignatureInformation)
        print(name, "reads", json.dumps(field), "as", read.active_parameter)
PYTHON
cat >"$folder/seen" <<'SEEN'
lsprotocol signatures: {"signatures": [{"label": "f(a, b)", "activeParameter": null, "parameters": [{"label": "a"}, {"label": "b"}]}], "activeParameter": 1}
lsprotocol nothing chosen: {"signatures": [], "activeParameter": null}
lsprotocol reads {} as None
lsprotocol reads {"activeParameter": null} as None
pygls signatures: {"signatures": [{"label": "f(a, b)", "activeParameter": null, "parameters": [{"label": "a"}, {"label": "b"}]}], "activeParameter": 1}
pygls nothing chosen: {"signatures": [], "activeParameter": null}
pygls reads {} as None
pygls reads {"activeParameter": null} as None
SEEN
"$folder/venv/bin/python" "$folder/ask.py" | tee "$folder/now"
diff "$folder/seen" "$folder/now" && echo "as it was seen"
