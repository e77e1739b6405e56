#include "host/ladder/ladder.h"

#include <algorithm>
#include <map>

#include "host/ladder/wire_entry_text.h"
#include "wire/base/visible_text.h"

namespace postern::host {
namespace {

constexpr std::size_t kDetailMax = 120;

// A request and what answered it.
struct ExchangeView {
  const WireEntry* request = nullptr;
  const WireEntry* response = nullptr;
  bool answered_raw = false;  // by bytes that are no HTTP
};

bool is_message(const WireEntry& entry) {
  return entry.is_http && !entry.start.empty();
}

bool with_model(const WireEntry& entry) {
  return entry.from == "model" || entry.to == "model";
}

class Climber {
 public:
  explicit Climber(const WireRun& run) : run_(run) {
    constexpr Layer kLayers[] = {Layer::kBytes, Layer::kEnvelope, Layer::kHttp, Layer::kSchema, Layer::kModel};
    for (std::size_t i = 0; i < ladder_.rungs.size(); ++i) ladder_.rungs[i].layer = kLayers[i];
    for (const WireEntry& entry : run_.entries) {
      if (entry.is_note || !entry.is_http) continue;
      ExchangeView& exchange = exchanges_[entry.exchange];
      if (entry.is_request()) exchange.request = &entry;
      if (entry.status()) exchange.response = &entry;
      if (!entry.raw.empty()) exchange.answered_raw = true;
    }
  }

  Ladder climb() {
    for (const WireEntry& entry : run_.entries) {
      if (entry.is_note) {
        take_note(entry);
      } else {
        take_bytes(entry);
        take_http(entry);
        take_envelope(entry);
        if (with_model(entry) && is_message(entry)) rung(Layer::kModel).entries.push_back(entry.seq);
      }
    }
    take_times();
    return std::move(ladder_);
  }

 private:
  LadderRung& rung(Layer layer) { return ladder_.rungs[static_cast<std::size_t>(layer)]; }
  void find(Layer layer, const WireEntry& entry, std::string text, std::string detail = {}) {
    rung(layer).to_read.push_back({entry.seq, std::move(text), std::move(detail)});
  }

  void take_note(const WireEntry& note) {
    if (const auto waited = note.details.integer_at("waited_ms"))
      ladder_.waiting_ms += std::max<std::int64_t>(*waited, 0);
    if (note.layer == Layer::kOwn) return;
    rung(note.layer).entries.push_back(note.seq);
    if (!note.to_read) return;
    const std::string text = note_text(note);
    find(note.layer, note, text.empty() ? visible_line(note.subject, kDetailMax) : text);
  }

  void take_bytes(const WireEntry& entry) {
    rung(Layer::kBytes).entries.push_back(entry.seq);
    if (entry.is_http) {
      ladder_.over_http = true;
      if (!entry.raw.empty()) {
        find(Layer::kBytes, entry, direction_of(entry) + "  " + std::to_string(entry.bytes) + " bytes that are no HTTP",
             quoted(entry.raw, kDetailMax));
      } else if (!entry.framing.empty()) {
        find(Layer::kBytes, entry, direction_of(entry) + "  " + visible_line(entry.framing, kDetailMax));
      } else if (const ExchangeView& exchange = exchanges_[entry.exchange];
                 exchange.request == &entry && exchange.response == nullptr && !exchange.answered_raw) {
        find(Layer::kBytes, entry, direction_of(entry) + "  no answer came to " + http_line(entry, {}));
      }
      return;
    }
    if (entry.body.empty() || message_of(entry)) return;
    const std::size_t message = entry.body.find("{\"jsonrpc\"");
    if (message == std::string::npos) {
      find(Layer::kBytes, entry,
           direction_of(entry) + "  " + std::to_string(entry.bytes) + " bytes that are not JSON-RPC",
           quoted(entry.body, kDetailMax));
    } else {
      find(Layer::kBytes, entry,
           direction_of(entry) + "  " + std::to_string(message) +
               " bytes that are not JSON-RPC, then a message, on one line",
           quoted(std::string_view(entry.body).substr(0, message), kDetailMax) + " | " +
               visible_line(std::string_view(entry.body).substr(message), 25));
    }
  }

