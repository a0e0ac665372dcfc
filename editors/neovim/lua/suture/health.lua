--- :checkhealth suture
local M = {}

local health = vim.health

local function check_neovim()
  local version = tostring(vim.version())
  if vim.fn.has('nvim-0.10') == 1 then
    health.ok('Neovim ' .. version .. ', suggestions drawn by: ' .. require('suture').backend())
  else
    health.error('Neovim ' .. version .. ' is too old', 'Suture needs 0.10 or later')
  end
end

local function check_command()
  local command, explanation = require('suture.server').command()
  if not command then
    health.error(explanation, {
      'pip install suture, in an environment whose `suture` is on PATH',
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
  if command[#command] ~= 'serve' then
    return
  end
  local version = vim.list_slice(command, 1, #command - 1)
  version[#version + 1] = '--version'
  local ok, process = pcall(vim.system, version, { text = true, timeout = 20000 })
  local result = ok and process:wait() or nil
  if result and result.code == 0 then
    health.ok(vim.trim(result.stdout))
  else
    local reason = result and vim.trim(result.stderr or '') or ''
    health.error('the server does not start: ' .. (reason:match('[^\n]*$') or ''), 'run it in a terminal: ' .. shown)
  end
end

local function check_client()
  local server = require('suture.server')
  local client = server.client()
  if not client then
    local filetypes = table.concat(require('suture.config').current.filetypes, ', ')
    health.info('the server is not running; it starts with the first buffer of filetype ' .. filetypes)
    return
  end
  health.ok(('running as client %d, positions in %s'):format(client.id, client.offset_encoding))
  if server.has_inline_completion(client) then
    health.ok('the server offers inline completion')
  else
    health.error('the server offers no inline completion', 'is the command really that of Suture?')
  end
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
