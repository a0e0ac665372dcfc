--- Suggestions drawn by extmarks of our own, also while they are still being made.
local config = require('suture.config')
local drawing = require('suture.drawing')
local feedback = require('suture.feedback')
local insert = require('suture.insert')
local server = require('suture.server')
local suggestion = require('suture.suggestion')

local api = vim.api
local M = {}

local method = 'textDocument/inlineCompletion'
local INVOKED, AUTOMATIC = 1, 2

---@class suture.Buffer
---@field client_id integer
---@field group integer
---@field timer uv.uv_timer_t
---@field request? integer the id of the one that is waited for
---@field asked? suture.Place where that one was made
---@field shown? suture.Shown
---@field seen? string the text and the cursor that were last looked at
---@field invoked? integer how far to go among the alternatives when they come
local buffers = {} ---@type table<integer, suture.Buffer>

---@return suture.Place
local function at_cursor()
  local cursor = api.nvim_win_get_cursor(0)
  local line = api.nvim_get_current_line()
  return { row = cursor[1] - 1, before = line:sub(1, cursor[2]), after = line:sub(cursor[2] + 1) }
end

local function inserting()
  return vim.startswith(api.nvim_get_mode().mode, 'i')
end

--- Whether a suggestion would be in the way: in a paste, in a macro (which must do the same each time), past a line's end.
---@param bufnr integer
---@return boolean
local function quiet(bufnr)
  return vim.o.paste
    or vim.fn.reg_recording() ~= ''
    or vim.fn.reg_executing() ~= ''
    or vim.b[bufnr].suture == false
    or vim.fn.getcurpos()[4] > 0
end

---@param bufnr integer
---@return boolean
local function typing_in(bufnr)
  return bufnr == api.nvim_get_current_buf() and inserting()
end

