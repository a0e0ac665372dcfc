"""The errors of TypeScript that need no types, and the existence of names: values, types and namespaces."""
