--- Drawing by Neovim's own `vim.lsp.inline_completion` (0.12 and later).
local feedback = require('suture.feedback')
local insert = require('suture.insert')
local text = require('suture.text')

local M = {}

--- Marks the buffer as one that has inline completion; Neovim attaches and detaches its clients by that mark.
---@param _ vim.lsp.Client
---@param bufnr integer
function M.attach(_, bufnr)
  -- A mark on the client alone would not do: Neovim then never ends its part when the client is detached.
  vim.lsp.inline_completion.enable(true, { bufnr = bufnr })
  -- Neovim asks at the next move of the cursor; who was typing while the server started should not have to move.
  -- Twice scheduled, since Neovim attaches in a scheduled function that comes after this one.
  vim.schedule(vim.schedule_wrap(function()
    local inserting = vim.startswith(vim.api.nvim_get_mode().mode, 'i')
    if inserting and vim.api.nvim_get_current_buf() == bufnr then
      vim.api.nvim_exec_autocmds('CursorMovedI', { buffer = bufnr, modeline = false })
    end
  end))
end

--- Nothing to do: Neovim ends its part itself.
function M.detach() end

--- What can still be inserted of an item, and which columns of the cursor's line it replaces; nil when it no longer fits.
---@param item table
---@return { text: string, row: integer, col: integer, end_col: integer }?
local function rest(item)
  local cursor = vim.api.nvim_win_get_cursor(0)
  local row, col = cursor[1] - 1, cursor[2]
  if not item.range then
    return { text = text.with_newlines(item.insert_text), row = row, col = col, end_col = col }
  end
  -- Neovim alone would insert all of the text at the range's start, before what was typed along with it since.
  local start_row, start_col, end_row, end_col = item.range:to_extmark()
  if row ~= start_row or col < start_col then
    return nil
  end
  local typed = vim.api.nvim_get_current_line():sub(start_col + 1, col)
  local remaining = text.remaining(text.with_newlines(item.insert_text), typed)
  if remaining then
    -- What it replaces behind the cursor has moved on with what was typed.
    end_col = end_row == row and math.max(end_col + #typed, col) or col
    return { text = remaining, row = row, col = col, end_col = end_col }
  end
end

--- Accepts a part of the shown suggestion; false when none is shown.
---@param part fun(text: string): string
---@return boolean
function M.accept(part)
  return vim.lsp.inline_completion.get({
    on_accept = function(item)
      if type(item.insert_text) ~= 'string' then
        return item -- a snippet: Neovim expands it
      end
      local left = rest(item)
      if not left or left.text == '' then
        return nil
      end
      local taken = part(left.text)
      local whole = taken == left.text
      local ends_line = (taken .. left.text:sub(#taken + 1, #taken + 1)):find('\n', 1, true)
      insert.replace(left.row, left.col, (whole or ends_line) and left.end_col or left.col, taken)
      local raw = { insertText = item.insert_text, command = item.command }
      if whole then
        feedback.accepted(item.client_id, raw, vim.api.nvim_get_current_buf())
      else
        feedback.partly_accepted(item.client_id, raw, left.text:sub(#taken + 1))
      end
      return nil
    end,
  })
end

--- Shows another of the suggestions that came together.
---@param count integer
function M.select(count)
  vim.lsp.inline_completion.select({ count = count })
end

--- Hides the suggestion; false when none is shown.
---@return boolean
function M.dismiss()
  return vim.lsp.inline_completion.get({
    on_accept = function(item)
      feedback.rejected(item.client_id, { insertText = item.insert_text, command = item.command })
    end,
  })
end

--- Asks anew in the current buffer, such as after a snooze.
function M.refresh()
  vim.api.nvim_exec_autocmds('CursorMovedI', { buffer = vim.api.nvim_get_current_buf(), modeline = false })
end

--- Ends what is shown in the current buffer.
function M.clear()
  vim.lsp.inline_completion.get({ on_accept = function() end })
end

return M
