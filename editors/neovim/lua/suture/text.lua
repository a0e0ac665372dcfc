--- Pure functions over suggestions and lines. Columns are 0-based bytes unless the name says otherwise.
local M = {}

--- The part of a suggestion that "accept word" takes: white space, then a word or a run of punctuation.
---@param text string
---@return string
function M.first_word(text)
  -- Bytes from 0x80 up belong to words, so that no character is ever cut in two.
  return text:match('^%s*[%w_\128-\255]+') or text:match('^%s*[^%w_%s\128-\255]+') or text
end

--- The part that "accept line" takes: up to the end of its first line that is not empty.
---@param text string
---@return string
function M.first_line(text)
  return text:match('^\n*[^\n]+') or text
end

--- What is left of a suggestion when its first characters have been typed; nil when something else was typed.
---@param suggestion string
---@param typed string
---@return string?
function M.remaining(suggestion, typed)
  if suggestion:sub(1, #typed) == typed then
    return suggestion:sub(#typed + 1)
  end
end

--- A text with the line ends of Neovim's buffers, which a file with others does not have in memory either.
---@param text string
---@return string
function M.with_newlines(text)
  return (text:gsub('\r\n?', '\n'))
end

--- The text of an item, and how many bytes at its end the cursor stays before: a snippet has its stop there.
---@param insert_text any a string, or a snippet as `{ kind = 'snippet', value = 'area(width$0)' }`
---@return any text, integer behind
function M.without_stop(insert_text)
  if type(insert_text) ~= 'table' or type(insert_text.value) ~= 'string' then
    return insert_text, 0
  end
  local plain, stop = {}, nil
  local at, value = 1, insert_text.value
  while at <= #value do
    if value:sub(at, at + 1) == '$0' then
      stop, at = #plain, at + 2
    else
      at = value:sub(at, at) == '\\' and at + 1 or at
      plain[#plain + 1] = value:sub(at, at)
      at = at + 1
    end
  end
  return table.concat(plain), stop and #plain - stop or 0
end

--- The lines of a text that has Neovim's line ends.
---@param text string
---@return string[]
function M.lines(text)
  return vim.split(text, '\n', { plain = true })
end

--- How much of an item's text has been taken when a part of it is left, in units of utf-16.
---@param insert_text string the item's text as the server sent it
---@param rest string what is left of it, with Neovim's line ends
---@return integer
function M.taken_utf16(insert_text, rest)
  if insert_text:find('\r\n', 1, true) then
    rest = rest:gsub('\n', '\r\n')
  end
  local taken = insert_text:sub(1, math.max(0, #insert_text - #rest))
  return #vim.iconv(taken, 'utf-8', 'utf-16le') / 2
end

--- The byte column of a column counted in the units of a position encoding; clamped to the line.
---@param line string
---@param column integer
---@param encoding 'utf-8'|'utf-16'|'utf-32'
---@return integer
function M.byte_column(line, column, encoding)
  if encoding == 'utf-8' then
    return math.min(column, #line)
  end
  if vim.fn.has('nvim-0.11') == 1 then
    return vim.str_byteindex(line, encoding, column, false)
  end
  local ok, byte = pcall(vim.str_byteindex, line, column, encoding == 'utf-16')
  return ok and byte or #line
end

--- Replaces tabs by the spaces they stand for, since virtual text does not expand them.
---@param text string
---@param column integer the display column at which the text starts
---@param tabstop integer
---@return string
function M.expand_tabs(text, column, tabstop)
  if not text:find('\t', 1, true) then
    return text
  end
  local parts, at = {}, column
  for chunk, tab in text:gmatch('([^\t]*)(\t?)') do
    parts[#parts + 1] = chunk
    at = at + vim.fn.strdisplaywidth(chunk, at)
    if tab ~= '' then
      local width = tabstop - at % tabstop
      parts[#parts + 1] = (' '):rep(width)
      at = at + width
    end
  end
  return table.concat(parts)
end

return M
