# The one place that names third parties. Their include directories are the system's, so what confines them to the files that may
# use them is tests/architecture, not the build.

find_package(PkgConfig REQUIRED)
find_package(Threads REQUIRED)
find_package(OpenSSL REQUIRED)

# Debian's cpp-httplib is built with switches that change the layout of its classes. A unit that is compiled without the same
# switches crashes at run time, so nothing may include httplib.h without this target.
pkg_check_modules(httplib REQUIRED IMPORTED_TARGET cpp-httplib)
pkg_check_modules(spdlog REQUIRED IMPORTED_TARGET spdlog)
pkg_check_modules(sqlite3 REQUIRED IMPORTED_TARGET sqlite3)
pkg_check_modules(re2 REQUIRED IMPORTED_TARGET re2)

add_library(postern_httplib INTERFACE)
target_link_libraries(postern_httplib INTERFACE PkgConfig::httplib OpenSSL::SSL OpenSSL::Crypto Threads::Threads)
