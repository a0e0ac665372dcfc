--- Drawing by extmarks of our own: for Neovim 0.10 and 0.11, which have no inline completion.
local config = require('suture.config')
local insert = require('suture.insert')
local server = require('suture.server')
local text = require('suture.text')

local api = vim.api
local M = {}

local namespace = api.nvim_create_namespace('suture')
local method = 'textDocument/inlineCompletion'
local INVOKED, AUTOMATIC = 1, 2

---@class suture.Item
---@field text string
---@field col integer start of the replaced part of the line, in bytes
---@field end_col integer end of it at the time of the request, in bytes
---@field command? table

---@class suture.Shown
---@field row integer
---@field before string the line up to the cursor, when the suggestion was asked for
---@field after string the line from the cursor on
---@field items suture.Item[]
---@field index integer

---@class suture.Buffer
---@field client_id integer
---@field group integer
---@field timer uv.uv_timer_t
---@field request? integer
---@field shown? suture.Shown
---@field asked? string where and in which text the last request was made
local buffers = {} ---@type table<integer, suture.Buffer>

---@return integer row, string before, string after
local function at_cursor()
  local cursor = api.nvim_win_get_cursor(0)
  local line = api.nvim_get_current_line()
  return cursor[1] - 1, line:sub(1, cursor[2]), line:sub(cursor[2] + 1)
end

local function inserting()
  return vim.startswith(api.nvim_get_mode().mode, 'i')
end

--- What can still be inserted of the selected suggestion at the cursor; nil when the text no longer fits it.
---@param shown suture.Shown
---@return string? remaining, suture.Item? item
local function rest(shown)
  local item = shown.items[shown.index]
  local row, before, after = at_cursor()
  if not item or row ~= shown.row or after ~= shown.after then
    return nil
  end
  -- Anything but typing after the place of the request, such as an edit to its left, is no typing along.
  if #before < #shown.before or before:sub(1, #shown.before) ~= shown.before then
    return nil
  end
  local remaining = text.remaining(item.text, before:sub(item.col + 1))
  if remaining and remaining ~= '' then
    return remaining, item
  end
end

