--- Questions of the server, such as whether to download a model: said once, and answered when the user likes, not amid typing.
local notice = require('suture.notice')

local M = {}

---@class suture.Question
---@field message string
---@field actions { title: string }[]
---@field answer fun(action: { title: string }?)

local open = {} ---@type suture.Question[]

--- Answers `window/showMessageRequest`; Neovim runs it in a coroutine, which waits here.
---@param params { message: string, actions?: { title: string }[] }
function M.ask(params)
  local waiting = coroutine.running()
  local question = { message = params.message:gsub('^Suture: ', ''), actions = params.actions or {} }
  question.answer = function(action)
    coroutine.resume(waiting, action or vim.NIL)
  end
  open[#open + 1] = question
  notice.ask('suture: ' .. question.message, ' (:Suture answer)')
  return coroutine.yield()
end

--- Lets the user answer the oldest question that is open; false when there is none.
---@return boolean
function M.answer()
  local question = table.remove(open, 1)
  if not question then
    return false
  end
  local function title(action)
    return action.title
  end
  vim.ui.select(question.actions, { prompt = question.message, format_item = title }, question.answer)
  return true
end

--- Forgets the questions of a server that has ended.
function M.forget()
  open = {}
end

return M
