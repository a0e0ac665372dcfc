--- What `:Suture` can do.
local config = require('suture.config')
local find = require('suture.find')
local server = require('suture.server')
local status = require('suture.status')

local M = {}

local INFO, WARN, ERROR = vim.log.levels.INFO, vim.log.levels.WARN, vim.log.levels.ERROR

local function say(message, level)
  vim.notify('suture: ' .. message, level or INFO)
end

--- Suture's command line with some words, or nil after a message.
---@param ... string
---@return string[]?
local function command_line(...)
  local command = find.command_line(...)
  if not command then
    local _, explanation = find.command_once()
    local own = config.current.cmd and "the setting 'cmd' has no `serve`, so its other commands are not known"
    say(own or explanation, WARN)
  end
  return command
end

--- Runs a command in a window of its own below the others.
---@param command string[]
---@param done? fun(code: integer)
local function in_terminal(command, done)
  vim.cmd('botright 15new')
  vim.bo.bufhidden = 'wipe'
  local options = {
    cwd = vim.uv.os_homedir(),
    on_exit = function(_, code)
      if done then
        done(code)
      end
    end,
  }
  if vim.fn.has('nvim-0.11') == 1 then
    options.term = true
    vim.fn.jobstart(command, options)
  else
    vim.fn.termopen(command, options)
  end
  vim.cmd('normal! G') -- follows the output
end

--- Runs a command without a window; `done` gets what it printed.
---@param command string[]
---@param done fun(output: string, complaints: string)
local function run(command, done)
  local function on_exit(result)
    vim.schedule(function()
      if result.code == 0 then
        done(result.stdout or '', vim.trim(result.stderr or ''))
      else
        local reason = vim.trim(result.stderr or ''):match('[^\n]*$'):gsub('^suture: ', '')
        say(reason ~= '' and reason or ('exit code %d'):format(result.code), ERROR)
      end
    end)
  end
  local ok, problem = pcall(vim.system, command, { text = true, cwd = vim.uv.os_homedir() }, on_exit)
  if not ok then
    say(tostring(problem), ERROR)
  end
end

---@class suture.Model A row of `suture models --json`; an older server says less.
---@field name string
---@field active boolean
---@field here boolean
---@field hub? string
---@field bytes? integer
---@field licence? string
---@field note string
---@field recommended? boolean
---@field wait_ms? integer
---@field commercial? boolean
---@field install? string the command line that installs what it needs and is missing

