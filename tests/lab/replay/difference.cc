#include "tests/lab/replay/difference.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "wire/base/visible_text.h"

namespace postern::lab {
namespace {

constexpr std::size_t kBefore = 40;
constexpr std::size_t kShown = 160;
constexpr JsonBounds kBodyBounds{16 * 1024 * 1024, 64};

// Where, from the body or the line on, and the two values there.
struct Place {
  std::string field;
  std::string recorded;
  std::string replayed;
};

std::size_t first_differing(std::string_view a, std::string_view b) {
  std::size_t at = 0;
  while (at < a.size() && at < b.size() && a[at] == b[at]) ++at;
  return at;
}

// Around the place where they part, so that a long text shows what matters.
Place texts(std::string field, std::string_view a, std::string_view b) {
  const std::size_t at = first_differing(a, b);
  const std::size_t from = at > kBefore ? at - kBefore : 0;
  const auto shown = [&](std::string_view text) {
    std::string out = from > 0 ? "..." : "";
    out += visible_line(text.substr(std::min(from, text.size()), kShown), kShown);
    return '"' + out + '"';
  };
  return {std::move(field), shown(a), shown(b)};
}

std::string shown(const Json& json) {
  return visible_line(json.dump(), kShown);
}

std::optional<Place> parted(const std::string& field, const Json& a, const Json& b);

std::optional<Place> parted_members(const std::string& field, const Json& a, const Json& b) {
  const std::string prefix = field.empty() ? "" : field + ".";
  for (const auto& [name, value] : a.members()) {
    const Json* other = b.find(name);
    if (other == nullptr) return Place{prefix + name, shown(value), "nothing"};
    if (auto place = parted(prefix + name, value, *other)) return place;
  }
  for (const auto& [name, value] : b.members()) {
    if (!a.has(name)) return Place{prefix + name, "nothing", shown(value)};
  }
  return std::nullopt;
}

std::optional<Place> parted_elements(const std::string& field, const Json& a, const Json& b) {
  for (std::size_t i = 0; i < std::max(a.size(), b.size()); ++i) {
    const std::string at = field + "[" + std::to_string(i) + "]";
    if (i >= a.size()) return Place{at, "nothing", shown(b.elements()[i])};
    if (i >= b.size()) return Place{at, shown(a.elements()[i]), "nothing"};
    if (auto place = parted(at, a.elements()[i], b.elements()[i])) return place;
  }
  return std::nullopt;
}

std::optional<Place> parted(const std::string& field, const Json& a, const Json& b) {
  if (a.string() != nullptr && b.string() != nullptr)
    return *a.string() == *b.string() ? std::nullopt : std::optional<Place>(texts(field, *a.string(), *b.string()));
  if (a.is_object() && b.is_object()) return parted_members(field, a, b);
  if (a.is_array() && b.is_array()) return parted_elements(field, a, b);
  if (a.dump() == b.dump()) return std::nullopt;
  return Place{field, shown(a), shown(b)};
}

std::vector<std::string_view> split(std::string_view text, char at) {
  std::vector<std::string_view> parts;
  while (true) {
    const std::size_t end = std::min(text.find(at), text.size());
    parts.push_back(text.substr(0, end));
    if (end == text.size()) return parts;
    text.remove_prefix(end + 1);
  }
}

std::optional<Place> parted_form(const std::string& a, const std::string& b) {
  const auto one = split(a, '&');
  const auto other = split(b, '&');
  for (std::size_t i = 0; i < std::min(one.size(), other.size()); ++i) {
    if (one[i] != other[i]) return texts("body." + std::string(one[i].substr(0, one[i].find('='))), one[i], other[i]);
  }
  return std::nullopt;
}

// A body as what it is: JSON, events that hold JSON, a form, or text.
std::optional<Place> parted_body(const std::string& a, const std::string& b) {
  if (a == b) return std::nullopt;
  const auto one = parse_json(a, kBodyBounds);
  const auto other = parse_json(b, kBodyBounds);
  if (one && other) {
    if (auto place = parted("body", *one, *other)) return place;
  }
  const auto events = split(a, '\n');
  const auto other_events = split(b, '\n');
  constexpr std::string_view kData = "data: ";
  for (std::size_t i = 0; !one && i < std::min(events.size(), other_events.size()); ++i) {
    if (events[i] == other_events[i] || events[i].substr(0, kData.size()) != kData) continue;
    const auto data = parse_json(events[i].substr(kData.size()), kBodyBounds);
    const auto other_data =
        parse_json(other_events[i].substr(std::min(kData.size(), other_events[i].size())), kBodyBounds);
    if (data && other_data) {
      if (auto place = parted("body.data", *data, *other_data)) return place;
    }
  }
  if (!one && a.find('=') != std::string::npos && a.find('\n') == std::string::npos) {
    if (auto place = parted_form(a, b)) return place;
  }
  return texts("body", a, b);
}

std::optional<Place> parted_headers(const Json& a, const Json& b) {
  const auto name_of = [](const Json& header) {
    const auto& pair = header.elements();
    return pair.empty() || pair[0].string() == nullptr ? std::string("?") : *pair[0].string();
  };
  for (std::size_t i = 0; i < std::max(a.size(), b.size()); ++i) {
    if (i >= a.size()) return Place{"headers." + name_of(b.elements()[i]), "nothing", shown(b.elements()[i])};
    if (i >= b.size()) return Place{"headers." + name_of(a.elements()[i]), shown(a.elements()[i]), "nothing"};
    const Json& one = a.elements()[i];
    const Json& other = b.elements()[i];
    if (one.dump() == other.dump()) continue;
    const std::string name = name_of(one);
    if (name == name_of(other) && one.size() == 2 && other.size() == 2) {
      if (auto place = parted("headers." + name, one.elements()[1], other.elements()[1])) return place;
    }
    return Place{"headers." + name, shown(one), shown(other)};
  }
  return std::nullopt;
}

bool begins_with(std::string_view text, std::string_view with) {
  return text.substr(0, with.size()) == with;
}

// On which rung of the ladder a field is read.
std::string layer_of(const Json& line, std::string_view field) {
  if (line.string_at("kind") == "note") {
    const std::string_view layer = line.string_at("layer");
    return layer.empty() ? "own" : std::string(layer);
  }
  if (field == "start" || begins_with(field, "headers")) return "http";
  if (begins_with(field, "body")) {
    if (line.string_at("from") == "model" || line.string_at("to") == "model") return "model";
    for (const std::string_view schema : {".params.arguments", ".result.structuredContent", ".result.tools"}) {
      if (field.find(schema) != std::string_view::npos) return "schema";
    }
    const std::string_view peer = line.string_at("to") == "host" ? line.string_at("from") : line.string_at("to");
    return begins_with(peer, "server") ? "envelope" : "http";
  }
  return field == "kind" || field == "at" || field == "from" || field == "to" ? "own" : "bytes";
}

// The members of a line in the order in which a difference says most.
constexpr std::string_view kOrder[] = {"kind",   "channel",  "from",    "to",  "layer", "subject", "request", "failure",
                                       "start",  "headers",  "body",    "raw", "part",  "verdict", "details", "address",
                                       "reason", "exchange", "framing", "cut", "bytes", "digest",  "at"};

std::optional<Place> parted_line(const Json& a, const Json& b) {
  for (const std::string_view name : kOrder) {
    const Json* one = a.find(name);
    const Json* other = b.find(name);
    if (one == nullptr && other == nullptr) continue;
    if (one == nullptr) return Place{std::string(name), "nothing", shown(*other)};
    if (other == nullptr) return Place{std::string(name), shown(*one), "nothing"};
    std::optional<Place> place;
    if (name == "headers") {
      place = parted_headers(*one, *other);
    } else if (name == "body" && one->string() != nullptr && other->string() != nullptr) {
      place = parted_body(*one->string(), *other->string());
    } else {
      place = parted(std::string(name), *one, *other);
    }
    if (place) return place;
  }
  const std::string one = a.dump();
  const std::string other = b.dump();
  return one == other ? std::nullopt : std::optional<Place>(texts("line", one, other));
}

std::string summary(const Json& line) {
  const std::string_view kind = line.string_at("kind");
  if (kind == "note") {
    return visible_line("note " + std::string(line.string_at("layer")) + " " + std::string(line.string_at("subject")),
                        kShown);
  }
  std::string text = std::string(line.string_at("from"));
  text += text.empty() ? "to " : " to ";
  text += line.string_at("to");
  text += ": ";
  text += kind == "failed" ? line.string_at("failure") : line.string_at("start");
  if (line.has("part")) text += " part " + std::string(line.string_at("part"));
  return visible_line(text, kShown);
}

}  // namespace

std::string Difference::text() const {
  std::string line = entry > 0 ? "entry " + std::to_string(entry) + ", " : "";
  return line + layer + ", " + field + ": recorded " + recorded + ", replayed " + replayed;
}

std::optional<Difference> difference_of(std::size_t entry, const Json& recorded, const Json& replayed) {
  std::optional<Place> place = parted_line(recorded, replayed);
  if (!place) return std::nullopt;
  if (recorded.string_at("kind") != replayed.string_at("kind"))
    return Difference{entry, "own", "kind", summary(recorded), summary(replayed)};
  std::string layer = layer_of(recorded, place->field);
  return Difference{entry, std::move(layer), std::move(place->field), std::move(place->recorded),
                    std::move(place->replayed)};
}

std::optional<Difference> difference_of_text(std::string_view name, std::string_view recorded,
                                             std::string_view replayed) {
  if (recorded == replayed) return std::nullopt;
  const auto one = split(recorded, '\n');
  const auto other = split(replayed, '\n');
  std::size_t line = 0;
  while (line < one.size() && line < other.size() && one[line] == other[line]) ++line;
  const std::string field = std::string(name) + " line " + std::to_string(line + 1);
  const auto at = [line](const std::vector<std::string_view>& lines) {
    return line < lines.size() ? lines[line] : std::string_view();
  };
  Place place = texts(field, at(one), at(other));
  if (line >= one.size()) place.recorded = "nothing";
  if (line >= other.size()) place.replayed = "nothing";
  return Difference{0, "own", std::move(place.field), std::move(place.recorded), std::move(place.replayed)};
}

Difference one_too_few(std::size_t entry, const Json& recorded) {
  return {entry, layer_of(recorded, "kind"), "entry", summary(recorded), "nothing"};
}

Difference one_too_many(std::size_t entry, const Json& replayed) {
  return {entry, layer_of(replayed, "kind"), "entry", "nothing", summary(replayed)};
}

}  // namespace postern::lab
