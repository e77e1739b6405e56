#include "tests/lab/exercise/exercise.h"

#include <algorithm>

#include "wire/base/check.h"
#include "wire/base/embedded.h"

POSTERN_EMBEDDED(docs_lab_exercises)

namespace postern::lab {
namespace {

constexpr std::string_view kNames[] = {"lab1", "lab2", "lab3"};

std::vector<std::string> texts_at(const Json& json, std::string_view name) {
  std::vector<std::string> texts;
  const Json* list = json.find(name);
  POSTERN_CHECK(list != nullptr && list->is_array());
  for (const Json& text : list->elements()) {
    POSTERN_CHECK(text.string() != nullptr);
    texts.push_back(*text.string());
  }
  return texts;
}

}  // namespace

bool Exercise::may_get_through(std::string_view attack) const {
  return std::find(through_at_checkpoint.begin(), through_at_checkpoint.end(), attack) != through_at_checkpoint.end();
}

const Place* Exercise::place_of(std::string_view attack) const {
  const auto found =
      std::find_if(places.begin(), places.end(), [attack](const Place& place) { return place.attack == attack; });
  return found == places.end() ? nullptr : &*found;
}

std::span<const std::string_view> exercise_names() {
  return kNames;
}

std::string_view lab_file(std::string_view file) {
  for (const EmbeddedFile& embedded : embedded::docs_lab_exercises()) {
    if (embedded.name == file) return embedded.content;
  }
  return {};
}

Exercise exercise_of(std::string_view name) {
  const auto json = parse_json(lab_file(std::string(name) + "/expected.json"));
  POSTERN_CHECK(json.has_value());
  Exercise exercise{std::string(name),
                    std::string(json->string_at("title")),
                    texts_at(*json, "gets_through_at_start"),
                    texts_at(*json, "gets_through_at_checkpoint"),
                    {}};
  const Json* look = json->find("look");
  POSTERN_CHECK(look != nullptr && look->is_object());
  for (const auto& [attack, place] : look->members()) {
    exercise.places.push_back({attack, std::string(place.string_at("file")), std::string(place.string_at("page")),
                               std::string(place.string_at("section")), std::string(place.string_at("rung")),
                               std::string(place.string_at("question"))});
  }
  return exercise;
}

}  // namespace postern::lab
