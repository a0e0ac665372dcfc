"""Grammar files, their rules and LALR tables, and the cache of both."""
