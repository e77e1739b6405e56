// The client's end of a StdioServer that serves on a thread, over real pipes.
#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <optional>
#include <string>
#include <thread>
#include <utility>

#include "services/mcp/stdio_server.h"
#include "tests/support/refused.h"
#include "tests/unit/mcp_server/working_server.h"
#include "wire/transport/stdio_stream.h"

namespace postern::test {

class StdioClient {
 public:
  explicit StdioClient(const mcp::Server& server, mcp::StdioOptions options = {}, std::size_t line_max = 1 << 20)
      : launch_("rowan"), server_(server, launch_.principal(), nullptr, std::move(options)) {
    ::signal(SIGPIPE, SIG_IGN);
    EXPECT_EQ(::pipe2(in_, O_CLOEXEC), 0);
    EXPECT_EQ(::pipe2(out_, O_CLOEXEC), 0);
    reader_.emplace(out_[0], StdioTap{}, 16 * 1024 * 1024);
    thread_ = std::thread([this, line_max] {
      LineReader in(in_[0], {}, line_max);
      LineWriter out(out_[1], {});
      status_ = server_.serve(in, out, stop_.get_token());
      close_end(out_[1]);  // as when the process ends
    });
  }
  ~StdioClient() {
    close_input();
    close_output();
    if (thread_.joinable()) thread_.join();
    close_end(in_[0]);
  }

  static std::string request(const std::string& method, const std::string& id, Json params = Json::object()) {
    if (!params.has("_meta")) params.set("_meta", json_of_text(kModernMeta));
    return R"({"jsonrpc":"2.0","id":)" + id + R"(,"method":")" + method + R"(","params":)" + params.dump() + "}";
  }
  static std::string call(const std::string& tool, const std::string& id, Json meta = Json::object()) {
    Json whole = json_of_text(kModernMeta);
    for (const auto& [name, value] : meta.members()) whole.set(name, value);
    return request("tools/call", id, Json::object({{"name", tool}, {"_meta", std::move(whole)}}));
  }
  static std::string cancel(const std::string& id, const std::string& reason = "no longer needed") {
    return R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":)" + id + R"(,"reason":")" +
           reason + R"("}})";
  }
  static std::string listen(const std::string& id) {
    return request(
        "subscriptions/listen", id,
        Json::object(
            {{"notifications", json_of_text(R"({"toolsListChanged":true,"resourceSubscriptions":["note://one"]})")}}));
  }

  void put(std::string_view bytes) const {
    while (!bytes.empty()) {
      const ssize_t size = ::write(in_[1], bytes.data(), bytes.size());
      ASSERT_GT(size, 0);
      bytes.remove_prefix(static_cast<std::size_t>(size));
    }
  }
  void send(const std::string& line) const { put(line + "\n"); }
  // The next message, which must be one; null when the output ends.
  Json next() {
    const auto line = reader_->read_line(in_time());
    if (!line) {
      EXPECT_TRUE(failed_with(line, PeerClosed::kId)) << line.error().text();
      return Json();
    }
    EXPECT_TRUE(succeeded(parse_message(*line, {16 * 1024 * 1024, 64}))) << line->substr(0, 400);
    return parse_json(*line, {16 * 1024 * 1024, 64}).value_or(Json());
  }
  // Sends a request that is answered at once, and gives whatever comes first: nothing else was on its way when it is
  // that answer.
  Json next_after_echo(const std::string& id) {
    send(call("echo", id));
    return next();
  }
  void close_input() { close_end(in_[1]); }
  void close_output() { close_end(out_[0]); }
  void stop() { stop_.request_stop(); }
  // What serve() gave, once it has ended.
  const Status& ended() {
    thread_.join();
    return status_;
  }
  [[nodiscard]] int output() const { return out_[0]; }

 private:
  static void close_end(int& end) {
    if (end >= 0) ::close(std::exchange(end, -1));
  }

  services::StdioLaunch launch_;
  mcp::StdioServer server_;
  int in_[2] = {-1, -1};
  int out_[2] = {-1, -1};
  std::optional<LineReader> reader_;
  std::stop_source stop_;
  Status status_;
  std::thread thread_;
};

}  // namespace postern::test
