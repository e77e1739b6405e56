#include "tests/lab/replay/run_file.h"

#include <algorithm>
#include <initializer_list>
#include <utility>

#include "wire/base/digest.h"

namespace postern::lab {
namespace {

constexpr std::string_view kFormat = "postern.run/1";
constexpr JsonBounds kLineBounds{16 * 1024 * 1024, 64};

using Members = std::initializer_list<std::string_view>;

// What a line of each kind may have; all of `required` must be there.
struct Kind {
  std::string_view name;
  std::vector<std::string_view> required;
  std::vector<std::string_view> optional;
};

const std::vector<Kind>& kinds() {
  static const std::vector<Kind> all = {
      {"run", {"format", "name", "scenario", "ticket", "seed", "clock", "origins", "limits"}, {}},
      {"secret", {"number", "prefix", "bytes"}, {}},
      {"leg", {"arguments", "stopped_at_wait"}, {}},
      {"bytes",
       {"at", "channel", "from", "to", "exchange"},
       {"start", "headers", "body", "raw", "part", "framing", "cut", "bytes", "digest"}},
      {"note", {"at", "layer", "subject", "verdict"}, {"details"}},
      {"failed", {"at", "to", "request", "failure"}, {"exchange", "address", "reason"}},
      {"out", {"text"}, {}},
      {"err", {"text"}, {}},
      {"end", {"exit", "printed"}, {}},
      {"seal", {"sha256"}, {}},
  };
  return all;
}

class RunFileReader {
 public:
  RunFileReader(std::string_view file, Seal seal) : file_(file), seal_(seal) {}

  Result<RecordedRun> read(std::string_view whole) {
    std::string_view text = whole;
    while (!text.empty()) {
      before_ = whole.substr(0, whole.size() - text.size());
      ++line_;
      const std::size_t end = text.find('\n');
      if (end == std::string_view::npos) return wrong("it does not end with a line feed");
      POSTERN_TRY_VOID(take(text.substr(0, end)));
      text.remove_prefix(end + 1);
    }
    line_ = 0;
    if (run_.name.empty()) return wrong("it is empty");
    if (in_leg_) return wrong("its last leg has no end");
    if (run_.legs.empty()) return wrong("it has no leg");
    if (!sealed_) return wrong("it has no seal");
    return std::move(run_);
  }

 private:
  Status take(std::string_view text) {
    const auto json = parse_json(text, kLineBounds);
    if (!json) return wrong(json.error().text());
    if (!json->is_object()) return wrong("it is no object");
    const std::string_view kind = json->string_at("kind");
    POSTERN_TRY_VOID(check_members(kind, *json));
    if (sealed_) return wrong("a line stands behind the seal");
    if (kind == "seal") return take_seal(*json);
    if (kind == "run") return take_run(*json);
    if (run_.name.empty()) return wrong("the first line is not of the kind run");
    if (kind == "secret") return take_secret(*json);
    if (kind == "leg") return take_leg(*json);
    if (!in_leg_) return wrong("a line of the kind " + std::string(kind) + " stands outside of a leg");
    if (kind == "out" || kind == "err") return take_print(kind, *json);
    if (kind == "end") return take_end(*json);
    if (printed_) return wrong("a line of the kind " + std::string(kind) + " stands behind what was printed");
    run_.lines.push_back(*json);
    return {};
  }

  Status check_members(std::string_view kind, const Json& json) const {
    const auto found = std::find_if(kinds().begin(), kinds().end(), [&](const Kind& one) { return one.name == kind; });
    if (found == kinds().end()) return wrong("there is no kind \"" + std::string(kind) + "\"");
    for (const auto& [name, value] : json.members()) {
      const auto is_it = [&name = name](std::string_view one) { return one == name; };
      if (name == "kind" || std::any_of(found->required.begin(), found->required.end(), is_it) ||
          std::any_of(found->optional.begin(), found->optional.end(), is_it))
        continue;
      return wrong("a line of the kind " + std::string(kind) + " has no member \"" + name + "\"");
    }
    for (const std::string_view name : found->required) {
      if (!json.has(name)) return wrong("the member \"" + std::string(name) + "\" is missing");
    }
    return {};
  }

  Status take_seal(const Json& json) {
    sealed_ = true;
    if (seal_ == Seal::kChecked && json.string_at("sha256") != sha256_hex(before_))
      return wrong("the seal is broken: something before it was changed by hand");
    return {};
  }

  Status take_run(const Json& json) {
    if (!run_.name.empty()) return wrong("a second line of the kind run");
    if (json.string_at("format") != kFormat) return wrong("its format is not " + std::string(kFormat));
    run_.name = json.string_at("name");
    run_.scenario = json.string_at("scenario");
    run_.ticket = json.string_at("ticket");
    run_.seed = json.string_at("seed");
    run_.clock = json.string_at("clock");
    if (run_.name.empty()) return wrong("it has no name");
    for (const auto& [name, address] : json.find("origins")->members()) {
      if (address.string() == nullptr) return wrong("an origin is no text");
      run_.origins.emplace(name, *address.string());
    }
    for (const Json& limit : json.find("limits")->elements()) {
      if (limit.string() == nullptr) return wrong("a limit is no text");
      run_.limits.push_back(*limit.string());
    }
    return {};
  }

