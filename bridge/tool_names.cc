#include "bridge/tool_names.h"

#include <algorithm>

#include "wire/base/check.h"
#include "wire/base/digest.h"
#include "wire/base/visible_text.h"

namespace postern::bridge {
namespace {

constexpr std::string_view kSeparator = "__";
constexpr std::string_view kShortened = "_xh";  // no escape begins like this: "h" is no hex digit
constexpr std::size_t kDigestDigits = 16;

bool is_plain(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
}

void append_escape(std::string& out, char c) {
  constexpr std::string_view kHex = "0123456789ABCDEF";
  const auto byte = static_cast<unsigned char>(c);
  out += "_x";
  out += kHex[byte >> 4U];
  out += kHex[byte & 15U];
  out += '_';
}

// What a person reads of a tool: its name for the model, and where it comes from when that does not say so.
std::string described(std::string_view server, std::string_view tool) {
  if (server.empty()) return visible_line(tool, 80) + " (of the desk)";
  return qualified_tool_name(server, tool) + " (" + visible_line(tool, 80) + " of " + std::string(server) + ")";
}

}  // namespace

bool is_model_tool_name(std::string_view name) {
  return !name.empty() && name.size() <= kToolNameBytesMax && std::all_of(name.begin(), name.end(), is_plain);
}

std::string escaped_tool_name(std::string_view tool) {
  std::string out;
  for (std::size_t at = 0; at < tool.size(); ++at) {
    const bool could_be_an_escape = tool[at] == '_' && at + 1 < tool.size() && tool[at + 1] == 'x';
    if (is_plain(tool[at]) && !could_be_an_escape) {
      out += tool[at];
    } else {
      append_escape(out, tool[at]);
    }
  }
  return out;
}

std::string qualified_tool_name(std::string_view server, std::string_view tool) {
  if (server.empty()) return std::string(tool);
  POSTERN_CHECK(server.find('_') == std::string_view::npos);
  std::string name = std::string(server) + std::string(kSeparator) + escaped_tool_name(tool);
  if (name.size() <= kToolNameBytesMax) return name;
  name.resize(kToolNameBytesMax - kShortened.size() - kDigestDigits);
  return name + std::string(kShortened) + sha256_hex(tool).substr(0, kDigestDigits);
}

std::string look_alike_key(std::string_view name) {
  std::string key;
  for (const char c : name) {
    if (c == '-' || c == '_' || c == '.') {
      if (key.empty() || key.back() != '-') key += '-';
    } else if (c == '1' || c == 'l' || c == 'L' || c == 'i' || c == 'I') {
      key += 'l';
    } else if (c == '0') {
      key += 'o';
    } else {
      key += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    }
  }
  return key;
}

Status ToolNames::add(std::string_view server, std::string_view tool) {
  const std::string name = qualified_tool_name(server, tool);
  // Of the whole name, not of the shortened one: what a person reads counts.
  const std::string key =
      look_alike_key(server.empty() ? std::string(tool) : std::string(server) + "__" + std::string(tool));
  const Added added{std::string(server), std::string(tool)};
  const auto alike = by_key_.find(key);
  const auto same = by_name_.find(name);
  const Added* other = alike != by_key_.end() ? &alike->second : same != by_name_.end() ? &same->second : nullptr;
  if (other != nullptr) {
    return ToolNamesAlike{described(other->server, other->tool), described(server, tool), added.server};
  }
  by_key_.emplace(key, added);
  by_name_.emplace(name, added);
  return {};
}

std::string ToolNamesAlike::text() const {
  return "Two tools have the same name or look alike: " + first + " and " + second +
         ". A model could call one for the other, so nothing is started.\n  Keep one of them from the model "
         "(\"offer\": false in the reviewed pins" +
         (server.empty() ? std::string() : " of " + server) + "), or name the server otherwise.";
}

}  // namespace postern::bridge
