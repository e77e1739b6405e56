# One static library a folder, which sees the headers of the folders it names and of no other.
#
#   postern_folder(wire/oauth DEPENDS wire/base wire/transport LIBS OpenSSL::Crypto SOURCES jwk.cc jws.cc)
#
# An include view is a directory that holds one link, view/<folder with dots>/<folder> -> the source folder. A target gets the view
# of its own folder and of each folder in DEPENDS; an include of anything else ends in "No such file". Links are PRIVATE, so that a
# view never leaks to those who depend on a folder: what they include, they must name.

set(POSTERN_WARNINGS -Wall -Wextra -Wpedantic -Wswitch -Wconversion -Wshadow -Wnon-virtual-dtor -Woverloaded-virtual -Werror)

function(_postern_view folder out)
  string(REPLACE "/" "." dotted ${folder})
  set(view ${CMAKE_BINARY_DIR}/view/${dotted})
  if(NOT IS_SYMLINK ${view}/${folder})
    get_filename_component(parent ${view}/${folder} DIRECTORY)
    file(MAKE_DIRECTORY ${parent})
    file(CREATE_LINK ${CMAKE_SOURCE_DIR}/${folder} ${view}/${folder} SYMBOLIC)
  endif()
  set(${out} ${view} PARENT_SCOPE)
endfunction()

function(_postern_target_name folder out)
  string(REPLACE "/" "_" name ${folder})
  set(${out} postern_${name} PARENT_SCOPE)
endfunction()

function(_postern_options target)
  target_compile_options(${target} PRIVATE ${POSTERN_WARNINGS})
  if(POSTERN_SANITIZE)
    target_compile_options(${target} PRIVATE -fsanitize=${POSTERN_SANITIZE} -fno-omit-frame-pointer)
    target_link_options(${target} PRIVATE -fsanitize=${POSTERN_SANITIZE})
    if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
      target_compile_options(${target} PRIVATE -Wno-maybe-uninitialized)  # false alarms in instrumented code, as its manual says
    endif()
    if(POSTERN_SANITIZE MATCHES "undefined")
      target_compile_options(${target} PRIVATE -fno-sanitize-recover=undefined)  # what is only printed fails no test
    endif()
  endif()
  if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    target_compile_options(${target} PRIVATE -Wthread-safety)
  endif()
endfunction()

# Gives a target the views and the libraries of the named folders.
function(postern_use target)
  foreach(folder ${ARGN})
    _postern_view(${folder} view)
    _postern_target_name(${folder} library)
    target_include_directories(${target} PRIVATE ${view})
    target_link_libraries(${target} PRIVATE ${library})
  endforeach()
endfunction()

function(postern_folder folder)
  cmake_parse_arguments(arg "" "" "DEPENDS;LIBS;SOURCES" ${ARGN})
  _postern_target_name(${folder} name)
  _postern_view(${folder} view)
  list(TRANSFORM arg_SOURCES PREPEND ${CMAKE_SOURCE_DIR}/${folder}/)
  add_library(${name} STATIC ${arg_SOURCES})
  target_include_directories(${name} PRIVATE ${view})
  target_link_libraries(${name} PRIVATE ${arg_LIBS})
  postern_use(${name} ${arg_DEPENDS})
  _postern_options(${name})
  set_property(GLOBAL APPEND PROPERTY POSTERN_FOLDERS ${folder})
endfunction()

# A program: postern_program(postern-issuer SOURCES issuer/main.cc DEPENDS issuer wire/base)
function(postern_program program)
  cmake_parse_arguments(arg "" "" "DEPENDS;LIBS;SOURCES" ${ARGN})
  list(TRANSFORM arg_SOURCES PREPEND ${CMAKE_SOURCE_DIR}/)
  add_executable(${program} ${arg_SOURCES})
  target_link_libraries(${program} PRIVATE ${arg_LIBS})
  postern_use(${program} ${arg_DEPENDS})
  _postern_options(${program})
  set_property(GLOBAL APPEND PROPERTY POSTERN_PROGRAMS ${program})
endfunction()
