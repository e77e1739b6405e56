#include "tests/lab/model_command.h"

#include <chrono>
#include <optional>
#include <utility>
#include <vector>

#include "tests/lab/model_double.h"
#include "wire/base/log.h"
#include "wire/transport/http_server.h"
#include "wire/transport/launch.h"

namespace postern::lab {
namespace {

constexpr std::size_t kRequestBytesMax = 32 * 1024 * 1024;  // of the Messages API

struct ModelLaunch {
  std::string script;
  std::string record_file;
  std::uint16_t port = 0;
};

Result<ModelLaunch> read_document(const Json& document) {
  LaunchReader reader(document);
  ModelLaunch launch;
  launch.script = reader.string("script");
  launch.record_file = reader.string_or("record_file", "");
  const std::int64_t port = reader.integer_or("port", 0);
  POSTERN_TRY_VOID(reader.finish());
  if (port < 0 || port > 65535) return BadLaunchDocument{"port is not between 0 and 65535"};
  launch.port = static_cast<std::uint16_t>(port);
  return launch;
}

Status serve(const std::string& config) {
  POSTERN_TRY(Launch launch, read_launch(config));
  POSTERN_TRY(const ModelLaunch wanted, read_document(launch.document));
  POSTERN_TRY(ModelScript script, embedded_script(wanted.script));
  std::optional<LineFile> record;
  if (!wanted.record_file.empty()) {
    POSTERN_TRY(record, LineFile::open(wanted.record_file));
  }
  POSTERN_TRY(ListeningSocket socket, launch.take_socket("model", wanted.port));
  log_info("the script " + script.name() + " answers at " + socket.origin());

  SystemClock clock;
  SystemRandomSource random;
  NoTap tap;
  const Env env{clock, random, tap};
  ModelDouble model(env, std::move(script), std::move(record));
  HttpLimits limits;
  limits.body_bytes_max = kRequestBytesMax;
  std::vector<HttpListener> listeners;
  listeners.push_back(HttpListener{std::move(socket), model.routes(), limits, "model"});
  HttpServer server(std::move(listeners), env);
  server.start();
  wait_until_told_to_stop(clock, launch.from_stdin);
  server.drain(std::chrono::milliseconds(1000));
  return {};
}

}  // namespace

int serve_model(const std::string& config) {
  start_log("postern-lab model", LogLevel::kInfo);
  prepare_signals();
  if (const Status served = serve(config); !served) {
    log_error(served.error().text());
    return 2;
  }
  return 0;
}

}  // namespace postern::lab
