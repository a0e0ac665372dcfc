"""TypeScript and JavaScript, with JSX, as TypeScript reads them."""

PATTERNS = {
    "typescript": ("*.ts", "*.mts", "*.cts"),
    "typescriptreact": ("*.tsx",),
    "javascript": ("*.js", "*.mjs", "*.cjs"),
    "javascriptreact": ("*.jsx",),
}
