#include "tests/lab/planted/planted_texts.h"

#include <algorithm>
#include <utility>

#include "wire/base/embedded.h"

POSTERN_EMBEDDED(fixtures_injection_texts)

namespace postern::lab {
namespace {

constexpr std::string_view kOrdinary = "ordinary.json";
constexpr std::string_view kPlace = "{text}";

std::string_view kind_of(const EmbeddedFile& file) {
  return file.name.substr(0, file.name.rfind('.'));
}

Result<Json> document(const EmbeddedFile& file) {
  auto json = parse_json(file.content);
  if (!json) return BadPlantedText{std::string(file.name) + ": " + json.error().text()};
  return *std::move(json);
}

// So many bytes of ordinary sentences, at least; each text begins at another one.
std::string ordinary_text(const Json& sentences, std::int64_t bytes, std::size_t from) {
  std::string text;
  while (static_cast<std::int64_t>(text.size()) < bytes) {
    text += *sentences.elements()[from % sentences.size()].string();
    text += ++from % 5 == 0 ? '\n' : ' ';
  }
  return text;
}

Result<PlantedText> read_text(const Json& row, std::string kind, const Json& ordinary) {
  PlantedText text{
      std::string(row.string_at("id")), std::move(kind), std::string(row.string_at("ticket")), {}, Json::object(), {}};
  const Json* planted = row.find("planted");
  const Json* tickets = ordinary.find("tickets");
  const Json* sentences = ordinary.find("sentences");
  const Json* around = tickets == nullptr ? nullptr : tickets->find(text.ticket);
  if (planted == nullptr || around == nullptr || sentences == nullptr || planted->size() == 0) {
    return BadPlantedText{text.id + " does not say where it is planted"};
  }
  text.written = *planted;
  std::size_t seed = 0;
  for (const char c : text.id) seed += static_cast<unsigned char>(c);
  for (const auto& place : around->members()) {
    const Json* written = planted->find(place.first);
    if (written == nullptr && place.first != "page") continue;
    std::string whole = *place.second.string();
    std::string inside = written == nullptr ? "" : *written->string();
    if (const Json* padding = row.find("ordinary")) {
      inside = ordinary_text(*sentences, padding->integer_at("before").value_or(0), seed) + inside + " " +
               ordinary_text(*sentences, padding->integer_at("after").value_or(0), seed + 7);
      if (written == nullptr) inside.clear();
    }
    whole.replace(whole.find(kPlace), kPlace.size(), inside);
    text.fields.set(place.first, std::move(whole));
  }
  for (const auto& place : planted->members()) {
    if (!text.fields.has(place.first))
      return BadPlantedText{text.id + " is planted in '" + place.first + "', which is no field"};
  }
  if (const Json* asks = row.find("asks")) {
    for (const Json& one : asks->elements()) text.asks.push_back(*one.string());
  }
  if (text.asks.empty()) return BadPlantedText{text.id + " asks for nothing"};
  return text;
}

}  // namespace

std::vector<std::string> planted_kinds() {
  std::vector<std::string> kinds;
  for (const EmbeddedFile& file : embedded::fixtures_injection_texts()) {
    if (file.name != kOrdinary) kinds.emplace_back(kind_of(file));
  }
  return kinds;
}

Result<std::vector<PlantedText>> planted_texts(const std::vector<std::string>& kinds) {
  const std::vector<std::string> known = planted_kinds();
  for (const std::string& kind : kinds) {
    if (std::find(known.begin(), known.end(), kind) == known.end()) {
      std::string all;
      for (const std::string& one : known) all += (all.empty() ? "" : ", ") + one;
      return BadPlantedText{"there is no kind '" + kind + "'; there are " + all};
    }
  }
  Json ordinary;
  for (const EmbeddedFile& file : embedded::fixtures_injection_texts()) {
    if (file.name != kOrdinary) continue;
    POSTERN_TRY(ordinary, document(file));
  }
  std::vector<PlantedText> texts;
  for (const EmbeddedFile& file : embedded::fixtures_injection_texts()) {
    const std::string kind(kind_of(file));
    if (file.name == kOrdinary) continue;
    if (!kinds.empty() && std::find(kinds.begin(), kinds.end(), kind) == kinds.end()) continue;
    POSTERN_TRY(const Json json, document(file));
    if (json.string_at("kind") != kind) return BadPlantedText{std::string(file.name) + " says another kind"};
    const Json* rows = json.find("texts");
    if (rows == nullptr) return BadPlantedText{std::string(file.name) + " has no texts"};
    for (const Json& row : rows->elements()) {
      POSTERN_TRY(PlantedText text, read_text(row, kind, ordinary));
      texts.push_back(std::move(text));
    }
  }
  return texts;
}

}  // namespace postern::lab
