#include "services/mcp/notifications.h"

#include <array>

#include "wire/jsonrpc/message.h"
#include "wire/mcp/codec.h"

namespace postern::mcp {
namespace {

constexpr std::string_view kMetaLogLevel = "io.modelcontextprotocol/logLevel";
constexpr std::string_view kMetaProgressToken = "progressToken";

constexpr std::array<std::string_view, 8> kSeverities = {"debug", "info",     "notice", "warning",
                                                         "error", "critical", "alert",  "emergency"};

}  // namespace

std::string_view text_of(LogSeverity severity) {
  return kSeverities.at(static_cast<std::size_t>(severity));
}

std::optional<LogSeverity> log_severity_of(std::string_view text) {
  for (std::size_t i = 0; i < kSeverities.size(); ++i) {
    if (kSeverities.at(i) == text) return static_cast<LogSeverity>(i);
  }
  return std::nullopt;
}

Result<NotificationWishes> read_notification_wishes(const RequestMeta& meta) {
  NotificationWishes wishes;
  if (const Json* token = meta.extra.find(kMetaProgressToken)) {
    if (!token->is_string() && !token->is_integer())
      return MalformedParams{"params._meta.progressToken", "a string or an integer"};
    wishes.progress_token = *token;
  }
  if (const Json* level = meta.extra.find(kMetaLogLevel)) {
    const std::string* text = level->string();
    if (text != nullptr) wishes.log_level = log_severity_of(*text);
    if (!wishes.log_level) return MalformedParams{"params._meta." + std::string(kMetaLogLevel), "a level of RFC 5424"};
  }
  return wishes;
}

void RequestNotifications::progress(double progress, std::optional<double> total, std::string_view message) {
  if (!wishes_.progress_token) return;
  const MutexLock lock(mutex_);
  if (outlet_ == nullptr) return;
  if (last_progress_ && progress <= *last_progress_) return;
  const SteadyTime now = clock_.steady_now();
  const bool is_last = total && progress >= *total;
  if (last_progress_ && !is_last && now - last_sent_ < kProgressMsMin) return;
  last_progress_ = progress;
  last_sent_ = now;
  Json params = Json::object({{std::string(kMetaProgressToken), *wishes_.progress_token}, {"progress", progress}});
  if (total) params.append_member("total", *total);
  if (!message.empty()) params.append_member("message", message);
  if (!outlet_->send(serialise(JsonRpcNotification{"notifications/progress", std::move(params)}))) outlet_ = nullptr;
}

void RequestNotifications::log(LogSeverity severity, std::string_view logger, Json data) {
  if (!wishes_.log_level || severity < *wishes_.log_level) return;
  const MutexLock lock(mutex_);
  if (outlet_ == nullptr) return;
  Json params = Json::object({{"level", text_of(severity)}, {"logger", logger}, {"data", std::move(data)}});
  if (!outlet_->send(serialise(JsonRpcNotification{"notifications/message", std::move(params)}))) outlet_ = nullptr;
}

void RequestNotifications::close() {
  const MutexLock lock(mutex_);
  outlet_ = nullptr;
}

}  // namespace postern::mcp
