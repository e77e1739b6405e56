// stdio_double server [ignore-eof] [ignore-term] [spawn-helper]: an MCP server that does what its requests say.
// stdio_double host PROGRAM: a host with one such server, which prints the server's process id and waits.
#include <signal.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "bridge/stdio_transport.h"
#include "tests/support/seeded_random.h"
#include "wire/base/json.h"
#include "wire/jsonrpc/message.h"

extern char** environ;  // NOLINT(readability-redundant-declaration)

namespace postern {
namespace {

void write_all(int descriptor, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(descriptor, bytes.data(), bytes.size());
    if (written <= 0) std::_Exit(9);
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
}

void send_line(const std::string& line) {
  write_all(STDOUT_FILENO, line + "\n");
}

pid_t helper = 0;

class Server {
 public:
  void take(const std::string& line) {
    seen_.push_back(Json(line));
    Result<JsonRpcMessage> message = parse_message(line, JsonBounds{64 * 1024 * 1024, 64});
    if (!message) return;
    if (const auto* request = std::get_if<JsonRpcRequest>(&*message)) {
      serve(*request);
    } else if (std::holds_alternative<JsonRpcResult>(*message) || std::holds_alternative<JsonRpcError>(*message)) {
      // The client's answer to a request of ours: told to whoever asked for it.
      if (asking_) send_line(serialise(JsonRpcResult{*asking_, Json::object({{"answered", Json(line)}})}));
      asking_.reset();
    }
  }

 private:
  void answer(const RequestId& id, Json result) { send_line(serialise(JsonRpcResult{id, std::move(result)})); }

  void serve(const JsonRpcRequest& request) {
    const Json& params = request.params;
    const std::string& method = request.method;
    if (method == "silent" || params.boolean_at("silent").value_or(false)) return;
    if (method == "echo" || method == "initialize") return answer(request.id, params);
    if (method == "env") return answer(request.id, surroundings());
    if (method == "seen") return answer(request.id, Json::object({{"lines", Json::array_of(seen_)}}));
    if (method == "exit") std::_Exit(static_cast<int>(params.integer_at("status").value_or(0)));
    if (method == "last_words") {
      write_all(STDERR_FILENO, std::string(params.string_at("text")) + "\n");
      std::_Exit(3);
    }
    if (method == "kill") {
      ::raise(static_cast<int>(params.integer_at("signal").value_or(SIGKILL)));
      return;
    }
    if (method == "print") {
      write_all(STDOUT_FILENO, params.string_at("text"));
      return answer(request.id, Json::object());
    }
    if (method == "flood") return flood(request);
    if (method == "big") return big(request);
    if (method == "progress") return progress(request);
    if (method == "hold") return held_.push_back(request.id);
    if (method == "release") {
      for (const RequestId& id : held_) answer(id, Json::object({{"late", Json(true)}}));
      held_.clear();
      return answer(request.id, Json::object());
    }
    if (method == "ask") {
      asking_ = request.id;
      return send_line(serialise(
          JsonRpcRequest{RequestId(std::string("s-1")), std::string(params.string_at("method")), Json::object()}));
    }
    if (method == "ask_and_go_on") {
      send_line(serialise(JsonRpcRequest{RequestId(std::string("s-1")), "ping", Json::object()}));
      return answer(request.id, Json::object());
    }
    if (method == "error_without_id") {
      return send_line(R"({"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"Parse error"}})");
    }
    if (method == "raw") return send_line(std::string(params.string_at("line")));
    serve_rest(request);
  }

  void serve_rest(const JsonRpcRequest& request) {
    const std::string& method = request.method;
    if (method == "subscriptions/listen") {
      listens_.push_back(request.id);
      return notify(request.id, "notifications/subscriptions/acknowledged", 0);
    }
    if (method == "publish") {
      for (int i = 1; i <= 3; ++i) {
        for (const RequestId& id : listens_) notify(id, "notifications/tools/list_changed", i);
      }
      return answer(request.id, Json::object());
    }
    if (method == "close_listens") {
      for (const RequestId& id : listens_) {
        send_line(
            serialise(JsonRpcNotification{"notifications/cancelled", Json::object({{"requestId", Json(id.json())}})}));
      }
      return answer(request.id, Json::object());
    }
    if (method == "close_output") {
      ::close(STDOUT_FILENO);
      return;
    }
    if (method == "close_input") {
      ::close(STDIN_FILENO);
      answer(request.id, Json::object());
      for (;;) ::pause();
    }
    if (method == "deaf") {
      answer(request.id, Json::object());
      for (;;) ::pause();
    }
    JsonRpcError error;
    error.id = request.id;
    error.code = -32601;
    error.message = "Method not found";
    send_line(serialise(error));
  }

