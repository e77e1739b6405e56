#include "tests/lab/replay/model_troubles.h"

#include <memory>
#include <utility>

#include "wire/base/json.h"

namespace postern::lab {
namespace {

constexpr std::string_view kHeadEnd = "\r\n\r\n";

std::string body_of(const std::string& bytes) {
  const std::size_t end = bytes.find(kHeadEnd);
  return end == std::string::npos ? std::string() : bytes.substr(end + kHeadEnd.size());
}

std::string answer(std::string_view status_line, std::string_view headers, std::string_view body) {
  std::string bytes = "HTTP/1.1 " + std::string(status_line) + "\r\nContent-Type: application/json\r\n";
  bytes.append(headers).append("Content-Length: " + std::to_string(body.size()) + "\r\n\r\n").append(body);
  return bytes;
}

}  // namespace

void change_model_answers(faults::Scene& scene, ModelAnswer change) {
  scene.world.decorators.answers = [change = std::move(change), requests = std::make_shared<int>(0)](
                                       std::string_view from, std::string bytes) {
    if (from != "model") return bytes;
    std::optional<std::string> changed = change(++*requests, bytes);
    return changed ? *std::move(changed) : bytes;
  };
}

std::string model_error(std::string_view status_line, std::string_view type, std::string_view message,
                        std::string_view headers) {
  const Json error = Json::object({{"type", type}, {"message", message}});
  return answer(status_line, headers, Json::object({{"type", "error"}, {"error", error}}).dump());
}

std::string stopped_for(const std::string& bytes, std::string_view reason) {
  auto body = parse_json(body_of(bytes), {16 * 1024 * 1024, 64});
  if (!body) return bytes;
  body->set("stop_reason", reason);
  return answer("200 OK", "", body->dump());
}

std::string half_of(const std::string& bytes) {
  const std::string body = body_of(bytes);
  return answer("200 OK", "", std::string_view(body).substr(0, body.size() / 2));
}

}  // namespace postern::lab
