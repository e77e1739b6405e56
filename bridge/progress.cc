#include "bridge/progress.h"

#include <utility>

#include "wire/base/visible_text.h"

namespace postern::bridge {

ProgressFilter::ProgressFilter(std::string method, const Json& params) : method_(std::move(method)) {
  const Json* meta = params.find("_meta");
  const Json* token = meta == nullptr ? nullptr : meta->find("progressToken");
  if (token != nullptr) token_ = *token;
}

std::optional<ProgressReport> ProgressFilter::admit(const JsonRpcNotification& notification) {
  if (!token_ || notification.method != "notifications/progress") return std::nullopt;
  const Json* token = notification.params.find("progressToken");
  const Json* progress = notification.params.find("progress");
  if (token == nullptr || token->type_name() != token_->type_name() || !(*token == *token_)) return std::nullopt;
  const std::optional<double> value = progress == nullptr ? std::nullopt : progress->number();
  if (!value || (highest_ && *value <= *highest_)) return std::nullopt;
  highest_ = value;
  ProgressReport report;
  report.method = method_;
  report.progress = *value;
  if (const Json* total = notification.params.find("total")) report.total = total->number();
  report.message = visible_line(notification.params.string_at("message"), 200);
  return report;
}

}  // namespace postern::bridge