--- Draws what is left of the suggestion, or forgets it.
---@param bufnr integer
---@return boolean drawn
local function draw(bufnr)
  local buffer = buffers[bufnr]
  local shown = buffer and buffer.shown
  local here = shown and typing_in(bufnr) and not quiet(bufnr) and at_cursor() or nil
  local remaining, item = nil, nil
  if shown and here then
    remaining, item = suggestion.rest(shown, here)
  end
  if not (shown and here and remaining and item) then
    drawing.hide(bufnr)
    if buffer then
      buffer.shown = nil
    end
    return false
  end
  local replaced = here.after:sub(1, suggestion.replaced(shown, item, here))
  if replaced ~= '' and vim.endswith(remaining, replaced) then
    -- The text ends with what it replaces: only the new part is drawn, in front of it.
    remaining, replaced = remaining:sub(1, #remaining - #replaced), ''
  end
  drawing.show(bufnr, remaining, here, replaced, item.note)
  if item.raw and shown.told ~= item then
    shown.told = item
    feedback.shown(buffer.client_id, item.raw)
  end
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

--- Inserts a part of what is shown.
---@param bufnr integer
---@param part fun(text: string): string
local function take(bufnr, part)
  local buffer = buffers[bufnr]
  local shown = buffer and buffer.shown
  if not shown or not typing_in(bufnr) then
    return
  end
  local here = at_cursor()
  local remaining, item = suggestion.rest(shown, here)
  if not remaining or not item then
    return
  end
  local taken = part(remaining)
  local whole = taken == remaining
  if whole and shown.partial then
    shown.wanted = part -- only what has come to its end makes a valid file
    return
  end
  local replaced
  if whole then
    replaced = suggestion.replaced(shown, item, here)
    cancel(bufnr)
    buffer.shown = nil
    drawing.hide(bufnr)
  else
    replaced = suggestion.replaced_by_part(shown, item, here, taken, remaining)
    if replaced > 0 or taken:find('\n', 1, true) then
      buffer.shown = suggestion.after_part(shown, item, here, taken, remaining, replaced)
    end
  end
  local end_col = #here.before + replaced
  insert.replace(here.row, #here.before, end_col, taken, whole and item.behind or 0)
  if not whole then
    draw(bufnr)
  end
  if whole and item.raw then
    feedback.accepted(buffer.client_id, item.raw, bufnr)
  elseif item.raw then
    feedback.partly_accepted(buffer.client_id, item.raw, remaining:sub(#taken + 1))
  end
end

--- Takes the answer to the newest request.
---@param bufnr integer
---@param kind integer
---@param place suture.Place
---@param items suture.Item[]
local function answered(bufnr, kind, place, items)
  local buffer = buffers[bufnr]
  local before = buffer.shown
  -- The first of several is the one that was shown when the user asked for another.
  local index = kind == INVOKED and #items > 1 and (buffer.invoked or 0) % #items + 1 or 1
  buffer.shown = { place = place, items = items, index = index, partial = false }
  buffer.invoked = nil
  if draw(bufnr) and before and before.wanted then
    take(bufnr, before.wanted)
  end
end

---@param bufnr integer
---@param kind integer
local function request(bufnr, kind)
  local buffer = buffers[bufnr]
  local client = buffer and vim.lsp.get_client_by_id(buffer.client_id)
  if not client or not typing_in(bufnr) or quiet(bufnr) then
    return
  end
  if not buffer.shown then
    cancel(bufnr)
  end -- else what is typed is what is being written: the server goes on with it for the new request
  local place = at_cursor()
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
    if not err then -- the client logs it; typing must not be disturbed
      answered(bufnr, kind, place, suggestion.items(result, place, encoding))
    elseif current.shown and current.shown.partial then
      current.shown = nil -- its end will not come
      draw(bufnr)
    end
  end, bufnr)
  id = request_id
  buffer.request, buffer.asked = request_id, place
end

--- Takes the text so far of a suggestion that is being made; the last one is the answer's, and comes with it.
---@param client_id integer
---@param params { id: integer, text: string, done: boolean }
function M.partial(client_id, params)
  if params.done or params.text == '' then
    return
  end
  for bufnr, buffer in pairs(buffers) do
    if buffer.client_id == client_id and buffer.request == params.id and typing_in(bufnr) and not buffer.invoked then
      local new, here = suggestion.partial(params.text, buffer.asked), at_cursor()
      local so_far = suggestion.rest(new, here)
      local old = buffer.shown and suggestion.rest(buffer.shown, here)
      -- What is shown is not taken back as long as it may be what is coming.
      if so_far and not (old and vim.startswith(old, so_far)) then
        new.wanted = buffer.shown and buffer.shown.wanted
        buffer.shown = new
        draw(bufnr)
      end
    end
  end
end

--- After a change or a move: keeps what still fits, and asks again once the typing pauses.
---@param bufnr integer
local function changed(bufnr)
  local buffer = buffers[bufnr]
  if not buffer or not typing_in(bufnr) then
    return
  end
  local cursor = vim.fn.getcurpos()
  local seen = ('%d:%d:%d:%d'):format(api.nvim_buf_get_changedtick(bufnr), cursor[2], cursor[3], cursor[4])
  if seen == buffer.seen then
    return -- TextChangedI and CursorMovedI come in pairs
  end
  buffer.seen, buffer.invoked = seen, nil
  if buffer.shown then
    buffer.shown.wanted = nil
  end
  if not draw(bufnr) then
    cancel(bufnr)
  end
  buffer.timer:start(
    config.current.delay_ms,
    0,
    vim.schedule_wrap(function()
      request(bufnr, AUTOMATIC)
    end)
  )
end

--- Ends what is shown and what is being waited for.
---@param bufnr integer
local function forget(bufnr)
  cancel(bufnr)
  drawing.hide(bufnr)
  local buffer = buffers[bufnr]
  if buffer then
    buffer.shown, buffer.seen, buffer.invoked = nil, nil, nil
  end
end

--- Asks anew in the current buffer, such as after a snooze.
function M.refresh()
  local bufnr = api.nvim_get_current_buf()
  forget(bufnr)
  changed(bufnr)
end

--- Ends what is shown in all buffers.
function M.clear()
  for bufnr in pairs(buffers) do
    forget(bufnr)
  end
end

---@param client vim.lsp.Client
---@param bufnr integer
function M.attach(client, bufnr)
  if buffers[bufnr] then
    forget(bufnr)
    buffers[bufnr].client_id = client.id
    return changed(bufnr)
  end
  local group = api.nvim_create_augroup('suture.extmark.' .. bufnr, { clear = true })
  buffers[bufnr] = { client_id = client.id, group = group, timer = assert(vim.uv.new_timer()) }
  local function on(events, callback)
    api.nvim_create_autocmd(events, { group = group, buffer = bufnr, callback = callback })
  end
  -- At once, so that what was drawn for the text before is never on the screen with the text as it is now.
  on({ 'CursorMovedI', 'TextChangedI', 'TextChangedP' }, function()
    changed(bufnr)
  end)
  on('InsertEnter', function()
    vim.schedule(function() -- the mode is not yet that of inserting
      changed(bufnr)
    end)
  end)
  on({ 'InsertLeave', 'BufLeave', 'WinLeave' }, function()
    forget(bufnr)
  end)
  changed(bufnr)
end

---@param bufnr integer
---@param client_id? integer only if it is this client's
function M.detach(bufnr, client_id)
  local buffer = buffers[bufnr]
  if not buffer or (client_id and buffer.client_id ~= client_id) then
    return
  end
  cancel(bufnr)
  buffers[bufnr] = nil
  buffer.timer:close()
  api.nvim_del_augroup_by_id(buffer.group)
  drawing.hide(bufnr)
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
  if not shown or not typing_in(bufnr) or not suggestion.rest(shown, at_cursor()) then
    return false
  end
  -- Later, since an <expr> mapping may not change text.
  vim.schedule(function()
    take(bufnr, part)
  end)
  return true
end

--- Shows another suggestion; the first time it asks the server for more than one. Where none is shown, it asks for some.
---@param count integer
function M.select(count)
  local bufnr, shown = current()
  if not shown or #shown.items < 2 then
    local buffer = buffers[bufnr]
    if buffer and not buffer.invoked then
      buffer.invoked = shown and count or 0
      request(bufnr, INVOKED)
    end
    return
  end
  shown.index = (shown.index - 1 + count) % #shown.items + 1
  draw(bufnr)
end

--- Hides the suggestion, and lets the server know that it is not wanted; false when none is shown.
---@return boolean
function M.dismiss()
  local bufnr, shown = current()
  if not shown then
    return false
  end
  local buffer, item = buffers[bufnr], shown.items[shown.index]
  cancel(bufnr)
  drawing.hide(bufnr)
  buffer.shown = nil
  if item and item.raw then
    feedback.rejected(buffer.client_id, item.raw)
  end
  return true
end

return M
