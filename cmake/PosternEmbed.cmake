# Puts text files into a folder's library, so that a program needs no file beside it at run time.
#
#   postern_embed(services/orders NAME migrations FILES migrations/0001_orders.sql)
#
# defines in namespace postern::embedded the function `std::span<const EmbeddedFile> services_orders_migrations()`; the user declares
# it with POSTERN_EMBEDDED(services_orders_migrations) from wire/base/embedded.h. Names are the file names as given, in that order.

function(postern_embed folder)
  cmake_parse_arguments(arg "" "NAME" "FILES" ${ARGN})
  _postern_target_name(${folder} library)
  string(REPLACE "/" "_" prefix ${folder})
  set(symbol ${prefix}_${arg_NAME})
  set(out ${CMAKE_BINARY_DIR}/embedded/${symbol}.cc)
  list(TRANSFORM arg_FILES PREPEND ${CMAKE_SOURCE_DIR}/${folder}/ OUTPUT_VARIABLE paths)
  string(JOIN "|" joined ${arg_FILES})
  add_custom_command(OUTPUT ${out}
    COMMAND ${CMAKE_COMMAND} -DROOT=${CMAKE_SOURCE_DIR}/${folder} -DSYMBOL=${symbol} "-DFILES=${joined}" -DOUT=${out}
            -P ${CMAKE_SOURCE_DIR}/cmake/WriteEmbedded.cmake
    DEPENDS ${paths} ${CMAKE_SOURCE_DIR}/cmake/WriteEmbedded.cmake VERBATIM)
  target_sources(${library} PRIVATE ${out})
  if(NOT folder STREQUAL "wire/base")
    _postern_view(wire/base view)
    target_include_directories(${library} PRIVATE ${view})
  endif()
endfunction()
