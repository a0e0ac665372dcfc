---@brief
---
--- Suture suggests code at the cursor from a model on your own machine. The code before the cursor,
--- the suggestion and the code after it are
--- together a valid file, once you have finished what you have begun.
---
--- `suture` can be installed with `pipx install suture`. Suggestions are drawn by Neovim itself
--- (0.12), once it is told to:
---
--- ```lua
--- vim.lsp.enable('suture')
--- vim.lsp.inline_completion.enable()
--- vim.keymap.set('i', '<Tab>', function()
---   if not vim.lsp.inline_completion.get() then return '<Tab>' end
--- end, { expr = true })
--- ```
---
--- Suture's own plugin draws a suggestion while it is being made, and needs no configuration here.

---@type vim.lsp.Config
return {
  cmd = { 'suture', 'serve' },
  filetypes = { 'go', 'javascript', 'javascriptreact', 'json', 'python', 'typescript', 'typescriptreact' },
  root_markers = { 'pyproject.toml', 'go.mod', 'package.json', '.git' },
}
