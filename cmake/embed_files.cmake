# Writes {"path below ROOT without ending", R"toml(...)toml"}, for every file.
set(text "")
foreach(file ${FILES})
  file(RELATIVE_PATH name ${ROOT} ${file})
  string(REGEX REPLACE "\\.toml$" "" name ${name})
  file(READ ${file} content)
  string(APPEND text "{\"${name}\", R\"toml(${content})toml\"},\n")
endforeach()
file(WRITE ${OUT} "${text}")