  static Json surroundings() {
    Json variables = Json::object();
    for (char** one = environ; *one != nullptr; ++one) {
      const std::string line(*one);
      variables.set(line.substr(0, line.find('=')), Json(line.substr(line.find('=') + 1)));
    }
    char folder[4096] = "";
    static_cast<void>(!::getcwd(folder, sizeof folder));
    return Json::object({{"variables", variables},
                         {"folder", Json(std::string(folder))},
                         {"helper", Json(static_cast<std::int64_t>(helper))},
                         {"group", Json(static_cast<std::int64_t>(::getpgrp()))},
                         {"process", Json(static_cast<std::int64_t>(::getpid()))}});
  }

  void flood(const JsonRpcRequest& request) {
    std::string line(1023, 'e');
    if (request.params.boolean_at("lines").value_or(true)) line += '\n';
    for (std::int64_t left = request.params.integer_at("kilobytes").value_or(0); left > 0; --left) {
      write_all(STDERR_FILENO, line);
    }
    answer(request.id, Json::object());
  }

  void big(const JsonRpcRequest& request) {
    const auto bytes = static_cast<std::size_t>(request.params.integer_at("bytes").value_or(0));
    std::string line = serialise(JsonRpcResult{request.id, Json::object({{"text", Json("@")}})});
    line.replace(line.find('@'), 1, std::string(bytes - line.size() + 1, 'x'));  // the whole line has that many
    if (!request.params.boolean_at("drip").value_or(false)) return send_line(line);
    line += '\n';
    for (const char& c : line) write_all(STDOUT_FILENO, std::string_view(&c, 1));
  }

  void progress(const JsonRpcRequest& request) {
    const Json* const meta = request.params.find("_meta");
    const Json* const token = meta == nullptr ? nullptr : meta->find("progressToken");
    const std::int64_t reports = request.params.integer_at("reports").value_or(3);
    for (std::int64_t i = 1; i <= reports && token != nullptr; ++i) {
      send_line(serialise(JsonRpcNotification{"notifications/progress",
                                              Json::object({{"progressToken", *token}, {"progress", Json(i)}})}));
    }
    if (request.params.boolean_at("answers").value_or(true)) answer(request.id, Json::object());
  }

  static void notify(const RequestId& listen, const char* method, int number) {
    const Json meta = Json::object({{"io.modelcontextprotocol/subscriptionId", listen.json()}});
    send_line(serialise(JsonRpcNotification{
        method, Json::object({{"_meta", meta}, {"number", Json(static_cast<std::int64_t>(number))}})}));
  }

  Json::Array seen_;
  std::vector<RequestId> held_;
  std::vector<RequestId> listens_;
  std::optional<RequestId> asking_;
};

int serve(const std::set<std::string>& modes) {
  if (modes.count("ignore-term") != 0) ::signal(SIGTERM, SIG_IGN);
  if (modes.count("spawn-helper") != 0) {
    helper = ::fork();
    while (helper == 0) ::pause();  // holds all pipes open
  }
  if (modes.count("exits-at-once") != 0) return 5;
  std::ios::sync_with_stdio(false);
  Server server;
  for (std::string line; std::getline(std::cin, line);) server.take(line);
  if (modes.count("ignore-eof") != 0) {
    for (;;) ::pause();
  }
  return 0;
}

int host(const char* program) {
  ::signal(SIGPIPE, SIG_IGN);
  SystemClock clock;
  test::SeededRandom random;
  NoTap tap;
  bridge::StdioTransportOptions options;
  options.name = "double";
  options.command = program;
  options.args = {"server", "ignore-eof", "ignore-term"};
  bridge::StdioTransport transport(Env{clock, random, tap}, options);
  bridge::OutgoingRequest request;
  request.method = "echo";
  request.params = Json::object();
  request.deadline = clock.steady_now() + std::chrono::seconds(20);
  if (!transport.exchange(request, {})) return 1;
  send_line(std::to_string(transport.process_id()));
  for (;;) ::pause();
}

}  // namespace
}  // namespace postern

int main(int count, char** arguments) {
  const std::string mode = count > 1 ? arguments[1] : "";
  if (mode == "host" && count == 3) return postern::host(arguments[2]);
  if (mode != "server") return 2;
  return postern::serve(std::set<std::string>(arguments + 2, arguments + count));
}
