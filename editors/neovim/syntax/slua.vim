" sLua: Lua with types; see docs/slua.md of Suture.
if exists('b:current_syntax')
  finish
endif
syntax keyword sluaStatement break do else elseif end for if return then while
syntax keyword sluaOperator and not or
syntax keyword sluaStorage function interface local
syntax keyword sluaBoolean true false
syntax keyword sluaType boolean number string void
syntax match sluaNumber /\<\%(0[xX]\x\+\|\d\+\%(\.\d\+\)\?\%([eE][+-]\?\d\+\)\?\)\>/
syntax region sluaString start=/"/ skip=/\\./ end=/"/ oneline
syntax region sluaString start=/'/ skip=/\\./ end=/'/ oneline
syntax match sluaComment /--.*$/ contains=@Spell
syntax region sluaComment start=/--\[\[/ end=/\]\]/ contains=@Spell
syntax match sluaFunction /\<\h\w*\>\ze\s*(/
highlight default link sluaStatement Statement
highlight default link sluaOperator Operator
highlight default link sluaStorage Keyword
highlight default link sluaBoolean Boolean
highlight default link sluaType Type
highlight default link sluaNumber Number
highlight default link sluaString String
highlight default link sluaComment Comment
highlight default link sluaFunction Function
let b:current_syntax = 'slua'
