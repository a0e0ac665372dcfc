--- Maps the keys the user names, each with what it did before as the fallback.
local M = {}

--- What a key did before: the expansion of the mapping it had, or the key itself.
---@param key string
---@param before table as maparg() returns it; empty when there was no mapping
---@return string keys, boolean remap
local function fallback(key, before)
  local keys = before.rhs
  if before.callback then
    keys = before.callback()
    if before.expr ~= 1 then
      return '', false
    end
  elseif before.expr == 1 and before.rhs then
    keys = vim.api.nvim_eval(before.rhs)
  end
  if type(keys) ~= 'string' then
    return before.callback and '' or key, false
  end
  return keys, before.noremap ~= 1
end

--- Maps a key in insert mode to an action that says whether it had something to do.
---@param key string
---@param action fun(): boolean?
---@param description string
function M.map(key, action, description)
  local before = vim.fn.maparg(key, 'i', false, true)
  if before.desc == description then
    return -- setup() was called again
  end
  vim.keymap.set('i', key, function()
    if action() ~= false then
      return
    end
    local keys, remap = fallback(key, before)
    local raw = vim.api.nvim_replace_termcodes(keys, true, true, true)
    vim.api.nvim_feedkeys(raw, remap and 'im' or 'in', false)
  end, { desc = description })
end

return M
