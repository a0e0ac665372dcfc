--- Tells the server what became of its suggestions; it counts them, and does not show again what was rejected.
local server = require('suture.server')
local text = require('suture.text')

local M = {}

---@param client_id integer
---@param method string
---@param params table
local function notify(client_id, method, params)
  local client = vim.lsp.get_client_by_id(client_id)
  -- Another server that Neovim itself draws for knows nothing of this.
  if client and client.name == server.name then
    server.call(client, 'notify', method, params)
  end
end

--- It is on the screen.
---@param client_id integer
---@param item lsp.InlineCompletionItem
function M.shown(client_id, item)
  notify(client_id, 'textDocument/didShowCompletion', { item = item })
end

--- The user does not want it.
---@param client_id integer
---@param item lsp.InlineCompletionItem
function M.rejected(client_id, item)
  notify(client_id, 'textDocument/didRejectCompletion', { item = item })
end

--- A part of it is in the document, and `rest` is not.
---@param client_id integer
---@param item lsp.InlineCompletionItem
---@param rest string
function M.partly_accepted(client_id, item, rest)
  notify(client_id, 'textDocument/didPartiallyAcceptCompletion', {
    item = item,
    acceptedLength = text.taken_utf16(item.insertText, rest),
  })
end

--- The whole of it is in the document: runs the item's command.
---@param client_id integer
---@param item lsp.InlineCompletionItem
---@param bufnr integer
function M.accepted(client_id, item, bufnr)
  local client = vim.lsp.get_client_by_id(client_id)
  if client and type(item.command) == 'table' then
    server.call(client, 'request', 'workspace/executeCommand', {
      command = item.command.command,
      arguments = item.command.arguments,
    }, function() end, bufnr)
  end
end

return M
