# Tests: one program a folder, compiled without optimisation and in unity batches, because compiling is what tests cost here.
#
#   postern_test(unit.wire.base DEPENDS wire/base SOURCES json_test.cc)          sources relative to the caller's folder
#   postern_must_not_compile(secret_is_printed CONTROL secret_is_kept DEPENDS wire/base)
#
# A must-not-compile test runs the compiler on a file twice: as it stands, which must fail with the text in its line "// expect: TEXT",
# and with -DCONTROL, which must pass; so the test cannot pass because of an unrelated mistake.

function(postern_test name)
  if(NOT POSTERN_TESTS)
    return()
  endif()
  cmake_parse_arguments(arg "NO_UNITY" "TIMEOUT" "DEPENDS;LIBS;SOURCES;LABELS" ${ARGN})
  find_package(GTest REQUIRED)
  add_executable(${name} ${arg_SOURCES})
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
  if(NOT arg_NO_UNITY)
    set_target_properties(${name} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 8)
  endif()
  postern_use(${name} ${arg_DEPENDS})
  _postern_view(tests own)
  target_include_directories(${name} PRIVATE ${own})
  target_link_libraries(${name} PRIVATE GTest::gtest GTest::gtest_main ${arg_LIBS})
  _postern_options(${name})
  target_compile_options(${name} PRIVATE -O0 -Wno-unused-result)
  target_compile_definitions(${name} PRIVATE POSTERN_SOURCE_DIR="${CMAKE_SOURCE_DIR}" POSTERN_BIN_DIR="${CMAKE_RUNTIME_OUTPUT_DIRECTORY}")
  if(NOT arg_TIMEOUT)
    set(arg_TIMEOUT 60)
  endif()
  if(POSTERN_SANITIZE)
    math(EXPR arg_TIMEOUT "${arg_TIMEOUT} * 5")
  endif()
  include(GoogleTest)
  gtest_discover_tests(${name} TEST_PREFIX ${name}. DISCOVERY_MODE PRE_TEST PROPERTIES TIMEOUT ${arg_TIMEOUT} LABELS "${arg_LABELS}")
  set_property(GLOBAL APPEND PROPERTY POSTERN_TEST_SOURCES ${arg_SOURCES})
endfunction()

function(postern_must_not_compile name)
  if(NOT POSTERN_TESTS)
    return()
  endif()
  cmake_parse_arguments(arg "" "" "DEPENDS" ${ARGN})
  set(includes "")
  foreach(folder ${arg_DEPENDS})
    _postern_view(${folder} view)
    list(APPEND includes -I${view})
  endforeach()
  string(JOIN " " flags ${includes})
  add_test(NAME compile_fail.${name}
    COMMAND ${CMAKE_COMMAND} -DCXX=${CMAKE_CXX_COMPILER} "-DFLAGS=${flags}" -DFILE=${CMAKE_CURRENT_SOURCE_DIR}/${name}.cc
            -P ${CMAKE_SOURCE_DIR}/cmake/MustNotCompile.cmake)
endfunction()
