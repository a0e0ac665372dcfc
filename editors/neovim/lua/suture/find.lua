--- Finds the command that starts the server, and with it Suture's command line.
local config = require('suture.config')

local M = {}

--- The whole path of a program on the PATH, or nil. A file in the current folder is none, as on Windows or with `.` on the PATH.
---@param name string
---@return string?
local function on_path(name)
  local windows = vim.fn.has('win32') == 1
  for _, folder in ipairs(vim.split(vim.env.PATH or '', windows and ';' or ':')) do
    for _, ending in ipairs(windows and { '.exe', '.cmd', '.bat' } or { '' }) do
      local file = folder .. '/' .. name .. ending
      if folder:match('^/') or folder:match('^%a:[/\\]') or folder:match('^\\\\') then
        if vim.fn.executable(file) == 1 then
          return file
        end
      end
    end
  end
end

--- Whether an interpreter can import the server; -I keeps the user's own modules out of its way.
---@param interpreter string
---@return boolean
local function has_suture(interpreter)
  if vim.fn.executable(interpreter) == 0 then
    return false
  end
  local probe = "import importlib.util as u, sys; sys.exit(u.find_spec('suture') is None)"
  local command = { interpreter, '-I', '-c', probe }
  local ok, process = pcall(vim.system, command, { timeout = 5000, cwd = vim.uv.os_homedir() })
  return ok and process:wait().code == 0
end

--- The server that `make` has set up in the clone that this plugin lies in, or nil.
---@return string?
local function beside_the_plugin()
  local file = debug.getinfo(1, 'S').source:sub(2)
  local plugin = vim.fn.fnamemodify(vim.uv.fs_realpath(file) or file, ':h:h:h')
  local environment = vim.fn.fnamemodify(plugin, ':h:h') .. '/.venv'
  for _, program in ipairs({ environment .. '/bin/suture', environment .. '/Scripts/suture.exe' }) do -- the latter on Windows
    if vim.fn.executable(program) == 1 then
      return program
    end
  end
end

--- The command that starts the server and where it was found, or nil and what to do.
---@return string[]? command
---@return string explanation
function M.command()
  local settings = config.current
  if settings.cmd then
    return settings.cmd, "setting 'cmd'"
  end
  if settings.interpreter then
    return { vim.fn.expand(settings.interpreter), '-I', '-m', 'suture.lsp_server', 'serve' }, "setting 'interpreter'"
  end
  local executable = on_path('suture')
  if executable then
    return { executable, 'serve' }, 'suture on PATH'
  end
  executable = beside_the_plugin()
  if executable then
    return { executable, 'serve' }, 'beside the plugin'
  end
  local host = vim.g.python3_host_prog and vim.fn.expand(vim.g.python3_host_prog)
  host = host and (host:match('[/\\]') and host or on_path(host))
  for _, python in ipairs({ host or '', on_path('python3') or '', on_path('python') or '' }) do
    if python ~= '' and has_suture(python) then
      return { python, '-I', '-m', 'suture.lsp_server', 'serve' }, python
    end
  end
  return nil, "no server found: run `make neovim` in Suture's folder, or set 'interpreter' to a Python that has it"
end

local found ---@type { command: string[]?, explanation: string }?

--- Like command(), searched for only once: it may start an interpreter.
---@return string[]? command
---@return string explanation
function M.command_once()
  if not found then
    local command, explanation = M.command()
    found = { command = command, explanation = explanation }
  end
  return found.command, found.explanation
end

function M.forget()
  found = nil
end

--- A command of Suture's command line, or nil where the server is started by something else.
---@param ... string its words
---@return string[]?
function M.command_line(...)
  local command = M.command_once()
  for i = #(command or {}), 2, -1 do
    if command[i] == 'serve' then
      return vim.list_extend(vim.list_slice(command, 1, i - 1), { ... })
    end
  end
end

return M
