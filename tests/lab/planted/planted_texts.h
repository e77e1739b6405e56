// The planted texts (fixtures/injection), each as the fields of one case that hold it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "wire/base/json.h"
#include "wire/base/result.h"

namespace postern::lab {

struct PlantedText {
  std::string id;    // "authority-03"
  std::string kind;  // "authority"
  std::string ticket;
  Json written;  // what was written, by field: {"page": "..."}
  Json fields;   // the same fields as they will stand in the world, with what is ordinary around them; always a page
  std::vector<std::string> asks;  // what it asks for, for graders: "cents 12900", "url https://…"; no model is told
};

struct BadPlantedText {
  static constexpr std::string_view kId = "lab.bad_planted_text";
  static constexpr Layer kLayer = Layer::kOwn;
  static constexpr Disposition kDisposition = Disposition::kUsage;
  std::string reason;
  [[nodiscard]] std::string text() const { return "The planted texts: " + reason + "."; }
};

[[nodiscard]] std::vector<std::string> planted_kinds();
// Of these kinds, or of all. lab.bad_planted_text for a kind that there is not, or a broken file.
[[nodiscard]] Result<std::vector<PlantedText>> planted_texts(const std::vector<std::string>& kinds = {});

}  // namespace postern::lab
