// The notifications of one running request: progress and log messages, before its response (MCP 2026-07-28
// basic/patterns/progress; server/utilities/logging).
//
// A handler calls progress() and log() whenever it likes: what the client did not ask for, what does not increase, what
// comes too often and what comes after the response is dropped here, so that no handler has to know the rules. Outlet
// is the transport's end. Thread-safe.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "wire/base/clock.h"
#include "wire/base/json.h"
#include "wire/base/mutex.h"
#include "wire/base/result.h"
#include "wire/mcp/types.h"

namespace postern::mcp {

// Where the messages of one request go. Thread-safe.
class Outlet {
 public:
  virtual ~Outlet() = default;
  // One JSON-RPC notification as text. False when nobody reads it any more.
  virtual bool send(const std::string& message) = 0;
};

// RFC 5424 severities, in rising order, as in LoggingLevel of the schema.
enum class LogSeverity { kDebug, kInfo, kNotice, kWarning, kError, kCritical, kAlert, kEmergency };
[[nodiscard]] std::string_view text_of(LogSeverity severity);
[[nodiscard]] std::optional<LogSeverity> log_severity_of(std::string_view text);

// What a request asks to be told while it runs.
struct NotificationWishes {
  std::optional<Json> progress_token;  // a string or an integer
  std::optional<LogSeverity> log_level;
  [[nodiscard]] bool any() const { return progress_token.has_value() || log_level.has_value(); }
};
// From params._meta. `mcp.malformed_params` for a token that is neither string nor integer and for an unknown level.
[[nodiscard]] Result<NotificationWishes> read_notification_wishes(const RequestMeta& meta);

class RequestNotifications {
 public:
  static constexpr Milliseconds kProgressMsMin{20};  // between two; the last one, progress == total, always goes out

  // Sends nothing when `outlet` is null. Both references must outlive it.
  RequestNotifications(const Clock& clock, NotificationWishes wishes, Outlet* outlet)
      : clock_(clock), wishes_(std::move(wishes)), outlet_(outlet) {}

  void progress(double progress, std::optional<double> total = std::nullopt, std::string_view message = {})
      POSTERN_EXCLUDES(mutex_);
  // `logger` is a fixed name of the program; `data` holds no secret and nothing of another caller.
  void log(LogSeverity severity, std::string_view logger, Json data) POSTERN_EXCLUDES(mutex_);
  // Nothing goes out behind the response.
  void close() POSTERN_EXCLUDES(mutex_);

 private:
  const Clock& clock_;
  const NotificationWishes wishes_;
  Mutex mutex_;
  Outlet* outlet_ POSTERN_GUARDED_BY(mutex_);
  std::optional<double> last_progress_ POSTERN_GUARDED_BY(mutex_);
  SteadyTime last_sent_ POSTERN_GUARDED_BY(mutex_){};
};

}  // namespace postern::mcp
