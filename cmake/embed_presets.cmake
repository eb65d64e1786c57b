# Writes {"name", R"toml(...)toml"}, for every preset file.
set(text "")
foreach(file ${FILES})
  get_filename_component(name ${file} NAME_WE)
  file(READ ${file} content)
  string(APPEND text "{\"${name}\", R\"toml(${content})toml\"},\n")
endforeach()
file(WRITE ${OUT} "${text}")
