-- `scripts/lint_editors.sh` runs luacheck where it is installed.
std = "luajit"
read_globals = { "vim" }
-- Fields of `vim` are set: options, and variables of buffers and events.
globals = { "vim.b", "vim.bo", "vim.g", "vim.o", "vim.wo", "vim.opt", "vim.v" }
max_line_length = 120
max_comment_line_length = 130
