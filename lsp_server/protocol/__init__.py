"""Messages between client and server.

pygls and lsprotocol bring the types, the dispatch to handlers, futures and cancellation. The rest is our own, each part for one reason:

- `framing`: pygls trusts `Content-Length`. Too long a length swallows the next message, and a body of any size is read.
- `jsonrpc`: pygls logs a malformed body and leaves its sender without an answer; nesting and size are unbounded.
- `writing`: pygls writes to a pipe on the event loop, so a client that does not read stops the server.
- `listening`, `connection`, `access`: pygls accepts everybody who reaches the port, in turn or all at once.
- `websocket`: pygls checks neither the origin nor a token. The protocol itself comes from `websockets`, without its sockets.
- `http`: for the playground and `serve --http`, in front of the answering process; bounded connections on `http.server`.
- `tolerance`: cattrs refuses a whole message for one value unknown to lsprotocol, such as a newer enumeration.
- `pygls_fixes`: its documents split lines at form feeds; some requests stay unanswered; its log holds users' code.

The process started by an editor (`isolation/`) relays messages with the standard library alone, so framing and JSON-RPC cannot be pygls'.
"""
