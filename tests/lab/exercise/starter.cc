#include "tests/lab/exercise/starter.h"

#include <algorithm>
#include <set>

#include "tests/lab/exercise/exercise.h"
#include "wire/base/file.h"
#include "wire/base/json.h"
#include "wire/base/visible_text.h"

namespace postern::lab {
namespace {

constexpr std::size_t kBytesMax = 64 * 1024;

Result<std::string> text_of(std::string_view name) {
  const auto names = exercise_names();
  if (std::find(names.begin(), names.end(), name) != names.end()) {
    return std::string(lab_file(std::string(name) + "/starter.json"));
  }
  auto text = read_file(std::string(name), kBytesMax);
  if (!text) return BadStarter{visible_line(name), visible_line(text.error().text())};
  return text;
}

}  // namespace

Result<Starter> read_starter(std::string_view name_or_file) {
  const std::string shown = visible_line(name_or_file);
  const auto bad = [&shown](std::string reason) { return BadStarter{shown, std::move(reason)}; };
  POSTERN_TRY(const std::string text, text_of(name_or_file));
  const auto json = parse_json(text);
  if (!json) return bad(visible_line(json.error().text()));
  if (!json->is_object()) return bad("it is not an object");
  Starter starter{std::string(name_or_file), {}, std::string(json->string_at("about"))};
  for (const auto& [name, value] : json->members()) {
    if (name != "controls_removed" && name != "about") return bad("it has a member \"" + visible_line(name) + "\"");
  }
  const Json* removed = json->find("controls_removed");
  if (removed == nullptr || !removed->is_array()) return bad("it has no list \"controls_removed\"");
  std::set<std::string> once;
  for (const Json& control : removed->elements()) {
    if (control.string() == nullptr) return bad("a name in \"controls_removed\" is no text");
    if (!once.insert(*control.string()).second) return bad(visible_line(*control.string()) + " stands in it twice");
    starter.controls_removed.push_back(*control.string());
  }
  return starter;
}

}  // namespace postern::lab
