#include "host/ladder/wire_entry_text.h"

#include "wire/base/visible_text.h"

namespace postern::host {
namespace {

constexpr std::size_t kTextMax = 300;
constexpr JsonBounds kBodyBounds{16 * 1024 * 1024, 64};

std::string id_of(const Json& message) {
  const Json* const id = message.find("id");
  return id == nullptr ? std::string()
                       : " id " + visible_line(id->string() != nullptr ? *id->string() : id->dump(), 60);
}

}  // namespace

std::optional<Json> message_of(const WireEntry& entry) {
  if (entry.is_note || entry.body.find("\"jsonrpc\"") == std::string::npos) return std::nullopt;
  if (auto whole = parse_json(entry.body, kBodyBounds); whole && whole->has("jsonrpc")) return *std::move(whole);
  // An event stream: the first data line that holds one.
  std::string_view rest = entry.body;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find_first_of("\r\n"), rest.size());
    std::string_view line = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    if (line.substr(0, 5) != "data:") continue;
    line.remove_prefix(line.substr(5, 1) == " " ? 6 : 5);
    if (auto message = parse_json(line, kBodyBounds); message && message->has("jsonrpc")) return *std::move(message);
  }
  return std::nullopt;
}

std::string direction_of(const WireEntry& entry) {
  return visible_line(entry.from, 40) + "->" + visible_line(entry.to, 40);
}

std::string message_line(const Json& message) {
  if (const std::string_view method = message.string_at("method"); !method.empty()) {
    std::string line = visible_line(method, 80);
    if (const Json* const parameters = message.find("params")) {
      for (const char* member : {"name", "uri"}) {
        if (const std::string_view name = parameters->string_at(member); !name.empty())
          line += " " + visible_line(name, 80);
      }
    }
    return line + id_of(message);
  }
  if (const Json* const error = message.find("error")) {
    const auto code = error->integer_at("code");
    return "error " + (code ? std::to_string(*code) : std::string("without a code")) + " " +
           visible_line(error->string_at("message"), 120) + id_of(message);
  }
  std::string line = "result";
  if (const Json* const result = message.find("result")) {
    if (const std::string_view type = result->string_at("resultType"); !type.empty() && type != "complete")
      line += " " + visible_line(type, 40);
    if (result->boolean_at("isError").value_or(false)) line += " isError";
  }
  return line + id_of(message);
}

std::string http_line(const WireEntry& entry, std::string_view path) {
  std::string line;
  if (const auto status = entry.status()) {
    line = std::to_string(*status) + " " + visible_line(path, kTextMax);
  } else {
    line = visible_line(entry.method(), 40) + " " + visible_line(entry.path(), kTextMax);
  }
  for (const char* name : {"mcp-method", "mcp-name", "authorization", "www-authenticate", "location", "retry-after"}) {
    const std::string_view value = entry.header(name);
    if (!value.empty()) line += std::string(" | ") + name + ": " + visible_line(value, kTextMax);
  }
  return line;
}

std::string note_text(const WireEntry& entry) {
  return visible_line(entry.details.string_at("text"), kTextMax);
}

std::string note_line(const WireEntry& entry) {
  const std::string text = note_text(entry);
  return visible_line(entry.subject, 120) + ": " +
         (text.empty() ? std::string(entry.to_read ? "to read" : "ok") : text);
}

std::string quoted(std::string_view text, std::size_t width_max) {
  return "\"" + visible_line(text, width_max) + "\"";
}

}  // namespace postern::host
