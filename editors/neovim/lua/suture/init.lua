--- Suture: inline code completion in which every suggestion fits. See :help suture.
local config = require('suture.config')
local server = require('suture.server')

local api = vim.api
local M = {}

local state = { set_up = false, enabled = false }

--- What draws the suggestions, as the settings and the version have it.
---@return table backend, string name
local function backend()
  local wanted = config.current.backend
  -- 'auto' is the plugin's own on every version: Neovim's shows text that no longer fits what was typed until the next answer
  -- comes, nothing before a suggestion is whole, and the rest of a line where it will not be.
  if wanted == 'native' and vim.lsp.inline_completion then
    return require('suture.native'), 'native'
  end
  return require('suture.extmark'), 'extmark'
end

--- What draws the suggestions.
function M.drawing()
  return (backend())
end

--- The name of what draws: 'native' or 'extmark'.
---@return string
function M.backend()
  local _, name = backend()
  return name
end

---@param bufnr integer
---@return boolean
local function wanted(bufnr)
  return api.nvim_buf_is_loaded(bufnr)
    and vim.bo[bufnr].buftype == ''
    and vim.b[bufnr].suture ~= false
    and vim.tbl_contains(config.current.filetypes, vim.bo[bufnr].filetype)
end

--- Attaches the buffers that are open to the server.
function M.attach_wanted()
  if not state.enabled then
    return
  end
  for _, bufnr in ipairs(api.nvim_list_bufs()) do
    if wanted(bufnr) then
      server.attach(bufnr)
    end
  end
end

--- A suggestion must not look like code, but the groups for such text may have a colour for the GUI alone, as in Neovim's
--- default colorscheme: where the terminal knows 256 colors at most they look like any other text.
local function create_highlight()
  local link = vim.fn.hlexists('ComplHint') == 1 and 'ComplHint' or 'Comment'
  local look = api.nvim_get_hl(0, { name = link, link = false })
  if look.ctermfg or look.cterm then
    look = { link = link }
  else
    look.ctermfg = 8 -- grey, of the terminal's own sixteen, so that it fits its background
  end
  look.default = true
  api.nvim_set_hl(0, 'SutureSuggestion', look)
end

local function create_autocmds()
  local group = api.nvim_create_augroup('suture', { clear = true })
  api.nvim_create_autocmd('FileType', {
    group = group,
    pattern = config.current.filetypes,
    callback = function(event)
      if state.enabled and wanted(event.buf) then
        server.attach(event.buf)
      end
    end,
  })
  api.nvim_create_autocmd('ColorScheme', { group = group, callback = create_highlight })
  api.nvim_create_autocmd('LspAttach', {
    group = group,
    callback = function(event)
      local client = vim.lsp.get_client_by_id(event.data.client_id)
      if client and client.name == server.name and server.has_inline_completion(client) then
        backend().attach(client, event.buf)
      end
    end,
  })
  api.nvim_create_autocmd('LspDetach', {
    group = group,
    callback = function(event)
      local client = vim.lsp.get_client_by_id(event.data.client_id)
      if not client or client.name == server.name then
        backend().detach(event.buf, client and client.id)
      end
    end,
  })
end

--- Starts Suture with the user's settings; see :help suture-settings.
---@param options? table
function M.setup(options)
  if vim.fn.has('nvim-0.10') == 0 then
    vim.notify('suture: needs Neovim 0.10 or later', vim.log.levels.ERROR)
    return
  end
  for _, problem in ipairs(config.set(options)) do
    vim.notify('suture: ' .. problem, vim.log.levels.WARN)
  end
  create_highlight()
  create_autocmds()
  for action, key in pairs(config.current.keys) do
    require('suture.keys').map(key, M[action], 'Suture: ' .. action:gsub('_', ' '))
  end
  state.set_up = true
  if config.current.enabled then
    M.enable()
  end
end

--- Turns suggestions on.
function M.enable()
  if not state.set_up then
    return M.setup({ enabled = true })
  end
  state.enabled = true
  require('suture.status').changed()
  M.attach_wanted()
end

--- Turns suggestions off; the server keeps running, and hears nothing of any buffer.
function M.disable()
  state.enabled = false
  local client = server.client()
  for bufnr in pairs(client and client.attached_buffers or {}) do
    vim.lsp.buf_detach_client(bufnr, client.id)
  end
  require('suture.status').changed()
end

function M.toggle()
  if state.enabled then
    M.disable()
  else
    M.enable()
  end
end

---@return boolean
function M.is_enabled()
  return state.enabled
end

--- How Suture is: for a status line, which the autocommand `User SutureStatus` says when to draw anew.
---@return suture.Status
function M.status()
  if state.set_up and not state.enabled then
    return { state = 'off', message = 'switched off', what_to_do = ':Suture enable' }
  end
  return vim.deepcopy(require('suture.status').current)
end

--- Stops the server and starts it again, with the settings as they are now.
function M.restart()
  server.stop(M.attach_wanted)
end

---@param part string name of a function of suture.text, or nil for all
---@return boolean
local function accept(part)
  local take = part and require('suture.text')[part] or function(whole)
    return whole
  end
  return backend().accept(take)
end

--- Accepts the shown suggestion; false when there is none, so that a mapping can do something else.
---@return boolean
function M.accept()
  return accept()
end

--- Accepts the next word of the shown suggestion.
---@return boolean
function M.accept_word()
  return accept('first_word')
end

--- Accepts the next line of the shown suggestion.
---@return boolean
function M.accept_line()
  return accept('first_line')
end

function M.next()
  backend().select(1)
end

function M.previous()
  backend().select(-1)
end

--- Hides the shown suggestion; false when there is none.
---@return boolean
function M.dismiss()
  return backend().dismiss()
end

return M
