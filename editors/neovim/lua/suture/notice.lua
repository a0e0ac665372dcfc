--- Messages that come by themselves. Each is one line, and one comes after the other, so that none waits for a key.
local api = vim.api
local M = {}

local PAUSE_MS = 2000 -- between two messages, which would be two lines otherwise
local SOONEST = 10 -- columns of a message at least, however narrow the screen is

---@class suture.Notice
---@field text string
---@field hint string where the rest of a text that is too long is read
---@field level integer
---@field patient boolean whether it waits until nobody types

M.cut = {} ---@type string[] messages that were shown in part
local queue = {} ---@type suture.Notice[]
local resting = false

--- The text as far as there is room, with the hint behind it where it is cut off; whether it has room as it is.
---@param notice suture.Notice
---@return string line, boolean whole
local function line_of(notice)
  local columns = vim.v.echospace + math.max(vim.o.cmdheight - 1, 0) * vim.o.columns
  local text, hint = notice.text, notice.hint
  local needed = notice.patient and text .. hint or text
  if not needed:find('\n', 1, true) and vim.fn.strdisplaywidth(needed) <= columns then
    return needed, true
  end
  local room = math.max(columns - vim.fn.strdisplaywidth(hint) - 1, SOONEST)
  local line = text:match('^[^\n]*')
  line = notice.patient and line:match('^(.-) %(') or line -- the beginning of a question says enough
  local characters = vim.fn.strchars(line)
  while vim.fn.strdisplaywidth(line) > room do
    characters = characters - 1
    line = vim.fn.strcharpart(text, 0, characters)
  end
  return line .. '…' .. hint, false
end

--- The first message that may be shown now.
---@return integer?
local function ready()
  local mode = api.nvim_get_mode().mode
  for index, notice in ipairs(queue) do
    if mode == 'n' or (mode == 'i' and not notice.patient) then
      return index
    end
  end
end

local function show()
  if resting or #queue == 0 then
    return
  end
  local index = ready()
  if not index then
    api.nvim_create_autocmd('ModeChanged', {
      group = api.nvim_create_augroup('suture_notice', { clear = true }),
      pattern = { '*:n', '*:i' },
      once = true,
      callback = vim.schedule_wrap(show),
    })
    return
  end
  local notice = table.remove(queue, index)
  local line, whole = line_of(notice)
  if not whole and not notice.patient then
    M.cut[#M.cut + 1] = notice.text
  end
  local hidden = vim.o.cmdheight == 0
  if hidden then
    vim.o.cmdheight = 1 -- without a line for messages each of them waits for a key
  end
  vim.cmd.redraw() -- the line is that of a new message from now on
  vim.notify(line, notice.level)
  resting = true
  vim.defer_fn(function()
    resting = false
    if hidden and vim.o.cmdheight == 1 then
      vim.o.cmdheight = 0
    end
    show()
  end, PAUSE_MS)
end

---@param notice suture.Notice
local function add(notice)
  queue[#queue + 1] = notice
  vim.schedule(show)
end

--- Shows a message as soon as it does not get in the way; `:Suture status` has the whole of one that is too long.
---@param text string
---@param level integer
function M.tell(text, level)
  add({ text = text, hint = ' (:Suture status)', level = level, patient = false })
end

--- Shows the beginning of a question once nobody types, and how it is answered.
---@param text string
---@param hint string
function M.ask(text, hint)
  add({ text = text, hint = hint, level = vim.log.levels.INFO, patient = true })
end

return M
