--- Finds the server's command, starts the server and attaches buffers to it.
local config = require('suture.config')

local M = {}

M.name = 'suture'

--- Whether an interpreter can import the server; -I keeps the user's own modules out of its way.
---@param interpreter string
---@return boolean
local function has_suture(interpreter)
  if vim.fn.executable(interpreter) == 0 then
    return false
  end
  local probe = "import importlib.util as u, sys; sys.exit(u.find_spec('suture') is None)"
  local ok, process = pcall(vim.system, { interpreter, '-I', '-c', probe }, { timeout = 5000 })
  return ok and process:wait().code == 0
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
  local executable = vim.fn.exepath('suture')
  if executable ~= '' then
    return { executable, 'serve' }, 'suture on PATH'
  end
  for _, python in ipairs({ vim.g.python3_host_prog or '', 'python3', 'python' }) do
    if python ~= '' and has_suture(vim.fn.expand(python)) then
      return { vim.fn.exepath(vim.fn.expand(python)), '-I', '-m', 'suture.lsp_server', 'serve' }, python
    end
  end
  return nil, "no server found: `pip install suture`, or set 'interpreter' to a Python that has it"
end

--- The running client, if any.
---@return vim.lsp.Client?
function M.client()
  for _, client in ipairs(vim.lsp.get_clients({ name = M.name })) do
    if not (client.is_stopped and M.call(client, 'is_stopped')) then
      return client
    end
  end
end

--- Calls a client's method on every version: they became methods in 0.11, with a warning for the old form since.
function M.call(client, method, ...)
  if vim.fn.has('nvim-0.11') == 1 then
    return client[method](client, ...)
  end
  return client[method](...)
end

---@param client vim.lsp.Client
---@return boolean
function M.has_inline_completion(client)
  local provider = client.server_capabilities and client.server_capabilities.inlineCompletionProvider
  return provider ~= nil and provider ~= false and provider ~= vim.NIL
end

local complained = false

--- Tells the user once what keeps the server from running; the rest is in :checkhealth.
local function complain(message)
  if not complained then
    complained = true
    vim.schedule(function()
      vim.notify('suture: ' .. message .. ' (:checkhealth suture)', vim.log.levels.WARN)
    end)
  end
end

--- The settings that are the server's own.
---@return table
local function init_options()
  local options = vim.empty_dict() -- a plain empty table would be sent as a list
  options.model = config.current.model and vim.fn.expand(config.current.model)
  return options
end

--- Attaches a buffer, starting the server if it does not run: one server, so one model in memory, for all folders.
---@param bufnr integer
function M.attach(bufnr)
  local command, explanation = M.command_once()
  if not command then
    complain(explanation)
    return
  end
  local capabilities = vim.lsp.protocol.make_client_capabilities()
  local text_document = capabilities.textDocument or {}
  text_document.inlineCompletion = text_document.inlineCompletion or { dynamicRegistration = false }
  vim.lsp.start({
    name = M.name,
    cmd = command,
    -- Not the project: nothing that lies in it may change how the server starts.
    cmd_cwd = vim.uv.os_homedir(),
    root_dir = vim.fs.root(bufnr, { '.git', 'pyproject.toml', 'setup.py' }),
    capabilities = capabilities,
    init_options = init_options(),
  }, {
    bufnr = bufnr,
    reuse_client = function(client)
      return client.name == M.name
    end,
  })
end

--- Like command(), searched for only once: it may start an interpreter.
function M.command_once()
  if not M.found then
    local command, explanation = M.command()
    M.found = { command = command, explanation = explanation }
  end
  return M.found.command, M.found.explanation
end

--- Stops the server; `done` runs when it has ended.
---@param done? fun()
function M.stop(done)
  local client = M.client()
  complained = false
  M.found = nil
  if not client then
    return done and done()
  end
  M.call(client, 'stop')
  local timer = assert(vim.uv.new_timer())
  local waited_ms, step_ms, patience_ms = 0, 50, 2000
  timer:start(
    step_ms,
    step_ms,
    vim.schedule_wrap(function()
      waited_ms = waited_ms + step_ms
      if waited_ms == patience_ms then
        M.call(client, 'stop', true)
      end
      if vim.lsp.get_client_by_id(client.id) and waited_ms < 2 * patience_ms then
        return
      end
      if not timer:is_closing() then
        timer:close()
        if done then
          done()
        end
      end
    end)
  )
end

return M
