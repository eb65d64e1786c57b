execute_process(COMMAND git -C ${SOURCE} describe --always --abbrev=12 --exclude=*
  OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
# Ignore docs/: a running suite writes records and tables there, which do not change the program.
execute_process(COMMAND git -C ${SOURCE} status --porcelain --untracked-files=no -- . :!docs
  OUTPUT_VARIABLE changes ERROR_QUIET)
if(NOT commit)
  set(commit "unknown")
elseif(changes)
  string(APPEND commit "-dirty")
endif()
set(text "\"${commit}\"\n")
set(old "")
if(EXISTS ${OUT})
  file(READ ${OUT} old)
endif()
if(NOT old STREQUAL text)
  file(WRITE ${OUT} "${text}")
endif()
