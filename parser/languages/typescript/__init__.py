"""TypeScript and JavaScript, with JSX, as TypeScript reads them."""