  void take_http(const WireEntry& entry) {
    if (!is_message(entry)) return;
    rung(Layer::kHttp).entries.push_back(entry.seq);
    const auto status = entry.status();
    if (!status || *status < 400) return;
    const ExchangeView& exchange = exchanges_[entry.exchange];
    const std::string path = exchange.request != nullptr ? exchange.request->path() : std::string();
    if (is_answered_challenge(entry, exchange)) {
      ladder_.challenges.push_back({entry.seq, *status == 401 ? "401 discovery" : "403 step-up"});
    } else if (!is_probe_of_metadata(entry, exchange)) {
      find(Layer::kHttp, entry, direction_of(entry) + "  " + http_line(entry, path));
    }
  }

  void take_envelope(const WireEntry& entry) {
    const std::optional<Json> message = message_of(entry);
    if (!message) return;
    rung(Layer::kEnvelope).entries.push_back(entry.seq);
    if (!message->has("error")) return;
    const bool of_challenge =
        std::any_of(ladder_.challenges.begin(), ladder_.challenges.end(),
                    [&](const AnsweredChallenge& challenge) { return challenge.seq == entry.seq; });
    if (!of_challenge) find(Layer::kEnvelope, entry, direction_of(entry) + "  " + message_line(*message));
  }

  // The same was asked again later, and went through.
  [[nodiscard]] bool is_answered_challenge(const WireEntry& entry, const ExchangeView& exchange) const {
    const bool scope =
        entry.status() == 403 && entry.header("www-authenticate").find("insufficient_scope") != std::string_view::npos;
    const bool token = entry.status() == 401 && !entry.header("www-authenticate").empty();
    if (exchange.request == nullptr || (!scope && !token)) return false;
    return went_through(*exchange.request, entry.seq, [&](const WireEntry& later) {
      return later.path() == exchange.request->path() &&
             later.header("mcp-name") == exchange.request->header("mcp-name");
    });
  }

  // Metadata is looked for in several places (RFC 9728 section 3.1, RFC 8414 section 3); the last one that answers is
  // the one.
  [[nodiscard]] bool is_probe_of_metadata(const WireEntry& entry, const ExchangeView& exchange) const {
    if (exchange.request == nullptr || entry.status() != 404 ||
        exchange.request->path().substr(0, 13) != "/.well-known/")
      return false;
    return went_through(*exchange.request, entry.seq,
                        [](const WireEntry& later) { return later.path().substr(0, 13) == "/.well-known/"; });
  }

  template <class Same>
  [[nodiscard]] bool went_through(const WireEntry& request, std::uint64_t after, Same same) const {
    return std::any_of(exchanges_.begin(), exchanges_.end(), [&](const auto& numbered) {
      const ExchangeView& later = numbered.second;
      if (later.request == nullptr || later.response == nullptr || later.request->seq <= after) return false;
      const int status = later.response->status().value_or(0);
      return later.request->to == request.to && same(*later.request) && status != 401 && status != 403 &&
             status < 500 && status != 404;
    });
  }

  void take_times() {
    if (run_.entries.empty()) return;
    const std::int64_t all = run_.entries.back().at_ms - run_.entries.front().at_ms;
    ladder_.waiting_ms = std::clamp<std::int64_t>(ladder_.waiting_ms, 0, std::max<std::int64_t>(all, 0));
    ladder_.working_ms = std::max<std::int64_t>(all, 0) - ladder_.waiting_ms;
  }

  const WireRun& run_;
  std::map<std::uint64_t, ExchangeView> exchanges_;
  Ladder ladder_;
};

}  // namespace

bool Ladder::something_to_read() const {
  return std::any_of(rungs.begin(), rungs.end(), [](const LadderRung& rung) { return !rung.to_read.empty(); });
}

Ladder climb(const WireRun& run) {
  return Climber(run).climb();
}

std::optional<Layer> ladder_layer(std::string_view name) {
  constexpr std::pair<std::string_view, Layer> kNames[] = {{"bytes", Layer::kBytes},
                                                           {"envelope", Layer::kEnvelope},
                                                           {"http", Layer::kHttp},
                                                           {"schema", Layer::kSchema},
                                                           {"model", Layer::kModel}};
  for (const auto& [layer, value] : kNames) {
    if (layer == name) return value;
  }
  return std::nullopt;
}

}  // namespace postern::host
