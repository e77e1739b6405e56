#include "tests/lab/grade/invariants/run_view.h"

#include <algorithm>
#include <cctype>
#include <map>

namespace postern::lab {
namespace {

constexpr JsonBounds kBodyBounds{64 * 1024 * 1024, 64};

bool same_name(std::string_view a, std::string_view b) {
  return a.size() == b.size() && std::equal(a.begin(), a.end(), b.begin(), [](unsigned char x, unsigned char y) {
           return std::tolower(x) == std::tolower(y);
         });
}

std::size_t leg_of(const Evidence& evidence, std::uint64_t seq) {
  std::size_t leg = 0;
  for (std::size_t i = 0; i < evidence.legs.size(); ++i) {
    if (evidence.legs[i] <= seq) leg = i;
  }
  return leg;
}

// The message in a body that is JSON or an event stream: the one with that id, or the last.
Json message_in(std::string_view body, const Json* id) {
  Json found;
  const auto take = [&](std::string_view text) {
    auto message = parse_json(text, kBodyBounds);
    if (!message || !message->has("jsonrpc")) return;
    const bool answer = message->has("result") || message->has("error");
    const Json* own = message->find("id");
    if (found.is_null() || (answer && own != nullptr && id != nullptr && *own == *id)) found = *std::move(message);
  };
  take(body);
  while (!body.empty()) {
    std::string_view line = body.substr(0, body.find_first_of("\r\n"));
    body.remove_prefix(std::min(line.size() + 1, body.size()));
    if (line.substr(0, 5) == "data:") take(line.substr(line.substr(5, 1) == " " ? 6 : 5));
  }
  return found;
}

ServerCall call_of(const Json& message, std::string host, const host::WireEntry& request, std::size_t leg) {
  ServerCall call;
  call.host = std::move(host);
  call.method = message.string_at("method");
  if (const Json* params = message.find("params")) call.params = *params;
  call.request = &request;
  call.leg = leg;
  return call;
}

void answer(ServerCall& call, const Json& message, const host::WireEntry* response) {
  call.response = response;
  if (const Json* result = message.find("result")) call.result = *result;
  if (const Json* error = message.find("error")) call.error = *error;
}

class Reader {
 public:
  explicit Reader(const Evidence& evidence) : evidence_(evidence) {}

  RunView read() {
    for (const host::WireEntry& entry : evidence_.entries) {
      if (entry.is_note) continue;
      // A long answer is shortened in the log as a rule; what the host itself said is needed whole.
      if (entry.cut > 0 && entry.from == "host")
        view_.unreadable.emplace_back(&entry, std::to_string(entry.cut) + " bytes were cut");
      if (entry.is_http) {
        take_http(entry);
      } else {
        take_line(entry);
      }
    }
    for (const Exchange& exchange : view_.exchanges) {
      if (exchange.peer == "server") add_call(exchange);
      if (exchange.peer == "model") add_turn(exchange);
    }
    std::stable_sort(view_.calls.begin(), view_.calls.end(),
                     [](const ServerCall& a, const ServerCall& b) { return a.request->seq < b.request->seq; });
    for (ServerCall& call : view_.calls) call.tool = call.params.string_at("name");
    find_desk();
    return std::move(view_);
  }

 private:
  void take_http(const host::WireEntry& entry) {
    if (entry.from == "host") {
      open_[entry.exchange] = view_.exchanges.size();
      Exchange exchange;
      exchange.peer = entry.to;
      exchange.host = header_of(entry, "host");
      exchange.request = &entry;
      exchange.leg = leg_of(evidence_, entry.seq);
      view_.exchanges.push_back(std::move(exchange));
      return;
    }
    const auto place = open_.find(entry.exchange);
    if (place == open_.end()) {
      view_.unreadable.emplace_back(&entry, "an answer to no request");
      return;
    }
    Exchange& exchange = view_.exchanges[place->second];
    if (exchange.response == nullptr) exchange.response = &entry;
    exchange.response_body += entry.body;
  }

  void take_line(const host::WireEntry& entry) {
    const auto message = parse_json(entry.body, kBodyBounds);
    if (!message || !message->has("jsonrpc")) return;  // invariants that are about it read the entries
    const Json* id = message->find("id");
    if (id == nullptr) return;
    if (entry.from == "host" && message->has("method")) {
      lines_[id->dump()] = view_.calls.size();
      view_.calls.push_back(call_of(*message, "stdio", entry, leg_of(evidence_, entry.seq)));
    } else if (entry.from != "host" && lines_.count(id->dump()) != 0) {
      answer(view_.calls[lines_[id->dump()]], *message, &entry);
    }
  }

