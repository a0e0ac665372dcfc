-- The :Suture command and the <Plug> mappings. Nothing starts before require('suture').setup().
if vim.g.loaded_suture then
  return
end
vim.g.loaded_suture = true

vim.filetype.add({ extension = { slua = 'slua' } })

for _, action in ipairs({ 'accept', 'accept_word', 'accept_line', 'next', 'previous', 'dismiss', 'toggle' }) do
  vim.keymap.set('i', ('<Plug>(suture-%s)'):format(action:gsub('_', '-')), function()
    require('suture')[action]()
  end, { desc = 'Suture: ' .. action:gsub('_', ' ') })
end

vim.api.nvim_create_user_command('Suture', function(args)
  require('suture.commands').run(args.fargs)
end, {
  nargs = '+',
  desc = 'Suture: enable, disable, snooze, model, doctor and others',
  complete = function(lead, line)
    if line:match('^%S+%s+%S*$') == nil then
      return {}
    end
    return vim.tbl_filter(function(name)
      return vim.startswith(name, lead)
    end, require('suture.commands').names())
  end,
})
