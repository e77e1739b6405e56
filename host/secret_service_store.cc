#include "host/secret_service_store.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <utility>

#include "host/credentials_file.h"
#include "wire/base/bytes.h"
#include "wire/base/clock.h"
#include "wire/base/digest.h"
#include "wire/base/json.h"
#include "wire/base/secret.h"
#include "wire/base/visible_text.h"
#include "wire/transport/child_process.h"

namespace postern::host {
namespace {

constexpr std::size_t kAnswerBytesMax = 1024 * 1024;
constexpr std::chrono::seconds kAnswerMax{60};  // a person may have to unlock the keyring
constexpr std::chrono::milliseconds kEndMax{2'000};

constexpr std::size_t kPieceBytes = 6'000;  // secret-tool takes 8192 bytes at most, and cuts what is longer
constexpr int kPiecesMax = 256;
constexpr const char* kHead = "head";

// Reads both ends until they are closed, or until then. False when time was up or there was too much.
bool read_all(int out, int err, std::string& out_text, std::string& err_text) {
  const SystemClock clock;  // a person's time
  const SteadyTime until = clock.steady_now() + kAnswerMax;
  std::array<pollfd, 2> ends = {pollfd{out, POLLIN, 0}, pollfd{err, POLLIN, 0}};
  std::array<std::string*, 2> texts = {&out_text, &err_text};
  while (ends[0].fd >= 0 || ends[1].fd >= 0) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(until - clock.steady_now()).count();
    if (left <= 0) return false;
    const int ready = ::poll(ends.data(), ends.size(), static_cast<int>(left));
    if (ready < 0 && errno != EINTR) return false;
    for (std::size_t i = 0; ready > 0 && i < ends.size(); ++i) {
      if (ends[i].fd < 0 || ends[i].revents == 0) continue;
      std::array<char, 16384> piece{};
      const ssize_t got = ::read(ends[i].fd, piece.data(), piece.size());
      if (got < 0 && errno == EINTR) continue;
      if (got <= 0) {
        ends[i].fd = -1;
        continue;
      }
      texts[i]->append(piece.data(), static_cast<std::size_t>(got));
      wipe(piece.data(), piece.size());
      if (texts[i]->size() > kAnswerBytesMax) return false;
    }
  }
  return true;
}

std::string program_on(const std::string& search_path) {
  for (std::size_t begin = 0; begin <= search_path.size();) {
    const std::size_t end = std::min(search_path.find(':', begin), search_path.size());
    const std::string folder = search_path.substr(begin, end - begin);
    begin = end + 1;
    // A relative folder would be found in whatever folder the command is run.
    if (folder.empty() || folder.front() != '/') continue;
    const std::string path = folder + "/secret-tool";
    struct stat status {};
    if (::stat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode) && ::access(path.c_str(), X_OK) == 0) return path;
  }
  return {};
}

}  // namespace

std::string SecretService::part_of(const Head& head, int piece) {
  return head.digest.substr(0, 16) + "-" + std::to_string(piece);
}

Result<SecretService::Answer> SecretService::run(std::vector<std::string> verb, const std::string& part,
                                                 std::string_view input) const {
  ChildOptions options;
  options.argv = {program_};
  for (std::string& word : verb) options.argv.push_back(std::move(word));
  for (const char* word : {"application", "postern", "kind", "credentials", "part"}) options.argv.emplace_back(word);
  options.argv.push_back(part);
  options.environment = {{"DBUS_SESSION_BUS_ADDRESS", session_bus_}};
  options.pipe_stdout = true;
  options.pipe_stderr = true;
  POSTERN_TRY(ChildProcess child, ChildProcess::spawn(options));
  if (!input.empty()) POSTERN_TRY_VOID(child.write(input));
  child.close_stdin();
  Answer answer;
  const bool complete = read_all(child.stdout_descriptor(), child.stderr_descriptor(), answer.out, answer.complaint);
  if (!complete) {
    child.stop();
    wipe(answer.out);
    return CredentialsRefused{name(), "it did not answer within a minute", ""};
  }
  const std::optional<int> status = child.wait(kEndMax);
  answer.exit_status = status ? *status : child.stop();
  answer.complaint = visible_line(answer.complaint, 200);
  return answer;
}

