#include "tests/lab/replay/stand_ins.h"

#include <optional>

#include "wire/base/bytes.h"
#include "wire/base/digest.h"
#include "wire/base/replace_text.h"
#include "wire/base/uri.h"

namespace postern::lab {
namespace {

constexpr std::size_t kUsualBytes = 43;

std::string name_of(const SecretMark& mark) {
  constexpr std::string_view kChallenge = "challenge";
  return mark.kind == kChallenge ? "challenge " + std::string(mark.id) : std::string(mark.id);
}

}  // namespace

std::string stand_in(std::string_view name, std::string_view prefix, std::size_t bytes) {
  std::string out(prefix.substr(0, bytes));
  // A digit and a capital first, so that it reads like a secret however short it is.
  if (out.size() < bytes) out += 'Z';
  if (out.size() < bytes) out += '9';
  for (int block = 0; out.size() < bytes; ++block)
    out += base64url(sha256("stand-in " + std::string(name) + " " + std::to_string(block)));
  out.resize(bytes);
  for (std::size_t i = prefix.size(); i < out.size(); ++i) {
    if (out[i] == '-' || out[i] == '_') out[i] = 'x';
  }
  if (prefix == "eyJ" && bytes > 60) {  // the three parts of a JWS
    out[bytes / 4] = '.';
    out[bytes - bytes / 4] = '.';
  }
  return out;
}

StandIns::StandIns(const RecordedRun& run) {
  for (const auto& [name, address] : run.origins) {
    words_["{" + name + "}"] = address;
    std::string encoded = address;
    replace_all(encoded, ":", "%3A");
    words_["{" + name + "%3A}"] = encoded;
  }
  for (const SecretShape& shape : run.secrets) shapes_[std::to_string(shape.number)] = shape;
}

void StandIns::learn(const Normaliser::Words& words) {
  words_["{run}"] = words.run;
  words_["{nonce}"] = words.nonce;
  words_["{folder}"] = words.folder;
}

std::string StandIns::with_words(std::string_view text) const {
  std::string out(text);
  for (const auto& [alias, word] : words_) replace_all(out, alias, word);
  return out;
}

void StandIns::bind(std::string_view normalised, std::string_view sent) {
  if (!next_mark(normalised, 0, '#')) return;
  const std::string filled = with_words(normalised);
  const std::string_view text = filled;
  std::size_t at = 0;       // in `text`
  std::size_t at_sent = 0;  // in `sent`
  for (auto mark = next_mark(text, 0, '#'); mark;) {
    const std::string_view before = text.substr(at, mark->begin - at);
    if (sent.substr(at_sent, before.size()) != before) return;
    at_sent += before.size();
    at = mark->end;
    const auto next = next_mark(text, at, '#');
    const std::string_view behind = text.substr(at, (next ? next->begin : text.size()) - at);
    if (behind.empty() && next) return;  // two side by side
    const std::size_t end = behind.empty() ? sent.size() : sent.find(behind, at_sent);
    if (end == std::string_view::npos) return;
    const std::string_view secret = sent.substr(at_sent, end - at_sent);
    const std::optional<std::string> decoded = percent_decode(secret);
    secrets_[name_of(*mark)] = decoded ? *decoded : std::string(secret);
    at_sent = end;
    mark = next;
  }
}

const std::string& StandIns::secret(const SecretMark& mark) {
  const std::string name = name_of(mark);
  const auto found = secrets_.find(name);
  if (found != secrets_.end()) return found->second;
  const auto shape = shapes_.find(name);
  const std::string made = shape == shapes_.end() ? stand_in(name, "", kUsualBytes)
                                                  : stand_in(name, shape->second.prefix, shape->second.bytes);
  return secrets_.emplace(name, made).first->second;
}

std::vector<std::string> StandIns::secrets() const {
  std::vector<std::string> all;
  for (const auto& [name, secret] : secrets_) {
    if (name.find(' ') == std::string::npos) all.push_back(secret);
  }
  return all;
}

std::string StandIns::fill(std::string_view text) {
  const std::string filled = with_words(text);
  std::string out;
  std::size_t kept = 0;
  for (auto mark = next_mark(filled, 0, '#'); mark; mark = next_mark(filled, mark->end, '#')) {
    out.append(filled, kept, mark->begin - kept).append(secret(*mark));
    kept = mark->end;
  }
  return out.append(filled, kept);
}

}  // namespace postern::lab
