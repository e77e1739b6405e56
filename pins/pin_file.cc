#include "pins/pin_file.h"

#include <algorithm>
#include <set>

#include "wire/base/embedded.h"
#include "wire/base/visible_text.h"
#include "wire/mcp/codec.h"

POSTERN_EMBEDDED(pins_reviewed)

namespace postern::pins {
namespace {

constexpr std::string_view kSchema = "postern.pins/1";
constexpr std::size_t kBytesMax = 4 * 1024 * 1024;

Failure bad(std::string reason) {
  return BadPinFile{std::move(reason)};
}

// "2026-11-12": a date and nothing else.
bool is_date(std::string_view text) {
  if (text.size() != 10) return false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool dash = i == 4 || i == 7;
    if (dash ? text[i] != '-' : (text[i] < '0' || text[i] > '9')) return false;
  }
  return true;
}

Result<ReviewedTool> read_tool_entry(const Json& entry) {
  const Json* definition = entry.find("definition");
  if (definition == nullptr) return bad("a tool has no definition");
  POSTERN_TRY(mcp::Tool tool, mcp::read_tool(*definition));
  ReviewedTool reviewed;
  reviewed.pin = pin_of(tool);
  reviewed.definition = *definition;
  const std::string shown = visible_line(tool.name, 80);
  if (entry.string_at("name") != tool.name) return bad("the entry of " + shown + " names another tool");
  if (entry.string_at("digest") != reviewed.pin.digest) {
    return bad("the digest of " + shown + " is not that of its definition");
  }
  for (const auto& [mark, target] : {std::pair{"confirm", &reviewed.confirm}, std::pair{"offer", &reviewed.offer}}) {
    const Json* value = entry.find(mark);
    if (value == nullptr) continue;
    if (!value->is_bool()) return bad(std::string(mark) + " of " + shown + " is neither true nor false");
    *target = value->boolean();
  }
  const Json* fields = entry.find("fields");
  if (fields == nullptr || fields->size() != reviewed.pin.fields.size()) {
    return bad("the fields of " + shown + " are not those of its definition");
  }
  for (const FieldDigest& field : reviewed.pin.fields) {
    if (fields->string_at(field.field) != field.digest) {
      return bad("the digest of a field of " + shown + " is not that of its definition");
    }
  }
  return reviewed;
}

Status read_instructions(const Json& root, PinFile& file) {
  const Json* instructions = root.find("instructions");
  if (instructions == nullptr || instructions->is_null()) return {};
  const Json* text = instructions->find("text");
  if (text == nullptr || text->string() == nullptr) return bad("instructions have no text");
  if (instructions->string_at("digest") != text_digest(*text->string())) {
    return bad("the digest of the instructions is not that of their text");
  }
  file.instructions = *text->string();
  return {};
}

}  // namespace

const ReviewedTool* PinFile::find(std::string_view tool) const {
  const auto found =
      std::find_if(tools.begin(), tools.end(), [&](const ReviewedTool& reviewed) { return reviewed.pin.tool == tool; });
  return found == tools.end() ? nullptr : &*found;
}

Result<PinFile> parse_pin_file(std::string_view text) {
  JsonBounds bounds;
  bounds.bytes_max = kBytesMax;
  POSTERN_TRY(const Json root, parse_json(text, bounds));
  if (root.string_at("schema") != kSchema) return bad("it is not a file of the form " + std::string(kSchema));
  PinFile file;
  const Json* server = root.find("server");
  if (server == nullptr || server->string_at("name").empty()) return bad("it names no server");
  file.server_name = server->string_at("name");
  file.server_version = server->string_at("version");
  file.reviewer = root.string_at("reviewer");
  file.reviewed_at = root.string_at("reviewed_at");
  if (!is_date(file.reviewed_at)) return bad("reviewed_at is not a date such as 2026-11-12");
  POSTERN_TRY_VOID(read_instructions(root, file));
  const Json* tools = root.find("tools");
  if (tools == nullptr || !tools->is_array()) return bad("it has no list of tools");
  std::set<std::string> names;
  for (const Json& entry : tools->elements()) {
    POSTERN_TRY(ReviewedTool reviewed, read_tool_entry(entry));
    if (!names.insert(reviewed.pin.tool).second) return bad("a tool is in it twice");
    file.tools.push_back(std::move(reviewed));
  }
  return file;
}

std::string serialise(const PinFile& file) {
  Json root = Json::object({{"schema", kSchema}});
  root.set("server", Json::object({{"name", file.server_name}, {"version", file.server_version}}));
  root.set("reviewer", file.reviewer).set("reviewed_at", file.reviewed_at);
  if (file.instructions) {
    root.set("instructions", Json::object({{"digest", text_digest(*file.instructions)}, {"text", *file.instructions}}));
  }
  Json tools = Json::array();
  for (const ReviewedTool& reviewed : file.tools) {
    Json fields = Json::object();
    for (const FieldDigest& field : reviewed.pin.fields) fields.append_member(field.field, field.digest);
    Json entry = Json::object({{"name", reviewed.pin.tool}, {"digest", reviewed.pin.digest}});
    entry.set("fields", std::move(fields));
    if (reviewed.confirm) entry.set("confirm", *reviewed.confirm);
    if (reviewed.offer) entry.set("offer", *reviewed.offer);
    entry.set("definition", reviewed.definition);
    tools.push(std::move(entry));
  }
  root.set("tools", std::move(tools));
  // A reviewer reads this file: what hides in a definition must be seen in it.
  return json_with_hidden_escaped(root.pretty()) + "\n";
}

Result<PinFile> embedded_pins() {
  return parse_pin_file(embedded::pins_reviewed().front().content);
}

std::string BadPinFile::text() const {
  return "The pins file cannot be used: " + reason + ". No tool is offered to a model without it.";
}

}  // namespace postern::pins
