"""Grammar files and what is made of them: rules, LALR tables, the cache of both."""
