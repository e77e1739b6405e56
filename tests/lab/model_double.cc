#include "tests/lab/model_double.h"

#include <utility>

#include "wire/base/digest.h"
#include "wire/base/log.h"
#include "wire/base/visible_text.h"

namespace postern::lab {
namespace {

RequestRefused refuse(std::string reason) {
  return RequestRefused{std::move(reason)};
}

HttpResponse error_response(const RequestRefused& refused, const std::string& request_id) {
  const Json body = Json::object({{"type", "error"},
                                  {"error", Json::object({{"type", refused.type}, {"message", refused.reason}})},
                                  {"request_id", request_id}});
  return json_response(refused.status, body.dump());
}

std::string key_of(const HeaderList& headers) {
  if (const std::string* key = headers.find("x-api-key")) return *key;
  const std::string* bearer = headers.find("authorization");
  return bearer != nullptr && bearer->starts_with("Bearer ") ? bearer->substr(7) : "";
}

Status check_headers(const HttpRequest& request) {
  if (key_of(request.headers).empty())
    return RequestRefused{"x-api-key header is required", 401, "authentication_error"};
  if (!request.headers.has("anthropic-version")) return refuse("anthropic-version: header is required");
  const std::string* type = request.headers.find("content-type");
  if (type == nullptr || media_type(*type) != "application/json")
    return refuse("content-type: must be application/json");
  return {};
}

std::vector<std::string> message_texts(const Conversation& conversation) {
  std::vector<std::string> texts;
  if (const Json* messages = conversation.request.find("messages")) {
    for (const Json& message : messages->elements()) texts.push_back(message.dump());
  }
  return texts;
}

std::string padded(std::uint64_t number) {
  const std::string digits = std::to_string(number);
  return digits.size() < 6 ? std::string(6 - digits.size(), '0') + digits : digits;
}

}  // namespace

ModelDouble::ModelDouble(Env env, ModelScript script, std::optional<LineFile> record)
    : env_(env), script_(std::move(script)), record_(std::move(record)) {}

Routes ModelDouble::routes() {
  Routes routes;
  routes.add("POST", "/v1/messages", [this](const HttpRequest& request) -> HttpReply { return answer(request); });
  routes.fallback([](const HttpRequest&) -> HttpReply {
    return error_response(RequestRefused{"there is nothing at this path", 404, "not_found_error"}, "req_none");
  });
  return routes;
}

HttpResponse ModelDouble::answer(const HttpRequest& request) {
  const std::string request_id = "req_double" + padded(++requests_);
  const Result<std::string> reply = reply_to(request);
  HttpResponse response;
  if (reply) {
    response = json_response(200, *reply);
  } else if (const auto* refused = reply.error().as<RequestRefused>()) {
    log_warning("refused: " + visible_line(refused->reason));
    response = error_response(*refused, request_id);
  } else {
    log_error(reply.error().text());
    response = error_response(RequestRefused{reply.error().text(), 500, "api_error"}, request_id);
  }
  response.headers.set("request-id", request_id);
  record(request, response.status);
  return response;
}

Result<std::string> ModelDouble::reply_to(const HttpRequest& request) {
  POSTERN_TRY_VOID(check_headers(request));
  POSTERN_TRY(const Conversation conversation, read_conversation(request.body, script_.label()));
  // A key belongs into its header; a body goes to logs and providers.
  if (request.body.find(key_of(request.headers)) != std::string::npos)
    return refuse("the body holds the key of the request");
  POSTERN_TRY_VOID(script_.check(request.headers, conversation));
  const std::vector<std::string> messages = message_texts(conversation);

  const MutexLock lock(mutex_);
  POSTERN_TRY(Memory* const memory, recall(conversation, messages));
  if (memory->asked == messages.size()) return memory->reply;
  POSTERN_TRY(const ModelMove move, script_.next(conversation));
  std::string content;
  std::string reply = write_reply(move, conversation, content);
  memory->messages = messages;
  memory->asked = messages.size();
  memory->messages.push_back("{\"role\":\"assistant\",\"content\":" + content + "}");
  memory->reply = reply;
  return reply;
}

// The conversation that a request goes on with. It may have grown by one user message, or be the same as before;
// nothing in it may have changed, because thinking blocks are bound to all that stands before them (Messages API,
// "append-only").
Result<ModelDouble::Memory*> ModelDouble::recall(const Conversation& conversation,
                                                 const std::vector<std::string>& messages) {
  const Json* tools = conversation.request.find("tools");
  const std::string head =
      sha256(conversation.system + '\0' + (tools == nullptr ? "" : tools->dump()) + '\0' + messages.front());
  for (Memory& memory : memories_) {
    if (memory.head != head) continue;
    const std::size_t known = messages.size() == memory.asked ? memory.asked : memory.messages.size();
    if (messages.size() < known || messages.size() > memory.messages.size() + 1) {
      return refuse("messages: the conversation does not go on where it stood");
    }
    for (std::size_t i = 0; i < known; ++i) {
      if (messages[i] != memory.messages[i]) {
        return refuse("messages." + std::to_string(i) + ": The block is bound to a different conversation");
      }
    }
    return &memory;
  }
  // A run that goes on later brings a conversation that another process began. Beside one that is known here, it is a
  // changed prefix.
  if (messages.size() > 1 && !memories_.empty()) return refuse("system or tools: changed since the conversation began");
  memories_.push_back(Memory{head, {}, 0, ""});
  return &memories_.back();
}

std::string ModelDouble::write_reply(const ModelMove& move, const Conversation& conversation, std::string& content) {
  Json blocks = Json::array();
  const std::string number = padded(requests_.load());
  if (!move.thinks.empty()) {
    // The signature stands for what a real one does: it must come back unchanged, and so must the block.
    const std::string signature = sha256_hex(move.thinks + number);
    blocks.push(Json::object({{"type", "thinking"}, {"thinking", move.thinks}, {"signature", signature}}));
  }
  if (!move.says.empty()) blocks.push(Json::object({{"type", "text"}, {"text", move.says}, {"citations", nullptr}}));
  if (!move.tool.empty()) {
    blocks.push(Json::object({{"type", "tool_use"},
                              {"id", "toolu_double" + number},
                              {"name", move.tool},
                              {"input", move.input},
                              {"caller", Json::object({{"type", "direct"}})}}));
  }
  content = blocks.dump();
  const Json usage = Json::object({{"input_tokens", static_cast<std::int64_t>(conversation.request.dump().size() / 4)},
                                   {"output_tokens", static_cast<std::int64_t>(content.size() / 4)},
                                   {"cache_creation_input_tokens", 0},
                                   {"cache_read_input_tokens", 0}});
  const Json message = Json::object({{"id", "msg_double" + number},
                                     {"type", "message"},
                                     {"role", "assistant"},
                                     {"model", conversation.request.string_at("model")},
                                     {"content", std::move(blocks)},
                                     {"container", nullptr},
                                     {"diagnostics", nullptr},
                                     {"stop_reason", move.tool.empty() ? "end_turn" : "tool_use"},
                                     {"stop_sequence", nullptr},
                                     {"stop_details", nullptr},
                                     {"usage", usage}});
  return message.dump();
}

void ModelDouble::record(const HttpRequest& request, int status) const {
  if (!record_) return;
  Json headers = Json::object();
  for (const HeaderField& field : request.headers.fields()) {
    const bool is_key =
        equal_ignoring_case(field.name, "x-api-key") || equal_ignoring_case(field.name, "authorization");
    headers.set(field.name, is_key ? std::string("<key>") : field.value);
  }
  auto body = parse_json(request.body, {32 << 20, 64});
  Json line = Json::object({{"at", rfc3339(env_.clock.now())},
                            {"target", request.target},
                            {"headers", std::move(headers)},
                            {"body", body ? *std::move(body) : Json(request.body)},
                            {"status", status}});
  if (const Status written = record_->append(line.dump()); !written) log_error(written.error().text());
}

}  // namespace postern::lab
