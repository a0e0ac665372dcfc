"""What TypeScript refuses without types, and names that exist: values, types and namespaces."""