  Status take_secret(const Json& json) {
    if (!run_.legs.empty()) return wrong("a secret stands behind the first leg");
    const auto number = json.integer_at("number");
    const auto bytes = json.integer_at("bytes");
    const Json* prefix = json.find("prefix");
    if (!number || *number < 1 || !bytes || *bytes < 0 || *bytes > 65536 || prefix->string() == nullptr)
      return wrong("a secret has a number, a prefix and its bytes");
    run_.secrets.push_back({static_cast<std::size_t>(*number), *prefix->string(), static_cast<std::size_t>(*bytes)});
    return {};
  }

  Status take_leg(const Json& json) {
    if (in_leg_) return wrong("the leg before it has no end");
    RecordedLeg leg;
    for (const Json& argument : json.find("arguments")->elements()) {
      if (argument.string() == nullptr) return wrong("an argument is no text");
      leg.arguments.push_back(*argument.string());
    }
    const auto stopped = json.integer_at("stopped_at_wait");
    if (leg.arguments.empty() || !stopped || *stopped < 0 || *stopped > 10000)
      return wrong("a leg has arguments and a number of waits");
    leg.stopped_at_wait = static_cast<int>(*stopped);
    leg.first = run_.lines.size();
    run_.legs.push_back(std::move(leg));
    in_leg_ = true;
    printed_ = false;
    out_.clear();
    err_.clear();
    return {};
  }

  Status take_print(std::string_view kind, const Json& json) {
    const Json* text = json.find("text");
    if (text->string() == nullptr) return wrong("what was printed is no text");
    if (kind == "out" && !err_.empty()) return wrong("out stands behind err");
    printed_ = true;
    (kind == "out" ? out_ : err_) += *text->string();
    return {};
  }

  Status take_end(const Json& json) {
    RecordedLeg& leg = run_.legs.back();
    leg.end = run_.lines.size();
    const auto printed = json.boolean_at("printed");
    const auto exit = json.integer_at("exit");
    if (!printed || !exit || *exit < 0 || *exit > 255)
      return wrong("an end has an exit code, and says what was printed");
    if (!*printed && printed_) return wrong("something was printed, though it is not known what");
    leg.exit = static_cast<int>(*exit);
    if (*printed) {
      leg.out = out_;
      leg.err = err_;
    }
    in_leg_ = false;
    return {};
  }

  [[nodiscard]] BadRunFile wrong(std::string reason) const { return {std::string(file_), line_, std::move(reason)}; }

  std::string_view file_;
  Seal seal_;
  std::string_view before_;  // what stands before the line that is read
  bool sealed_ = false;
  std::size_t line_ = 0;
  RecordedRun run_;
  bool in_leg_ = false;
  bool printed_ = false;
  std::string out_;
  std::string err_;
};

void add_line(std::string& text, const Json& json) {
  text += json.dump();
  text += '\n';
}

void add_printed(std::string& text, std::string_view kind, std::string_view printed) {
  while (!printed.empty()) {
    const std::size_t end = std::min(printed.find('\n'), printed.size() - 1) + 1;
    add_line(text, Json::object({{"kind", kind}, {"text", printed.substr(0, end)}}));
    printed.remove_prefix(end);
  }
}

}  // namespace

std::string BadRunFile::text() const {
  return file + (line > 0 ? ":" + std::to_string(line) : "") + ": " + reason;
}

Result<RecordedRun> parse_run_file(std::string_view file, std::string_view text, Seal seal) {
  return RunFileReader(file, seal).read(text);
}

std::string run_file_text(const RecordedRun& run) {
  Json origins = Json::object();
  for (const auto& [name, address] : run.origins) origins.set(name, address);
  Json limits = Json::array();
  for (const std::string& limit : run.limits) limits.push(limit);
  std::string text;
  add_line(text, Json::object({{"kind", "run"},
                               {"format", kFormat},
                               {"name", run.name},
                               {"scenario", run.scenario},
                               {"ticket", run.ticket},
                               {"seed", run.seed},
                               {"clock", run.clock},
                               {"origins", std::move(origins)},
                               {"limits", std::move(limits)}}));
  for (const SecretShape& secret : run.secrets) {
    add_line(text, Json::object({{"kind", "secret"},
                                 {"number", static_cast<std::int64_t>(secret.number)},
                                 {"prefix", secret.prefix},
                                 {"bytes", static_cast<std::int64_t>(secret.bytes)}}));
  }
  for (const RecordedLeg& leg : run.legs) {
    Json arguments = Json::array();
    for (const std::string& argument : leg.arguments) arguments.push(argument);
    add_line(
        text,
        Json::object({{"kind", "leg"}, {"arguments", std::move(arguments)}, {"stopped_at_wait", leg.stopped_at_wait}}));
    for (std::size_t i = leg.first; i < leg.end; ++i) add_line(text, run.lines[i]);
    if (leg.out) add_printed(text, "out", *leg.out);
    if (leg.err) add_printed(text, "err", *leg.err);
    add_line(text, Json::object({{"kind", "end"}, {"exit", leg.exit.value_or(0)}, {"printed", leg.out.has_value()}}));
  }
  add_line(text, Json::object({{"kind", "seal"}, {"sha256", sha256_hex(text)}}));
  return text;
}

}  // namespace postern::lab
