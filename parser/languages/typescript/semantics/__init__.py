"""The errors of TypeScript that need no types, and names that exist: values, types and namespaces."""
