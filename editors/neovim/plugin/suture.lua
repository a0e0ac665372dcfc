-- The :Suture command and the <Plug> mappings. Nothing starts before require('suture').setup().
if vim.g.loaded_suture then
  return
end
vim.g.loaded_suture = true

for _, action in ipairs({ 'accept', 'accept_word', 'accept_line', 'next', 'previous', 'dismiss', 'toggle' }) do
  vim.keymap.set('i', ('<Plug>(suture-%s)'):format(action:gsub('_', '-')), function()
    require('suture')[action]()
  end, { desc = 'Suture: ' .. action:gsub('_', ' ') })
end

local commands = {
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
    vim.cmd.checkhealth('suture')
  end,
}

vim.api.nvim_create_user_command('Suture', function(args)
  local run = commands[args.args]
  if run then
    run()
  else
    local known = vim.tbl_keys(commands)
    table.sort(known)
    vim.notify(('suture: no command "%s" (known: %s)'):format(args.args, table.concat(known, ', ')), vim.log.levels.ERROR)
  end
end, {
  nargs = 1,
  desc = 'Suture: enable, disable, toggle, restart, log, status',
  complete = function(lead)
    local known = vim.tbl_keys(commands)
    table.sort(known)
    return vim.tbl_filter(function(name)
      return vim.startswith(name, lead)
    end, known)
  end,
})