std::unique_ptr<SecretService> SecretService::find(const std::string& search_path, const std::string& session_bus) {
  std::string program = program_on(search_path);
  if (program.empty()) return nullptr;
  std::unique_ptr<SecretService> service(new SecretService(std::move(program), session_bus));
  if (!service->lookup(kHead)) return nullptr;
  return service;
}

// An item that is not there is an exit status of 1 without a word; without a keyring there are words.
Result<std::optional<std::string>> SecretService::lookup(const std::string& part) const {
  POSTERN_TRY(Answer answer, run({"lookup"}, part, ""));
  if (answer.exit_status == 0 && !answer.out.empty()) return std::optional(std::move(answer.out));
  if (answer.exit_status <= 1 && answer.complaint.empty()) return std::optional<std::string>();
  return CredentialsRefused{name(), "it gives nothing out (" + answer.complaint + ")", ""};
}

Status SecretService::store(const std::string& part, std::string_view text) const {
  POSTERN_TRY(const Answer answer, run({"store", "--label=Postern sign-ins"}, part, text));
  if (answer.exit_status == 0) return {};
  return CredentialsRefused{name(), "it takes nothing (" + answer.complaint + ")", ""};
}

Status SecretService::clear(const std::string& part) const {
  POSTERN_TRY(const Answer answer, run({"clear"}, part, ""));
  if (answer.exit_status == 0 || answer.complaint.empty()) return {};
  return CredentialsRefused{name(), "it does not let go of an item (" + answer.complaint + ")", ""};
}

Result<std::optional<SecretService::Head>> SecretService::head() const {
  POSTERN_TRY(const std::optional<std::string> text, lookup(kHead));
  if (!text) return std::optional<Head>();
  const auto json = parse_json(*text, JsonBounds{1024, 2});
  const std::string digest(json ? json->string_at("sha256") : std::string_view());
  const std::int64_t pieces = json ? json->integer_at("pieces").value_or(0) : 0;
  if (digest.size() != 64 || pieces < 1 || pieces > kPiecesMax)
    return CredentialsRefused{name(), "the item of this program is not what it wrote", ""};
  return std::optional(Head{digest, static_cast<int>(pieces)});
}

Result<std::optional<std::string>> SecretService::read() {
  POSTERN_TRY(const std::optional<Head> head, this->head());
  if (!head) return std::optional<std::string>();
  std::string encoded;
  for (int i = 0; i < head->pieces; ++i) {
    POSTERN_TRY(std::optional<std::string> piece, lookup(part_of(*head, i)));
    if (!piece) return CredentialsRefused{name(), "an item of this program is missing", ""};
    encoded += *piece;
    wipe(*piece);
  }
  auto text = base64_decode(encoded);
  wipe(encoded);
  if (!text || hex(sha256(*text)) != head->digest)
    return CredentialsRefused{name(), "the items of this program are not what it wrote", ""};
  return std::optional(*std::move(text));
}

Status SecretService::write(std::string_view text) {
  POSTERN_TRY(const std::optional<Head> before, head());
  std::string encoded = base64(text);
  const Head now{hex(sha256(text)), static_cast<int>((encoded.size() + kPieceBytes - 1) / kPieceBytes)};
  if (before && before->digest == now.digest) return {};
  const auto store_all = [&]() -> Status {
    for (int i = 0; i < now.pieces; ++i) {
      const auto begin = static_cast<std::size_t>(i) * kPieceBytes;
      POSTERN_TRY_VOID(store(part_of(now, i), std::string_view(encoded).substr(begin, kPieceBytes)));
    }
    // From here on the new text counts; the old pieces are nobody's.
    return store(kHead, Json::object({{"sha256", now.digest}, {"pieces", now.pieces}}).dump());
  };
  const Status stored =
      now.pieces > kPiecesMax ? Status(CredentialsRefused{name(), "there is too much to keep", ""}) : store_all();
  wipe(encoded);
  if (!stored || !before) return stored;
  for (int i = 0; i < before->pieces; ++i) POSTERN_TRY_VOID(clear(part_of(*before, i)));
  return {};
}

Status SecretService::remove() {
  POSTERN_TRY(const std::optional<Head> before, head());
  if (!before) return {};
  POSTERN_TRY_VOID(clear(kHead));
  for (int i = 0; i < before->pieces; ++i) POSTERN_TRY_VOID(clear(part_of(*before, i)));
  return {};
}

}  // namespace postern::host
