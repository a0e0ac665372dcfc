--- :checkhealth suture
local find = require('suture.find')
local server = require('suture.server')

local M = {}

local health = vim.health
local PATIENCE_MS = 30000 -- the first import of torch after a boot is slow

local function check_neovim()
  local version = tostring(vim.version())
  if vim.fn.has('nvim-0.10') == 1 then
    health.ok('Neovim ' .. version .. ', suggestions drawn by: ' .. require('suture').backend())
  else
    health.error('Neovim ' .. version .. ' is too old', 'Suture needs 0.10 or later')
  end
end

--- What `suture doctor` finds before it loads the model, which would take seconds and its memory once more.
---@param command string[]
local function check_installation(command)
  local findings, rest, ended = {}, '', nil
  local ok, process = pcall(vim.system, vim.list_extend(command, { '--json' }), {
    text = true,
    cwd = vim.uv.os_homedir(),
    stdout = function(_, data)
      rest = rest .. (data or '')
      for line in rest:gmatch('([^\n]*)\n') do
        local read, finding = pcall(vim.json.decode, line)
        findings[#findings + 1] = read and finding or nil
      end
      rest = rest:match('[^\n]*$')
    end,
  }, function(result)
    ended = result
  end)
  if not ok then
    return health.error(tostring(process))
  end
  vim.wait(PATIENCE_MS, function()
    local last = findings[#findings]
    return ended ~= nil or (last ~= nil and (last.check == 'grammars' or last.check == 'model'))
  end, 20)
  process:kill('sigterm')
  for _, finding in ipairs(findings) do
    local report = ({ ok = health.ok, warning = health.warn, error = health.error })[finding.level] or health.info
    report(('%s: %s'):format(finding.check, finding.found), finding.advice ~= '' and finding.advice or nil)
  end
  if #findings == 0 then
    local reason = ended and vim.trim(ended.stderr or ''):match('[^\n]*$') or 'it does not answer'
    health.error('the server does not start: ' .. reason, 'run in a terminal: ' .. table.concat(command, ' '))
  end
end

local function check_command()
  local command, explanation = find.command()
  if not command then
    health.error(explanation, {
      "run `make neovim` in Suture's folder, or install it into an environment whose `suture` is on PATH",
      "or require('suture').setup({ interpreter = '/path/to/python' })",
    })
    return
  end
  local shown = table.concat(command, ' ')
  if vim.fn.executable(command[1]) == 0 then
    health.error(('%s (%s) cannot be run'):format(shown, explanation))
    return
  end
  health.ok(('server: %s (%s)'):format(shown, explanation))
  find.forget()
  local doctor = find.command_line('doctor')
  if doctor then
    check_installation(doctor)
  else
    health.info('the command has no `serve`, so the installation behind it cannot be examined')
  end
end

local function check_client()
  local client = server.client()
  if not client then
    local filetypes = table.concat(require('suture.config').current.filetypes, ', ')
    health.info('the server is not running; it starts with the first buffer of filetype ' .. filetypes)
    return
  end
  local info = client.server_info or {}
  local version = info.version and (' %s %s'):format(info.name, info.version) or ''
  health.ok(('running%s as client %d, positions in %s'):format(version, client.id, client.offset_encoding))
  if server.has_inline_completion(client) then
    health.ok('the server offers inline completion')
  else
    health.error('the server offers no inline completion', 'is the command really that of Suture?')
  end
  local status = require('suture.status')
  local report = status.current.state == 'error' and health.error or health.ok
  report('status: ' .. status.line())
  local attached = vim.tbl_count(client.attached_buffers)
  health.info(('%d buffer%s attached'):format(attached, attached == 1 and '' or 's'))
end

function M.check()
  health.start('suture')
  check_neovim()
  if vim.fn.has('nvim-0.10') == 0 then
    return
  end
  if require('suture').is_enabled() then
    health.ok('suggestions are on')
  else
    health.warn('suggestions are off', "call require('suture').setup(), or :Suture enable")
  end
  check_command()
  check_client()
end

return M