---@param model suture.Model
---@return string
local function described(model)
  local parts = { (model.active and '* ' or '  ') .. model.name }
  if model.recommended == true then
    parts[#parts + 1] = 'suits this machine'
  end
  if type(model.bytes) == 'number' then
    parts[#parts + 1] = model.bytes < 1e9 and ('%.0f MB'):format(model.bytes / 1e6)
      or ('%.1f GB'):format(model.bytes / 1e9)
  end
  if type(model.licence) == 'string' then
    parts[#parts + 1] = model.licence
  end
  if model.commercial == false then
    parts[#parts + 1] = 'no commercial use'
  end
  if type(model.wait_ms) == 'number' then
    parts[#parts + 1] = ('about %.1f s'):format(math.max(model.wait_ms, 100) / 1000)
  end
  if type(model.install) == 'string' then
    parts[#parts + 1] = 'something has to be installed first'
  end
  parts[#parts + 1] = model.here and 'on this machine' or 'to be downloaded'
  return table.concat(parts, ', ')
end

--- Loads a model once and makes it the one that all editors use; servers that run take it by themselves.
---@param name string
local function use(name)
  local command = command_line('models', 'use', name)
  if not command then
    return
  end
  say('trying ' .. name .. '...')
  run(command, function(_, complaints)
    say('the model is ' .. name .. (complaints ~= '' and '; ' .. complaints or ''))
    if config.current.model then
      say(("setup() names the model '%s', which counts again at the next start"):format(config.current.model), WARN)
      config.current.model = nil
      require('suture').restart()
    end
  end)
end

--- Goes on when nothing is missing any more; what is missing is installed in a terminal, after asking.
---@param name string
---@param install? string
---@param go_on fun()
local function installed(name, install, go_on)
  if type(install) ~= 'string' then
    return go_on()
  end
  local prompt = ('%s needs something that is not installed yet. It is installed with `%s`:'):format(name, install)
  vim.ui.select({ 'install it', 'leave it' }, { prompt = prompt }, function(choice)
    if choice == 'install it' then
      in_terminal({ vim.o.shell, vim.o.shellcmdflag, install }, function(code)
        if code == 0 then
          go_on()
        end
      end)
    end
  end)
end

---@param model suture.Model
local function download(model)
  local question = ('%s is not on this machine'):format(model.name)
  vim.ui.select({ 'download it', 'leave it' }, { prompt = question .. ':' }, function(choice)
    local command = choice == 'download it' and command_line('models', 'pull', model.name)
    if command then
      in_terminal(command, function(code)
        if code == 0 then
          use(model.name)
        end
      end)
    end
  end)
end

--- What has to be installed for GGUF files, by what the presets of that kind need.
---@param models suture.Model[]
---@return string?
local function needed_for_gguf(models)
  for _, model in ipairs(models) do
    if type(model.hub) == 'string' and vim.endswith(model.hub:lower(), 'gguf') then
      return type(model.install) == 'string' and model.install or nil
    end
  end
end

--- Models that are not in the list: each asks for its own name.
---@param models suture.Model[]
local function others(models)
  local function asks(prompt, completion, go_on)
    return function()
      vim.ui.input({ prompt = prompt, completion = completion }, function(said)
        if said and said ~= '' then
          go_on(said)
        end
      end)
    end
  end
  local file = asks('GGUF file: ', 'file', function(said)
    use(vim.fn.fnamemodify(vim.fn.expand(said), ':p'))
  end)
  return {
    {
      label = '  GGUF file...',
      choose = function()
        installed('a GGUF file', needed_for_gguf(models), file)
      end,
    },
    { label = '  Server address...', choose = asks('Address (http://127.0.0.1:8080/v1#name): ', nil, use) },
  }
end

--- Lets the user choose a model, or takes the one that is named.
---@param name? string
local function choose_model(name)
  local command = command_line('models', '--json')
  if not command then
    return
  end
  if name then
    local path = vim.fn.expand(name)
    return use(vim.uv.fs_stat(path) and vim.fn.fnamemodify(path, ':p') or name)
  end
  run(command, function(output)
    local ok, models = pcall(vim.json.decode, output)
    if not ok then
      return say('the list of models cannot be read', ERROR)
    end
    local function rank(model)
      return model.active and 0 or model.recommended == true and 1 or model.here and 2 or 3
    end
    local at = {}
    for index, model in ipairs(models) do
      at[model] = index
    end
    table.sort(models, function(a, b)
      local first, second = rank(a), rank(b)
      return first < second or (first == second and at[a] < at[b])
    end)
    local function format(item)
      return item.label or described(item)
    end
    local items = vim.list_extend(models, others(models))
    vim.ui.select(items, { prompt = 'Model:', format_item = format }, function(item)
      if item and item.choose then
        item.choose()
      elseif item then
        installed(item.name, item.install, function()
          (item.here and use or download)(item.here and item.name or item)
        end)
      end
    end)
  end)
end

---@param minutes number
---@param result_in_words string
local function snooze(minutes, result_in_words)
  local sent = server.execute('suture.snooze', { minutes }, function(result)
    say(type(result) == 'table' and result.state == 'snoozed' and result.message or result_in_words)
    local drawing = require('suture').drawing()
    if minutes > 0 then
      drawing.clear()
    else
      drawing.refresh()
    end
  end)
  if not sent then
    say('the server is not running', WARN)
  end
end

---@type table<string, fun(argument?: string)>
M.commands = {
  enable = function()
    require('suture').enable()
  end,
  disable = function()
    require('suture').disable()
  end,
  toggle = function()
    require('suture').toggle()
  end,
  restart = function()
    require('suture').restart()
  end,
  log = function()
    vim.cmd.tabedit(vim.fn.fnameescape(require('vim.lsp.log').get_filename()))
  end,
  status = function()
    local line = status.line()
    local cut = vim.tbl_filter(function(message)
      return not line:find((message:gsub('^suture: ', '')), 1, true)
    end, require('suture.notice').cut)
    say(table.concat({ line, unpack(cut) }, '\n'))
  end,
  snooze = function(argument)
    local minutes = tonumber(argument or 10)
    if not minutes or minutes <= 0 then
      return say(('"%s" is no number of minutes'):format(argument), WARN)
    end
    snooze(minutes, 'snoozed')
  end,
  wake = function()
    snooze(0, 'awake')
  end,
  model = choose_model,
  answer = function()
    if not require('suture.questions').answer() then
      say('the server has asked nothing')
    end
  end,
  stop_download = function()
    server.execute('suture.stopDownload', {}, function()
      say('the download is stopped; what has come of it stays')
    end)
  end,
  doctor = function()
    local command = command_line('doctor', '--folder', server.root(0) or vim.fn.getcwd())
    if command then
      in_terminal(
        vim.list_extend(command, config.current.model and { '--model', vim.fn.expand(config.current.model) } or {})
      )
    end
  end,
  stats = function()
    local command = command_line('stats')
    if command then
      in_terminal(command)
    end
  end,
}

---@return string[]
function M.names()
  local names = vim.tbl_keys(M.commands)
  table.sort(names)
  return names
end

--- Runs `:Suture` with its words.
---@param words string[]
function M.run(words)
  local command = M.commands[words[1]]
  if command then
    command(words[2])
  else
    say(('no command "%s" (known: %s)'):format(words[1], table.concat(M.names(), ', ')), WARN)
  end
end

return M
