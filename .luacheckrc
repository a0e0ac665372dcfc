-- `make lint-editors` runs luacheck where it is installed.
std = "luajit"
read_globals = { "vim" }
-- Fields of `vim` are set: options and buffers' variables.
globals = { "vim.b", "vim.bo", "vim.g", "vim.o", "vim.wo", "vim.opt" }
max_line_length = 120
max_comment_line_length = 130
