--- Maps the keys the user names, each with what it did before as the fallback.
local api = vim.api
local M = {}

local ALT = '\128\252\8' -- how Neovim writes the modifier before a key

---@param keys string
---@return string
local function raw(keys)
  return api.nvim_replace_termcodes(keys, true, true, true)
end

--- Puts keys before those that are still to be read.
---@param keys string in Neovim's own bytes
---@param remap boolean
local function feed(keys, remap)
  api.nvim_feedkeys(keys, remap and 'im' or 'in', false)
end

--- The mapping that a key has in all buffers; empty where it has none.
---@param key string
---@return table<string, any>
local function mapped(key)
  local map = vim.fn.maparg(key, 'i', false, true)
  if map.buffer ~= 1 then
    return map
  end
  local other = api.nvim_create_buf(false, true)
  map = api.nvim_buf_call(other, function()
    return vim.fn.maparg(key, 'i', false, true)
  end)
  api.nvim_buf_delete(other, { force = true })
  return map
end

--- Whether a key that is typed behind an abbreviation expands it.
---@param key string in Neovim's own bytes
---@return boolean
local function expands(key)
  if #api.nvim_get_keymap('ia') + #api.nvim_buf_get_keymap(0, 'ia') == 0 or vim.fn.pumvisible() == 1 then
    return false
  end
  local edits = key:find('^[%z\1\4-\8\11\14\16-\18\20-\25\127]$') -- such as <C-w>
  return key:find('\r$') ~= nil or key == raw('<S-Tab>') or (#key == 1 and not edits and vim.fn.match(key, [[^\k]]) < 0)
end

--- Does what a key does without a mapping.
---@param key string in Neovim's own bytes
local function press(key)
  -- Fed keys expand no abbreviation, but for <C-]>, which inserts nothing.
  feed(expands(key) and '\29' .. key or key, false)
end

--- Does what the mapping does that a key had before.
---@param key string in Neovim's own bytes
---@param before table<string, any>
local function run(key, before)
  local keys
  if before.callback then
    keys = before.callback()
  else
    local rhs = raw((before.rhs or ''):gsub('<SID>', ('<SNR>%d_'):format(before.sid or 0)))
    keys = before.expr == 1 and api.nvim_eval(rhs) or rhs
  end
  if before.expr ~= 1 and before.callback or type(keys) ~= 'string' then
    return
  end
  keys = before.replace_keycodes == 1 and raw(keys) or keys
  if before.noremap == 1 then
    return feed(keys, false)
  end
  -- The key itself at its beginning is not mapped again.
  local own = vim.startswith(keys, key) and key or ''
  feed(keys:sub(#own + 1), true)
  if own ~= '' then
    press(own)
  end
end

--- Maps a key in insert mode to an action that says whether it had something to do.
---@param key string
---@param action fun(): boolean?
---@param description string
function M.map(key, action, description)
  local before = mapped(key)
  if before.desc == description then
    return -- setup() was called again
  end
  vim.keymap.set('i', key, function()
    if action() ~= false then
      return
    end
    local bytes = raw(key)
    if before.lhs then
      run(bytes, before)
    elseif bytes:find(ALT, 1, true) then
      feed(bytes:gsub(ALT, '\27'), true) -- Neovim reads <M-x> as <Esc>x where it is typed
    else
      press(bytes)
    end
  end, { desc = description })
end

return M
