# Run by postern_embed() at build time: writes one .cc that holds the files as arrays of bytes, so that no character in them
# needs escaping.
string(REPLACE "|" ";" files "${FILES}")
set(rows "")
set(data "")
set(index 0)
foreach(name ${files})
  file(READ ${ROOT}/${name} hex HEX)
  string(LENGTH "${hex}" digits)
  math(EXPR size "${digits} / 2")
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${hex}")
  string(APPEND data "constexpr unsigned char kFile${index}[] = {${bytes}0};\n")
  string(APPEND rows "    {\"${name}\", {reinterpret_cast<const char*>(kFile${index}), ${size}}},\n")
  math(EXPR index "${index} + 1")
endforeach()
file(WRITE ${OUT} "#include \"wire/base/embedded.h\"
namespace postern::embedded {
namespace {
${data}}  // namespace
std::span<const EmbeddedFile> ${SYMBOL}();
std::span<const EmbeddedFile> ${SYMBOL}() {
  static const EmbeddedFile kFiles[] = {
${rows}  };
  return kFiles;
}
}  // namespace postern::embedded
")
