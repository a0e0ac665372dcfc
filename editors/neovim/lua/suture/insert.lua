--- Puts accepted text into the buffer, as one change that `u` takes back.
local overtype = require('suture.overtype')
local text = require('suture.text')

local M = {}

--- Ends the undo step that is going on.
local function end_undo_step()
  vim.cmd('noautocmd let &g:undolevels = &g:undolevels')
end

--- Replaces [col, end_col) of a line of the current window's buffer and leaves the cursor after the new text.
---@param row integer 0-based
---@param col integer 0-based bytes
---@param end_col integer 0-based bytes
---@param inserted string
---@param behind? integer bytes at its end before which the cursor stays
function M.replace(row, col, end_col, inserted, behind)
  if vim.fn.pumvisible() == 1 then
    vim.fn.complete(col + 1, {}) -- closes the menu, which would go on completing what was before the cursor
  end
  local lines = text.lines(inserted)
  end_undo_step() -- of the typing before
  vim.api.nvim_buf_set_text(0, row, col, row, end_col, lines)
  local before = text.lines(inserted:sub(1, #inserted - (behind or 0)))
  vim.api.nvim_win_set_cursor(0, { row + #before, (#before == 1 and col or 0) + #before[#before] })
  if behind and behind > 0 and #before == #lines then -- else the brackets stand on lines of their own
    overtype.expect(behind)
  end
  end_undo_step() -- so that what is typed from here on is taken back first, and alone
end

return M
