--- Starts the server, attaches buffers to it, and starts it again when it has crashed.
local config = require('suture.config')
local find = require('suture.find')
local status = require('suture.status')

local M = {}

M.name = 'suture'

local MARKERS = { '.git', 'pyproject.toml', 'setup.py' }
local CRASHES, WITHIN_S, PAUSE_MS = 3, 180, 500 -- so many crashes in that time are started again after that pause

--- The folder of a buffer's project, if it lies in one.
---@param bufnr integer
---@return string?
function M.root(bufnr)
  return vim.fs.root(bufnr, MARKERS)
end

--- Whether a client is one that buffers can be attached to, be it still starting.
---@param client vim.lsp.Client
---@return boolean
local function is_ours(client)
  return client.name == M.name and not M.call(client, 'is_stopped')
end

--- The running client, if any.
---@return vim.lsp.Client?
function M.client()
  return vim.iter(vim.lsp.get_clients({ name = M.name })):find(is_ours)
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

--- Whether the user trusts a folder to choose model, device and grammars.
---@param root? string
---@return boolean
local function trusted(root)
  local setting = config.current.trusted
  if type(setting) == 'boolean' then
    return setting
  end
  for _, folder in ipairs(root and setting or {}) do
    folder = vim.fs.normalize(vim.fn.fnamemodify(vim.fn.expand(folder), ':p')):gsub('/$', '')
    if root == folder or vim.startswith(root, folder .. '/') then
      return true
    end
  end
  return false
end

--- What the server is told at its start: its own settings, and what this client can do.
---@param root? string
---@return table
local function init_options(root)
  local options = vim.deepcopy(config.current.settings)
  options.model = config.current.model and vim.fn.expand(config.current.model) or options.model
  options.statusNotification = true
  options.replaceClosers = true
  local draws = require('suture').backend() == 'extmark'
  options.snippets = draws -- Neovim's own drawing shows how a snippet is written
  options.imports = draws
  options.streaming = config.current.streaming and draws
  options.workspaceTrusted = trusted(root)
  options.modelOffer = config.current.offer
  return options
end

---@type table<string, lsp.Handler>
local handlers = {
  ['suture/status'] = function(_, params)
    status.set(params)
  end,
  ['suture/partialSuggestion'] = function(_, params, context)
    require('suture.extmark').partial(context.client_id, params)
  end,
  ['window/showMessageRequest'] = function(_, params)
    return require('suture.questions').ask(params)
  end,
  ['window/showMessage'] = function(_, params)
    status.tell(params.message, ({ vim.log.levels.ERROR, vim.log.levels.WARN })[params.type] or vim.log.levels.INFO)
  end,
}

local stopping = {} ---@type table<integer, true> clients that the user has stopped
local crashed_s = {} ---@type number[] when the server crashed

--- After the end of a server: one that nobody has asked for is made good, unless it happens again and again.
local function on_exit(code, signal, client_id)
  require('suture.questions').forget()
  if stopping[client_id] or vim.v.exiting ~= vim.NIL then
    stopping[client_id] = nil
    return vim.schedule(status.stopped)
  end
  local now = vim.uv.hrtime() / 1e9
  crashed_s = vim.tbl_filter(function(at)
    return now - at < WITHIN_S
  end, crashed_s)
  crashed_s[#crashed_s + 1] = now
  local again = #crashed_s < CRASHES
  vim.schedule(function()
    local how = ('the server ended with exit code %d and signal %d'):format(code, signal)
    if again then
      status.stopped()
      vim.defer_fn(require('suture').attach_wanted, PAUSE_MS)
    else
      status.set({ state = 'error', message = how, what_to_do = ':Suture log says why, :Suture restart starts it' })
    end
  end)
end

--- Lets the server know of a folder; what lies in one that is not trusted must not count where the first one is.
---@param client vim.lsp.Client
---@param root? string
local function add_folder(client, root)
  local folders = client.workspace_folders or {}
  for _, folder in ipairs(folders) do
    if not root or folder.name == root then
      return
    end
  end
  if not root or (trusted(folders[1] and folders[1].name) and not trusted(root)) then
    return
  end
  local folder = { uri = vim.uri_from_fname(root), name = root }
  client.workspace_folders = vim.list_extend(vim.list_extend({}, folders), { folder })
  M.call(client, 'notify', 'workspace/didChangeWorkspaceFolders', { event = { added = { folder }, removed = {} } })
end

--- Lets the server know of the folders of the files that were opened while it started.
---@param client vim.lsp.Client
local function add_folders(client)
  for bufnr in pairs(client.attached_buffers) do
    add_folder(client, M.root(bufnr))
  end
end

--- Attaches a buffer, starting the server if it does not run: one server, so one model in memory, for all folders.
---@param bufnr integer
function M.attach(bufnr)
  local command, explanation = find.command_once()
  if not command then
    status.tell(explanation .. ' (:checkhealth suture)', vim.log.levels.WARN)
    return
  end
  local root = M.root(bufnr)
  local capabilities = vim.lsp.protocol.make_client_capabilities()
  local text_document = capabilities.textDocument or {}
  text_document.inlineCompletion = text_document.inlineCompletion or { dynamicRegistration = false }
  if status.current.state == 'stopped' then
    status.starting()
  end
  local client_id = vim.lsp.start({
    name = M.name,
    cmd = command,
    -- Not the project: nothing that lies in it may change how the server starts.
    cmd_cwd = vim.uv.os_homedir(),
    root_dir = root,
    capabilities = capabilities,
    init_options = init_options(root),
    handlers = handlers,
    on_init = add_folders,
    on_exit = on_exit,
  }, { bufnr = bufnr, reuse_client = is_ours })
  local client = client_id and vim.lsp.get_client_by_id(client_id)
  if not client then
    status.stopped()
  elseif client.initialized then
    add_folder(client, root)
  end
end

--- Runs a command of the server; `done` gets its result.
---@param command string
---@param arguments any[]
---@param done fun(result: any)
---@return boolean sent
function M.execute(command, arguments, done)
  local client = M.client()
  if not client then
    return false
  end
  local params = { command = command, arguments = arguments }
  M.call(client, 'request', 'workspace/executeCommand', params, function(err, result)
    if err then
      vim.notify(('suture: %s failed: %s'):format(command, err.message), vim.log.levels.ERROR)
    else
      done(result)
    end
  end)
  return true
end

--- Stops the server; `done` runs when it has ended.
---@param done? fun()
function M.stop(done)
  local client = M.client()
  crashed_s = {}
  status.forget()
  find.forget()
  if not client then
    status.stopped()
    return done and done()
  end
  stopping[client.id] = true
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
