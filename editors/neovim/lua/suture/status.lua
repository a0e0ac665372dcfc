--- How the server is, in its own words, and what the user is told of it.
local api = vim.api
local M = {}

---@class suture.Status
---@field state 'stopped'|'starting'|'loading'|'ready'|'generating'|'idle'|'off'|'snoozed'|'away'|'error'
---@field message string
---@field what_to_do string what a person can do, '' when nothing
---@field model? string the model in memory
---@field download? string which model is being downloaded, and how far it is
---@field wrote? string the model that wrote what was suggested last, where it stood in for the user's
---@field more? boolean asking has a text at the cursor that is not certain enough to be shown by itself
---@field details? string how much context the model reads, and what it takes
---@field guarantees table<string, 'checked'|'none'> by filetype, where no exact engine judges suggestions

local STOPPED = { state = 'stopped', message = 'the server is not running', what_to_do = '', guarantees = {} }

M.current = vim.deepcopy(STOPPED) ---@type suture.Status

local told = {} ---@type table<string, true> messages that the user has seen

--- Shows a message, once until forget() is called.
---@param message string
---@param level integer
function M.tell(message, level)
  message = message:gsub('^Suture: ', '')
  if not told[message] then
    told[message] = true
    require('suture.notice').tell('suture: ' .. message, level)
  end
end

--- Lets messages that were shown be shown again.
function M.forget()
  told = {}
end

--- Lets status lines follow.
function M.changed()
  api.nvim_exec_autocmds('User', { pattern = 'SutureStatus', modeline = false })
  vim.cmd.redrawstatus()
end

--- Takes a status, and lets status lines follow it.
---@param status suture.Status
function M.set(status)
  M.current = {
    state = status.state,
    message = status.message,
    what_to_do = status.state == 'snoozed' and ':Suture wake' or status.what_to_do or '',
    model = status.model ~= vim.NIL and status.model or nil,
    download = status.download ~= '' and status.download or nil,
    wrote = status.wrote ~= '' and status.wrote or nil,
    more = status.more or nil,
    details = status.details ~= '' and status.details or nil,
    guarantees = status.guarantees or {},
  }
  if status.state == 'error' then
    local to_do = M.current.what_to_do
    M.tell(status.message .. (to_do ~= '' and '; ' .. to_do or ''), vim.log.levels.ERROR)
  end
  M.changed()
end

function M.stopped()
  M.set(STOPPED)
end

function M.starting()
  M.set({ state = 'starting', message = 'the server is starting', what_to_do = '' })
end

--- The status in one line.
---@return string
function M.line()
  local status = M.current
  local line = status.state
  if status.message ~= '' and status.message ~= status.state then
    line = line .. ': ' .. status.message
  end
  if status.what_to_do ~= '' then
    line = line .. '; ' .. status.what_to_do
  end
  local guarantee = status.guarantees[vim.bo.filetype]
  if guarantee then
    line = line .. (guarantee == 'checked' and '; checked by tree-sitter, not exact' or '; not checked')
  end
  if status.wrote then
    line = ('%s (the last suggestion is by the model %s)'):format(line, status.wrote)
  elseif status.model then
    line = ('%s (model %s)'):format(line, status.model)
  end
  local asking = status.more and 'asking shows a text that is less certain'
  for _, more in ipairs({ asking or false, status.download or false, status.details or false }) do
    line = more and ('%s; %s'):format(line, more) or line
  end
  return line
end

return M