--- The virtual text of a suggestion: its first line in the line, the others below it.
--- When several lines go before text that stands right of the cursor, that text is drawn after the last of them,
--- where it will be.
---@param remaining string
---@param before string
---@param after string
---@return table extmark options
local function virtual_text(remaining, before, after)
  local tabstop = vim.bo.tabstop
  local lines = text.lines(remaining)
  local column = vim.fn.strdisplaywidth(before)
  local first = text.expand_tabs(lines[1], column, tabstop)
  local extmark = { virt_text = { { first, 'SutureSuggestion' } }, virt_text_pos = 'inline', hl_mode = 'combine' }
  if #lines == 1 then
    return extmark
  end
  extmark.virt_lines = {}
  for i = 2, #lines do
    extmark.virt_lines[i - 1] = { { text.expand_tabs(lines[i], 0, tabstop), 'SutureSuggestion' } }
  end
  if after ~= '' then
    local covered = vim.fn.strdisplaywidth(after, column)
    local padding = math.max(0, covered - vim.fn.strdisplaywidth(first, column))
    extmark.virt_text = { { first, 'SutureSuggestion' }, { (' '):rep(padding), 'Normal' } }
    extmark.virt_text_pos = 'overlay'
    local last = extmark.virt_lines[#lines - 1]
    last[2] = { text.expand_tabs(after, vim.fn.strdisplaywidth(last[1][1]), tabstop), 'Normal' }
  end
  return extmark
end

---@param bufnr integer
local function hide(bufnr)
  api.nvim_buf_clear_namespace(bufnr, namespace, 0, -1)
end

--- Draws what is left of the suggestion, or forgets it.
---@param bufnr integer
---@return boolean shown
local function draw(bufnr)
  hide(bufnr)
  local buffer = buffers[bufnr]
  local shown = buffer and buffer.shown
  local remaining, item = nil, nil
  if shown and inserting() and bufnr == api.nvim_get_current_buf() then
    remaining, item = rest(shown)
  end
  if not (shown and remaining and item) then
    if buffer then
      buffer.shown = nil
    end
    return false
  end
  local row, before, after = at_cursor()
  local replaced = after:sub(1, math.max(0, item.end_col - #shown.before))
  if replaced ~= '' and vim.endswith(remaining, replaced) then
    -- The text ends with what it replaces: only the new part is drawn, in front of it.
    remaining = remaining:sub(1, #remaining - #replaced)
  end
  local extmark = virtual_text(remaining, before, after)
  api.nvim_buf_set_extmark(bufnr, namespace, row, #before, extmark)
  return true
end

---@param bufnr integer
local function cancel(bufnr)
  local buffer = buffers[bufnr]
  if not buffer then
    return
  end
  buffer.timer:stop()
  local client = vim.lsp.get_client_by_id(buffer.client_id)
  if buffer.request and client then
    server.call(client, 'cancel_request', buffer.request)
  end
  buffer.request = nil
end

--- The items of an answer, in byte columns of the cursor's line.
---@param result any
---@param row integer
---@param before string
---@param after string
---@param encoding string
---@return suture.Item[]
local function items_of(result, row, before, after, encoding)
  local items = {}
  for _, item in ipairs(type(result) == 'table' and (result.items or result) or {}) do
    local insert_text = item.insertText
    if type(insert_text) == 'string' and insert_text ~= '' then
      local col, end_col = #before, #before
      local range = item.range
      if type(range) == 'table' and range.start.line == row and range['end'].line == row then
        local line = before .. after
        col = text.byte_column(line, range.start.character, encoding)
        end_col = text.byte_column(line, range['end'].character, encoding)
      end
      items[#items + 1] = { text = insert_text, col = col, end_col = end_col, command = item.command }
    end
  end
  return items
end

---@param bufnr integer
---@param kind integer
local function request(bufnr, kind)
  local buffer = buffers[bufnr]
  local client = buffer and vim.lsp.get_client_by_id(buffer.client_id)
  if not client or bufnr ~= api.nvim_get_current_buf() or not inserting() then
    return
  end
  cancel(bufnr)
  local row, before, after = at_cursor()
  local encoding = client.offset_encoding
  local params = vim.lsp.util.make_position_params(0, encoding)
  params.context = { triggerKind = kind }
  local id
  local _, request_id = server.call(client, 'request', method, params, function(err, result)
    local current = buffers[bufnr]
    if not current or current.request ~= id then
      return -- superseded
    end
    current.request = nil
    if err then
      return -- the client logs it; typing must not be disturbed
    end
    local index = 1
    if kind == INVOKED and current.shown then
      index = current.shown.index
    end
    local items = items_of(result, row, before, after, encoding)
    current.shown = { row = row, before = before, after = after, items = items, index = math.min(index, #items) }
    draw(bufnr)
    if kind == INVOKED and current.shown and current.invoked then
      M.select(current.invoked)
    end
    current.invoked = nil
  end, bufnr)
  id = request_id
  buffer.request = request_id
end

--- After a change or a move: keeps what still fits, and asks again once the typing pauses.
---@param bufnr integer
local function changed(bufnr)
  local buffer = buffers[bufnr]
  if not buffer then
    return
  end
  local cursor = api.nvim_win_get_cursor(0)
  local here = ('%d:%d:%d'):format(api.nvim_buf_get_changedtick(bufnr), cursor[1], cursor[2])
  if here == buffer.asked then
    return -- TextChangedI and CursorMovedI come in pairs
  end
  buffer.asked = here
  draw(bufnr)
  cancel(bufnr)
  buffer.timer:start(
    config.current.delay_ms,
    0,
    vim.schedule_wrap(function()
      request(bufnr, AUTOMATIC)
    end)
  )
end

---@param bufnr integer
local function forget(bufnr)
  cancel(bufnr)
  hide(bufnr)
  local buffer = buffers[bufnr]
  if buffer then
    buffer.shown, buffer.asked, buffer.invoked = nil, nil, nil
  end
end

---@param client vim.lsp.Client
---@param bufnr integer
function M.attach(client, bufnr)
  if buffers[bufnr] then
    buffers[bufnr].client_id = client.id
    return
  end
  local group = api.nvim_create_augroup('suture.extmark.' .. bufnr, { clear = true })
  buffers[bufnr] = { client_id = client.id, group = group, timer = assert(vim.uv.new_timer()) }
  api.nvim_create_autocmd({ 'InsertEnter', 'CursorMovedI', 'TextChangedI', 'TextChangedP' }, {
    group = group,
    buffer = bufnr,
    callback = function()
      -- At InsertEnter the mode is not yet that of inserting.
      vim.schedule(function()
        if bufnr == api.nvim_get_current_buf() and inserting() then
          changed(bufnr)
        end
      end)
    end,
  })
  api.nvim_create_autocmd({ 'InsertLeave', 'BufLeave' }, {
    group = group,
    buffer = bufnr,
    callback = function()
      forget(bufnr)
    end,
  })
  if bufnr == api.nvim_get_current_buf() and inserting() then
    changed(bufnr)
  end
end

---@param bufnr integer
function M.detach(bufnr)
  local buffer = buffers[bufnr]
  if not buffer then
    return
  end
  cancel(bufnr)
  buffers[bufnr] = nil
  buffer.timer:close()
  api.nvim_del_augroup_by_id(buffer.group)
  if api.nvim_buf_is_valid(bufnr) then
    hide(bufnr)
  end
end

---@return integer bufnr, suture.Shown?
local function current()
  local bufnr = api.nvim_get_current_buf()
  local buffer = buffers[bufnr]
  return bufnr, buffer and buffer.shown
end

--- Accepts a part of the shown suggestion; false when none is shown.
---@param part fun(text: string): string
---@return boolean
function M.accept(part)
  local bufnr, shown = current()
  if not shown or not rest(shown) then
    return false
  end
  -- Later, since an <expr> mapping may not change text.
  vim.schedule(function()
    local remaining, item = rest(shown)
    if not remaining or not item or bufnr ~= api.nvim_get_current_buf() then
      return
    end
    local row, before = at_cursor()
    local taken = part(remaining)
    local whole = taken == remaining
    local replaced = whole and math.max(0, item.end_col - #shown.before) or 0
    if whole then
      forget(bufnr)
    elseif taken:find('\n') then
      -- The rest is shown again from where the accepted part ends.
      local last = taken:match('[^\n]*$')
      local after = shown.after
      shown.row = row + select(2, taken:gsub('\n', ''))
      shown.before, shown.items, shown.index = last, {
        { text = remaining:sub(#taken + 1), col = #last, end_col = #last, command = item.command },
      }, 1
      shown.after = after
    end
    insert.replace(row, #before, #before + replaced, taken)
    if not whole then
      draw(bufnr)
    end
    local client = vim.lsp.get_client_by_id(buffers[bufnr] and buffers[bufnr].client_id or -1)
    if whole and item.command and client then
      server.call(client, 'request', 'workspace/executeCommand', {
        command = item.command.command,
        arguments = item.command.arguments,
      }, function() end, bufnr)
    end
  end)
  return true
end

--- Shows another suggestion; the first time it asks the server for more than one.
---@param count integer
function M.select(count)
  local bufnr, shown = current()
  if not shown then
    return
  end
  if #shown.items < 2 then
    if not buffers[bufnr].invoked then
      buffers[bufnr].invoked = count
      request(bufnr, INVOKED)
    end
    return
  end
  shown.index = (shown.index - 1 + count) % #shown.items + 1
  draw(bufnr)
end

--- Hides the suggestion; false when none is shown.
---@return boolean
function M.dismiss()
  local bufnr, shown = current()
  if not shown then
    return false
  end
  cancel(bufnr)
  hide(bufnr)
  buffers[bufnr].shown = nil
  return true
end

return M
