--- Settings: the defaults, and their checks.
local M = {}

---@class suture.Config
---@field cmd? string[] The whole command that starts the server; found when nil.
---@field interpreter? string A Python interpreter that has `suture` installed.
---@field model? string A model's folder or name; the embedded model when nil.
---@field settings table<string, any> The server's own settings, such as `max_lines`.
---@field trusted boolean|string[] Whether a folder's `pyproject.toml` may choose model, device and grammars; or which.
---@field offer boolean Whether the server may offer, once, the model that suits this machine.
---@field filetypes string[] Filetypes that get suggestions.
---@field enabled boolean Whether suggestions are on from the start.
---@field backend 'auto'|'native'|'extmark' Who draws: Neovim's own module, this plugin, or whichever fits the version.
---@field delay_ms integer Pause in typing before a request ('extmark' only; Neovim's own waits 200 ms).
---@field streaming boolean Whether a suggestion is drawn while it is still being made ('extmark' only).
---@field keys table<string, string> Insert mode keys by action; none by default.
local defaults = {
  cmd = nil,
  interpreter = nil,
  model = nil,
  settings = {},
  trusted = false,
  offer = true,
  -- Those behind slua are checked by tree-sitter; the server says whether they are on.
  filetypes = {
    'python', 'go', 'typescript', 'typescriptreact', 'javascript', 'javascriptreact', 'json', 'slua',
    'rust', 'java', 'c', 'cpp', 'cs', 'ruby', 'php', 'sh', 'bash', 'css', 'html', 'yaml', 'toml',
  },
  enabled = true,
  backend = 'auto',
  delay_ms = 75,
  streaming = true,
  keys = {},
}

--- The actions that a key can be mapped to; each is also a function of `require('suture')` and a `<Plug>` mapping.
M.actions = { 'accept', 'accept_word', 'accept_line', 'next', 'previous', 'dismiss', 'toggle' }

---@type suture.Config
M.current = vim.deepcopy(defaults)

local types = {
  cmd = { 'table' },
  interpreter = { 'string' },
  model = { 'string' },
  settings = { 'table' },
  trusted = { 'boolean', 'table' },
  offer = { 'boolean' },
  filetypes = { 'table' },
  enabled = { 'boolean' },
  backend = { 'string' },
  delay_ms = { 'number' },
  streaming = { 'boolean' },
  keys = { 'table' },
}

--- Says what is wrong with one setting, or nil.
---@return string?
local function problem(name, value)
  if not types[name] then
    return ("unknown setting '%s'"):format(name)
  elseif not vim.tbl_contains(types[name], type(value)) then
    return ("setting '%s' must be a %s"):format(name, table.concat(types[name], ' or a '))
  elseif name == 'backend' and not vim.tbl_contains({ 'auto', 'native', 'extmark' }, value) then
    return "setting 'backend' must be 'auto', 'native' or 'extmark'"
  elseif name == 'keys' then
    for action in pairs(value) do
      if not vim.tbl_contains(M.actions, action) then
        return ("setting 'keys': unknown action '%s' (known: %s)"):format(action, table.concat(M.actions, ', '))
      end
    end
  end
end

--- Takes the user's settings over the defaults; one that is wrong is left at its default and said.
---@param options? table
---@return string[] problems
function M.set(options)
  local problems = {}
  local config = vim.deepcopy(defaults)
  for name, value in pairs(options or {}) do
    local message = problem(name, value)
    if message then
      problems[#problems + 1] = message
    else
      config[name] = value
    end
  end
  M.current = config
  table.sort(problems)
  return problems
end

return M
