--- A suggestion as virtual text: what goes where on the screen.
local text = require('suture.text')

local api = vim.api
local M = {}

local namespace = api.nvim_create_namespace('suture')
-- The marks' ids, so that a new text takes the place of the old one in the same redraw.
local MARK, NOTE = 1, 2
local group = 'SutureSuggestion'

local kept_to ---@type integer?

--- Keeps the mark to one window: the text is not wanted in another one on the same buffer.
--- Not part of the API proper yet; without it both windows show the text.
---@param window integer
---@param options vim.api.keyset.set_extmark
local function keep_to(window, options)
  options.scoped = api.nvim__win_add_ns and true or nil -- 0.10
  if kept_to == window then
    return
  end
  if api.nvim__ns_set then -- 0.11 and later
    pcall(api.nvim__ns_set, namespace, { wins = { window } })
  elseif api.nvim__win_add_ns then
    if kept_to and api.nvim_win_is_valid(kept_to) then
      pcall(api.nvim__win_del_ns, kept_to, namespace)
    end
    pcall(api.nvim__win_add_ns, window, namespace)
  end
  kept_to = window
end

--- The columns that text has in a window, and the rows below the cursor.
---@param window integer
---@return integer columns, integer rows
local function room_in(window)
  local info = vim.fn.getwininfo(window)[1]
  return info.width - info.textoff, info.height - vim.fn.winline()
end

--- The virtual text of a suggestion: its first line in the line, the others below it.
--- When several lines go before text that stands right of the cursor, what they do not replace of it is drawn after the last
--- of them, where it will be. Where it cannot be covered, since it does not fit into one row of the screen, it stays.
---@param remaining string
---@param here suture.Place
---@param replaced string what is behind the cursor and will not be
---@param window integer
---@return vim.api.keyset.set_extmark
local function virtual_text(remaining, here, replaced, window)
  local tabstop = vim.bo.tabstop
  local lines = text.lines(remaining)
  -- Not 'combine': before a bracket, the text would be highlighted as a part of the bracket that matches another.
  local options = { id = MARK, virt_text = { { lines[1], group } }, virt_text_pos = 'inline', hl_mode = 'replace' }
  if #lines == 1 and not remaining:find('\t', 1, true) then
    return options -- what it costs to measure a very long line is saved
  end
  local column = vim.fn.strdisplaywidth(here.before)
  local first = text.expand_tabs(lines[1], column, tabstop)
  options.virt_text = { { first, group } }
  if #lines == 1 then
    return options
  end
  local columns, rows = room_in(window)
  options.virt_lines = {}
  for i = 2, #lines do
    options.virt_lines[i - 1] = { { text.expand_tabs(lines[i], 0, tabstop), group } }
  end
  local covered = vim.fn.strdisplaywidth(here.after, column)
  local width = vim.fn.strdisplaywidth(first, column)
  if here.after ~= '' and column + math.max(covered, width) <= columns then
    options.virt_text = { { first, group }, { (' '):rep(covered - width) } }
    options.virt_text_pos = 'overlay'
    local last = options.virt_lines[#lines - 1]
    last[2] = { text.expand_tabs(here.after:sub(#replaced + 1), vim.fn.strdisplaywidth(last[1][1]), tabstop) }
  end
  if rows < #lines - 1 then
    -- The window ends before the text does, and is not scrolled under the user's eyes.
    table.insert(options.virt_text, 2, { (' (+%d)'):format(#lines - 1), group })
  end
  return options
end

--- Draws a suggestion at the cursor of the current window, in place of the one that is drawn.
---@param bufnr integer
---@param remaining string
---@param here suture.Place the cursor's line
---@param replaced string what is behind the cursor and will not be
---@param note? string what is said of it behind its line
function M.show(bufnr, remaining, here, replaced, note)
  local window = api.nvim_get_current_win()
  local options = virtual_text(remaining, here, replaced, window)
  keep_to(window, options)
  api.nvim_buf_set_extmark(bufnr, namespace, here.row, #here.before, options)
  if note then
    local behind = { id = NOTE, virt_text = { { note, group } }, virt_text_pos = 'eol', scoped = options.scoped }
    api.nvim_buf_set_extmark(bufnr, namespace, here.row, 0, behind)
  else
    api.nvim_buf_del_extmark(bufnr, namespace, NOTE)
  end
end

---@param bufnr integer
function M.hide(bufnr)
  if api.nvim_buf_is_valid(bufnr) then
    api.nvim_buf_del_extmark(bufnr, namespace, MARK)
    api.nvim_buf_del_extmark(bufnr, namespace, NOTE)
  end
end

return M
