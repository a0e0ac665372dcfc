--- A suggestion as a value: the place it was asked for, its texts, and what is left of one as the user types along.
local text = require('suture.text')

local M = {}

---@class suture.Place
---@field row integer 0-based
---@field before string the line up to the cursor
---@field after string the line from the cursor on

---@class suture.Item
---@field text string with Neovim's line ends
---@field col integer start of the replaced part of the line, in bytes
---@field end_col integer end of it at the time of the request, in bytes
---@field behind? integer bytes at its end before which the cursor stays
---@field note? string the imports that accepting it adds
---@field raw? lsp.InlineCompletionItem as the server sent it, its text plain; nil for a text that is still coming

---@class suture.Shown
---@field place suture.Place where it was asked for, or where an accepted part of it ends
---@field items suture.Item[]
---@field index integer
---@field partial boolean more of its text is coming
---@field wanted? fun(text: string): string the part that the user wants of it once it is whole
---@field told? suture.Item the item that the server knows to be on the screen

--- What is said of an item that comes with imports.
---@param item lsp.InlineCompletionItem
---@return string?
local function note_of(item)
  local command = item.command
  local arguments = type(command) == 'table' and command.command == 'suture.accepted' and command.arguments or {}
  local imports = vim.list_slice(arguments, 2)
  return #imports > 0 and '+ ' .. table.concat(imports, ', ') or nil
end

--- The items of an answer, in byte columns of the cursor's line.
---@param result any
---@param place suture.Place
---@param encoding string
---@return suture.Item[]
function M.items(result, place, encoding)
  local items = {}
  for _, item in ipairs(type(result) == 'table' and (result.items or result) or {}) do
    local insert_text, behind = text.without_stop(item.insertText)
    if type(insert_text) == 'string' and insert_text ~= '' then
      local col, end_col = #place.before, #place.before
      local range = item.range
      if type(range) == 'table' and range.start.line == place.row and range['end'].line == place.row then
        local line = place.before .. place.after
        col = text.byte_column(line, range.start.character, encoding)
        end_col = text.byte_column(line, range['end'].character, encoding)
      end
      items[#items + 1] = {
        text = text.with_newlines(insert_text),
        col = col,
        end_col = end_col,
        behind = #text.with_newlines(insert_text:sub(#insert_text - behind + 1)),
        note = note_of(item),
        raw = insert_text ~= item.insertText and vim.tbl_extend('force', item, { insertText = insert_text }) or item,
      }
    end
  end
  return items
end

--- A suggestion of which only the beginning is known.
---@param so_far string
---@param place suture.Place
---@return suture.Shown
function M.partial(so_far, place)
  local item = { text = text.with_newlines(so_far), col = #place.before, end_col = #place.before }
  return { place = place, items = { item }, index = 1, partial = true }
end

--- What has come to stand right of the cursor since, such as a bracket that was closed by a plugin.
---@param place suture.Place
---@param here suture.Place
---@return string?
local function added(place, here)
  if vim.endswith(here.after, place.after) then
    return here.after:sub(1, #here.after - #place.after)
  end
end

--- What is left of the selected item; nil when the text no longer fits it. Its end may stand right of the cursor already.
---@param shown suture.Shown
---@param here suture.Place
---@return string? remaining, suture.Item? item
function M.rest(shown, here)
  local item, place = shown.items[shown.index], shown.place
  local closed = added(place, here)
  -- Anything but typing after the place of the request, such as an edit to its left, is no typing along.
  if not item or not closed or here.row ~= place.row or not vim.startswith(here.before, place.before) then
    return nil
  end
  local remaining = text.remaining(item.text, here.before:sub(item.col + 1))
  if remaining and remaining ~= closed and #remaining > (item.behind or 0) and vim.endswith(remaining, closed) then
    return remaining, item
  end
end

--- How many bytes after the cursor an item replaces: by its range, and what of its end stands there already.
---@param shown suture.Shown
---@param item suture.Item
---@param here suture.Place
---@return integer
function M.replaced(shown, item, here)
  return math.max(0, item.end_col - #shown.place.before) + #(added(shown.place, here) or '')
end

--- How many bytes behind the cursor a part of an item replaces that is not all of it: those that the item does, once its first
--- line is taken.
---@param shown suture.Shown
---@param item suture.Item
---@param here suture.Place
---@param taken string
---@param remaining string what was left of it before
---@return integer
function M.replaced_by_part(shown, item, here, taken, remaining)
  local ends_line = (taken .. remaining:sub(#taken + 1, #taken + 1)):find('\n', 1, true)
  return ends_line and added(shown.place, here) == '' and M.replaced(shown, item, here) or 0
end

--- The same suggestion after a part of it was inserted that ends in another line, or that replaced what is behind the cursor.
---@param shown suture.Shown
---@param item suture.Item
---@param here suture.Place where it was inserted
---@param taken string
---@param remaining string what was left of it before
---@param replaced integer bytes behind the cursor
---@return suture.Shown
function M.after_part(shown, item, here, taken, remaining, replaced)
  local _, ends = taken:gsub('\n', '')
  local before = ends == 0 and here.before .. taken or taken:match('[^\n]*$')
  local place = { row = shown.place.row + ends, before = before, after = shown.place.after:sub(replaced + 1) }
  local rest = {
    text = remaining:sub(#taken + 1),
    col = #before,
    end_col = #before,
    behind = item.behind,
    note = item.note,
    raw = item.raw,
  }
  return { place = place, items = { rest }, index = 1, partial = shown.partial, told = rest }
end

return M
