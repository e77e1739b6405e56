#include "host/run_store.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "host/cli.h"
#include "wire/base/bytes.h"
#include "wire/base/file.h"
#include "wire/base/visible_text.h"

namespace postern::host {
namespace {

constexpr std::string_view kSchema = "postern.run_record/1";
constexpr std::size_t kRecordBytesMax = 1024 * 1024;

Result<RunRecord> record_of(const Json& json) {
  if (json.string_at("schema") != kSchema) return NoSuchRun{};
  // A file that came from elsewhere may hold anything, and these are printed.
  const auto shown = [&](std::string_view name) { return visible_line(json.string_at(name), 400); };
  RunRecord record;
  record.run = json.string_at("run");
  record.ticket = shown("ticket");
  record.started_at = shown("started_at");
  record.state = shown("state");
  record.outcome = shown("outcome");
  if (const auto exit = json.integer_at("exit")) record.exit = static_cast<int>(*exit);
  record.profile = shown("profile");
  record.person = shown("person");
  record.server = json.string_at("server");
  record.model = shown("model");
  record.model_url = json.string_at("model_url");
  record.pins = json.string_at("pins");
  const Json* done = json.find("model_done");
  record.model_done = done != nullptr && done->boolean().value_or(false);
  record.label_nonce = json.string_at("label_nonce");
  if (const Json* stack = json.find("stack")) record.stack = *stack;
  return record;
}

}  // namespace

bool is_run_id(std::string_view text) {
  constexpr std::string_view kShape =
      "http-00000000T000000-ffff";  // "0" is a digit, "f" a hex digit, all else is itself
  if (text.size() != kShape.size()) return false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    const bool digit = c >= '0' && c <= '9';
    const bool fits = kShape[i] == '0' ? digit : kShape[i] == 'f' ? digit || (c >= 'a' && c <= 'f') : c == kShape[i];
    if (!fits) return false;
  }
  return true;
}

Json json_of(const RunRecord& record) {
  Json json = Json::object({{"schema", kSchema}, {"run", record.run}, {"ticket", record.ticket}});
  json.set("started_at", record.started_at).set("state", record.state).set("outcome", record.outcome);
  if (record.exit) json.set("exit", *record.exit);
  json.set("profile", record.profile).set("person", record.person).set("server", record.server);
  json.set("model", record.model)
      .set("model_url", record.model_url)
      .set("pins", record.pins)
      .set("model_done", record.model_done);
  json.set("label_nonce", record.label_nonce).set("stack", record.stack);
  return json;
}

Result<RunRecord> RunStore::create(const Clock& clock, RandomSource& random, std::string ticket) {
  RunRecord record;
  record.run = "http-" + compact_utc(clock.now()) + "-" + hex(random_bytes(random, 2));
  record.ticket = std::move(ticket);
  record.started_at = rfc3339(clock.now());
  record.state = "running";
  POSTERN_TRY_VOID(make_folder(folder(record.run)));
  POSTERN_TRY_VOID(save(record));
  return record;
}

Status RunStore::save(const RunRecord& record) const {
  return replace_file(folder(record.run) + "/run.json", json_of(record).pretty() + "\n");
}

Result<RunRecord> RunStore::load(std::string_view run) const {
  if (!is_run_id(run)) return NoSuchRun{visible_line(run, 80)};
  const std::string path = folder(run) + "/run.json";
  if (!file_exists(path)) return NoSuchRun{std::string(run)};
  POSTERN_TRY(const std::string text, read_file(path, kRecordBytesMax));
  POSTERN_TRY(const Json json, parse_json(text));
  POSTERN_TRY(RunRecord record, record_of(json));
  record.run = run;  // its folder, whatever the file says
  if (record.state == "running" && !in_use(run)) record.state = "interrupted";
  return record;
}

Result<RunLock> RunStore::lock(std::string_view run) const {
  const std::string path = folder(run) + "/lock";
  const int descriptor = open(path.c_str(), O_CREAT | O_RDWR | O_NOFOLLOW | O_CLOEXEC, 0600);
  if (descriptor < 0) return FileFailed{path, "write", std::generic_category().message(errno), errno};
  RunLock lock(descriptor);
  if (flock(descriptor, LOCK_EX | LOCK_NB) == 0) return lock;
  return UsageWrong{"The run " + std::string(run) +
                    " is still going on in another process. Nothing was changed. Wait for its end, or stop it there "
                    "with Ctrl-C."};
}

bool RunStore::in_use(std::string_view run) const {
  const std::string path = folder(run) + "/lock";
  const int descriptor = open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
  if (descriptor < 0) return false;
  const bool free = flock(descriptor, LOCK_SH | LOCK_NB) == 0;
  close(descriptor);
  return !free;
}

RunLock::~RunLock() {
  if (descriptor_ >= 0) close(descriptor_);
}

std::vector<RunRecord> RunStore::list(std::size_t limit) const {
  std::vector<std::string> names;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(root_, error)) {
    std::string name = entry.path().filename().string();
    if (is_run_id(name)) names.push_back(std::move(name));
  }
  std::sort(names.rbegin(), names.rend());
  std::vector<RunRecord> records;
  for (const std::string& name : names) {
    if (records.size() >= limit) break;
    if (auto record = load(name)) records.push_back(*std::move(record));
  }
  return records;
}

Result<RunRecord> RunStore::named_or_newest(std::string_view run) const {
  if (!run.empty()) return load(run);
  std::vector<RunRecord> newest = list(1);
  if (newest.empty()) return NoSuchRun{};
  return std::move(newest.front());
}

Status RunStore::remove(std::string_view run) const {
  POSTERN_TRY_VOID(load(run));
  std::error_code error;
  std::filesystem::remove_all(folder(run), error);
  if (error) return FileFailed{folder(run), "remove", error.message(), error.value()};
  return {};
}

std::string NoSuchRun::text() const {
  if (run.empty()) return "There is no run yet. Start one: postern run TICKET";
  return "There is no run " + run + ". See what there is: postern runs list";
}

}  // namespace postern::host
