--- Types over the brackets that an accepted suggestion has closed behind the cursor, as editors do that close brackets.
local M = {}

local namespace = vim.api.nvim_create_namespace('suture.overtype')
local OPENERS = { [')'] = '(', [']'] = '[', ['}'] = '{' }

--- Whether a text has opened a bracket or quote that the sign closes.
---@param text string
---@param sign string
---@return boolean
local function opens(text, sign)
  local function count(what)
    return select(2, text:gsub(vim.pesc(what), ''))
  end
  local opener = OPENERS[sign]
  if opener then
    return count(opener) > count(sign)
  end
  return count(sign) % 2 == 1
end

--- Types over a bracket that is about to be typed where it stands already.
---@param bufnr integer
---@param start integer extmark where the cursor was put
local function type_over(bufnr, start)
  local cursor = vim.api.nvim_win_get_cursor(0)
  local row, col = cursor[1] - 1, cursor[2]
  local line = vim.api.nvim_get_current_line()
  local marks = vim.api.nvim_buf_get_extmarks(bufnr, namespace, { row, col }, { row, col }, {})
  local mark = vim.iter(marks):find(function(one)
    return one[1] ~= start
  end)
  local from = vim.api.nvim_buf_get_extmark_by_id(bufnr, namespace, start, {})[2] or 0
  if not mark or line:sub(col + 1, col + 1) ~= vim.v.char or opens(line:sub(from + 1, col), vim.v.char) then
    return
  end
  vim.v.char = ''
  vim.api.nvim_buf_del_extmark(bufnr, namespace, mark[1])
  vim.schedule(function() -- an autocommand for a typed letter may not move the cursor
    vim.api.nvim_win_set_cursor(0, { row + 1, col + 1 })
  end)
end

--- Remembers the brackets behind the cursor of the current buffer until they are typed or inserting ends.
---@param behind integer bytes of them
function M.expect(behind)
  local bufnr = vim.api.nvim_get_current_buf()
  local function forget()
    vim.api.nvim_buf_clear_namespace(bufnr, namespace, 0, -1)
  end
  forget()
  local cursor = vim.api.nvim_win_get_cursor(0)
  local start = vim.api.nvim_buf_set_extmark(bufnr, namespace, cursor[1] - 1, cursor[2], { right_gravity = false })
  for offset = 0, behind - 1 do -- each moves on with what is typed before it
    vim.api.nvim_buf_set_extmark(bufnr, namespace, cursor[1] - 1, cursor[2] + offset, {})
  end
  local group = vim.api.nvim_create_augroup('suture.overtype.' .. bufnr, { clear = true })
  vim.api.nvim_create_autocmd('InsertCharPre', {
    group = group,
    buffer = bufnr,
    callback = function()
      type_over(bufnr, start)
    end,
  })
  vim.api.nvim_create_autocmd('InsertLeave', { group = group, buffer = bufnr, once = true, callback = forget })
end

return M
