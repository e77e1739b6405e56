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

Result<Starter> starter_of_text(std::string name, std::string_view text) {
  const auto bad = [&name](std::string reason) { return BadStarter{visible_line(name), std::move(reason)}; };
  const auto json = parse_json(text);
  if (!json) return bad(visible_line(json.error().text()));
  if (!json->is_object()) return bad("it is not an object");
  for (const auto& member : json->members()) {
    if (member.first != "controls_removed" && member.first != "about") {
      return bad("it has a member \"" + visible_line(member.first) + "\"");
    }
  }
  const Json* removed = json->find("controls_removed");
  if (removed == nullptr || !removed->is_array()) return bad("it has no list \"controls_removed\"");
  Starter starter{name, {}, std::string(json->string_at("about"))};
  std::set<std::string> once;
  for (const Json& control : removed->elements()) {
    if (control.string() == nullptr) return bad("a name in \"controls_removed\" is no text");
    if (!once.insert(*control.string()).second) return bad(visible_line(*control.string()) + " stands in it twice");
    starter.controls_removed.push_back(*control.string());
  }
  return starter;
}

Result<Starter> read_starter(std::string_view name_or_file) {
  POSTERN_TRY(const std::string text, text_of(name_or_file));
  return starter_of_text(std::string(name_or_file), text);
}

}  // namespace postern::lab
