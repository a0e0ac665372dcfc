"""Messages between client and server.

pygls and lsprotocol bring the types, the dispatch to handlers, futures and cancellation. The rest is our own, each part for one reason:

- `framing`: pygls trusts `Content-Length`. One that is too long swallows the next message, and a body of any size is read.
- `jsonrpc`: pygls logs a body that is no message and leaves its sender without an answer; nesting and size have no bound.
- `writing`: pygls writes to a pipe on the event loop, so a client that does not read stops the server.
- `listening`, `connection`, `access`: pygls lets everybody in who can reach the port, one after another or all at once.
- `websocket`: pygls checks neither the origin nor a token. The protocol itself comes from `websockets`, without its sockets.
- `http`: for the playground and `serve --http`, in front of the process that answers; bounded connections on `http.server`.
- `tolerance`: cattrs refuses a whole message for one value that lsprotocol does not know, such as a newer enumeration.
- `pygls_fixes`: its documents split lines at form feeds; some requests stay unanswered; its log holds users' code.

The process that an editor starts (`isolation/`) relays messages and has only the standard library, so framing and JSON-RPC cannot be pygls'.
"""
