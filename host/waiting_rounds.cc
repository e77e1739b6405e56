#include "host/waiting_rounds.h"

#include <filesystem>
#include <system_error>
#include <utility>

#include "wire/base/canonical_json.h"
#include "wire/base/digest.h"
#include "wire/base/file.h"
#include "wire/base/secret.h"

namespace postern::host {
namespace {

constexpr std::string_view kSchema = "postern.waiting_rounds/1";
constexpr std::size_t kFileBytesMax = 1024 * 1024;

std::string digest_of(std::string_view tool, const Json& arguments) {
  return sha256_hex(canonical_json(Json::object({{"tool", tool}, {"arguments", arguments}})));
}

}  // namespace

WaitingRounds::WaitingRounds(const std::string& run_folder) : path_(run_folder + "/waiting.json") {
  if (file_exists(path_)) read();
}

WaitingRounds::~WaitingRounds() {
  for (auto& [call, round] : rounds_) wipe(round.request_state);
}

void WaitingRounds::read() {
  Result<std::string> text = read_file(path_, kFileBytesMax);
  if (!text) return;
  const Result<Json> json = parse_json(*text);
  wipe(*text);
  if (!json || json->string_at("schema") != kSchema) return;
  const Json* rounds = json->find("rounds");
  if (rounds == nullptr || !rounds->is_object()) return;
  for (const auto& [call, kept] : rounds->members()) {
    bridge::WaitingRound round;
    round.request_state = kept.string_at("request_state");
    const Json* asked = kept.find("asked");
    if (round.request_state.empty() || asked == nullptr || !asked->is_array()) continue;
    for (const Json& key : asked->elements()) {
      if (key.string() != nullptr) round.asked.push_back(*key.string());
    }
    rounds_.insert_or_assign(call, std::move(round));
  }
}

void WaitingRounds::save() {
  if (rounds_.empty()) {
    std::error_code error;
    std::filesystem::remove(path_, error);
    status_ = error ? Status(FileFailed{path_, "remove", error.message(), error.value()}) : Status();
    return;
  }
  Json rounds = Json::object();
  for (const auto& [call, round] : rounds_) {
    Json asked = Json::array();
    for (const std::string& key : round.asked) asked.push(key);
    rounds.append_member(call, Json::object({{"request_state", round.request_state}, {"asked", std::move(asked)}}));
  }
  std::string text = Json::object({{"schema", kSchema}, {"rounds", std::move(rounds)}}).pretty() + "\n";
  status_ = replace_file(path_, text);
  wipe(text);
}

std::optional<bridge::WaitingRound> WaitingRounds::kept(std::string_view tool, const Json& arguments) const {
  const auto found = rounds_.find(digest_of(tool, arguments));
  if (found == rounds_.end()) return std::nullopt;
  return found->second;
}

void WaitingRounds::keep(std::string_view tool, const Json& arguments, bridge::WaitingRound round) {
  rounds_.insert_or_assign(digest_of(tool, arguments), std::move(round));
  save();
}

void WaitingRounds::forget(std::string_view tool, const Json& arguments) {
  if (rounds_.erase(digest_of(tool, arguments)) > 0) save();
}

void WaitingRounds::forget_all() {
  rounds_.clear();
  save();
}

}  // namespace postern::host