  void add_call(const Exchange& exchange) {
    const host::WireEntry& request = *exchange.request;
    if (request.method() != "POST") return;
    const auto message = parse_json(request.body, kBodyBounds);
    if (!message || !message->has("method")) {
      if (header_of(request, "content-type").find("json") != std::string_view::npos) {
        view_.unreadable.emplace_back(&request, "its body is no JSON-RPC message");
      }
      return;
    }
    if (!message->has("id")) return;
    ServerCall call = call_of(*message, exchange.host, request, exchange.leg);
    call.status = exchange.status();
    answer(call, message_in(exchange.response_body, message->find("id")), exchange.response);
    view_.calls.push_back(std::move(call));
  }

  void add_turn(const Exchange& exchange) {
    const host::WireEntry& request = *exchange.request;
    auto body = parse_json(request.body, kBodyBounds);
    if (!body) {
      view_.unreadable.emplace_back(&request, "what the model was sent is no JSON");
      return;
    }
    ModelTurn turn;
    turn.request = &request;
    turn.body = *std::move(body);
    turn.leg = exchange.leg;
    if (auto response = parse_json(exchange.response_body, kBodyBounds)) turn.response = *std::move(response);
    if (const Json* content = turn.response.find("content")) {
      for (const Json& block : content->elements()) {
        if (block.string_at("type") != "tool_use") continue;
        const Json* input = block.find("input");
        turn.uses.push_back({std::string(block.string_at("id")), std::string(block.string_at("name")),
                             input == nullptr ? Json() : *input});
      }
    }
    view_.turns.push_back(std::move(turn));
  }

  void find_desk() {
    for (const ServerCall& call : view_.calls) {
      if (call.is_call_of("open_case")) view_.desk = call.host;
    }
    if (view_.desk.empty() && !view_.calls.empty()) view_.desk = view_.calls.front().host;
  }

  const Evidence& evidence_;
  RunView view_;
  std::map<std::uint64_t, std::size_t> open_;  // exchange number: place in exchanges
  std::map<std::string, std::size_t> lines_;   // id of a line: place in calls
};

// "<kind:digits>" or "<kind#number>", from `begin`; the end of it, and the id.
std::pair<std::size_t, std::string> mark_at(std::string_view text, std::size_t begin) {
  std::size_t at = begin + 1;
  while (at < text.size() && std::islower(static_cast<unsigned char>(text[at])) != 0) ++at;
  if (at == begin + 1 || at >= text.size() || (text[at] != ':' && text[at] != '#')) return {0, ""};
  const std::size_t id = text[at] == ':' ? at + 1 : at;
  std::size_t end = at + 1;
  while (end < text.size() && std::isxdigit(static_cast<unsigned char>(text[end])) != 0) ++end;
  if (end == at + 1 || end >= text.size() || text[end] != '>') return {0, ""};
  return {end + 1, std::string(text.substr(id, end - id))};
}

}  // namespace

bool ServerCall::succeeded() const {
  return result.is_object() && !asks_for_input() && !result.boolean_at("isError").value_or(false);
}

Json ServerCall::arguments() const {
  const Json* found = params.find("arguments");
  return found != nullptr && found->is_object() ? *found : Json::object();
}

Json ServerCall::structured() const {
  const Json* found = result.find("structuredContent");
  return found == nullptr ? Json() : *found;
}

std::vector<const ServerCall*> RunView::desk_calls() const {
  std::vector<const ServerCall*> out;
  for (const ServerCall& call : calls) {
    if (call.host == desk) out.push_back(&call);
  }
  return out;
}

RunView view_of(const Evidence& evidence) {
  return Reader(evidence).read();
}

std::set<std::string> marks_in(std::string_view text) {
  std::set<std::string> out;
  for (std::size_t at = text.find('<'); at != text.npos; at = text.find('<', at + 1)) {
    const std::string id = mark_at(text, at).second;
    if (!id.empty()) out.insert(id);
  }
  return out;
}

std::string mark_in(std::string_view text) {
  for (std::size_t at = text.find('<'); at != text.npos; at = text.find('<', at + 1)) {
    std::string id = mark_at(text, at).second;
    if (!id.empty()) return id;
  }
  return "";
}

std::string_view header_of(const host::WireEntry& entry, std::string_view name) {
  for (const auto& [own, value] : entry.headers) {
    if (same_name(own, name)) return value;
  }
  return {};
}

std::size_t count_headers(const host::WireEntry& entry, std::string_view name) {
  return static_cast<std::size_t>(std::count_if(entry.headers.begin(), entry.headers.end(),
                                                [name](const auto& header) { return same_name(header.first, name); }));
}

bool is_desk_tool(std::string_view shown_name) {
  return shown_name.find("__") == shown_name.npos;
}

void for_each_text(const Json& value, const std::string& path,
                   const std::function<void(const std::string& path, const std::string& text)>& use) {
  if (const std::string* text = value.string()) use(path, *text);
  std::size_t index = 0;
  for (const Json& element : value.elements()) {
    for_each_text(element, path + "[" + std::to_string(index++) + "]", use);
  }
  for (const auto& [name, member] : value.members()) {
    for_each_text(member, path.empty() ? name : path + "." + name, use);
  }
}

}  // namespace postern::lab
