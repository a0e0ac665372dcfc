-- Settings of buffers with scripts of sLua.
vim.bo.commentstring = '-- %s'
vim.bo.comments = ':--'
vim.b.undo_ftplugin = 'setlocal commentstring< comments<'
