"""Access to a listening server: for holders of its token.

Other users of this machine can reach its ports, and any web page can make a browser try. So the server prints a token at the start, and a
client shows it in its first message or in the address of its WebSocket.
"""

from __future__ import annotations

import hmac
import re
import secrets
from collections.abc import Mapping
from typing import Any
from urllib.parse import parse_qs, urlsplit

from ...common.json_types import is_object
from ..errors import UserError

VARIABLE = "SUTURE_TOKEN"
LEAST_CHARACTERS = 16
_TOKEN = re.compile(r"[A-Za-z0-9._~-]+")
_ORIGIN = re.compile(r"[a-z][a-z0-9+.-]*://(?:[A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\])(?::\d{1,5})?")
_LOOPBACK_HOST = re.compile(r"(?:localhost|127\.0\.0\.1|\[::1\])(?::\d{1,5})?", re.IGNORECASE)


def chosen_token(environment: Mapping[str, str]) -> str:
    """The token of this run: `SUTURE_TOKEN`, or a new one."""
    token = environment.get(VARIABLE, "")
    if not token:
        return secrets.token_urlsafe(24)
    if len(token) < LEAST_CHARACTERS or _TOKEN.fullmatch(token) is None:
        raise UserError(
            f"{VARIABLE}: must be {LEAST_CHARACTERS} or more letters, digits and . _ ~ -; correct or unset it"
        )
    return token


def is_token(given: object, token: str | None) -> bool:
    """Whether a client shows the token; always true where the token is None."""
    if token is None:
        return True
    return isinstance(given, str) and hmac.compare_digest(given.encode("utf-8", "replace"), token.encode())


def token_in_address(target: str) -> str | None:
    """The token in the target of an HTTP request: `/?token=...`."""
    try:
        tokens = parse_qs(urlsplit(target).query, max_num_fields=10).get("token")
    except ValueError:
        return None
    return tokens[0] if tokens else None


def without_token(params: Any) -> tuple[object, Any]:
    """The token in the parameters of `initialize`, and the parameters without it.

    It is `initializationOptions.token`, or `initializationOptions.suture.token`.
    """
    options = params.get("initializationOptions") if is_object(params) else None
    if not is_object(options):
        return None, params
    inner = options.get("suture")
    given = options.get("token")
    rest = {key: value for key, value in options.items() if key != "token"}
    if is_object(inner):
        given = inner.get("token", given)
        rest["suture"] = {key: value for key, value in inner.items() if key != "token"}
    return given, {**params, "initializationOptions": rest}


def is_origin(text: str) -> bool:
    """Whether a text is a web page's origin as browsers send it: scheme, host and port, nothing else."""
    return _ORIGIN.fullmatch(text) is not None


def is_loopback_host(header: str | None) -> bool:
    """Whether a `Host` header names this machine; any other name may be a site's, made to point here (DNS rebinding)."""
    return header is not None and _LOOPBACK_HOST.fullmatch(header) is not None
