"""The playground: an editor in the browser."""
