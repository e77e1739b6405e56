#include "tests/lab/attack/world_stack.h"

#include <utility>

#include "host/local_world.h"
#include "tests/lab/attack/mcp_call.h"
#include "tests/lab/attack/target.h"
#include "tests/lab/world/lab_world.h"

namespace postern::lab {
namespace {

// What went from the desk to the services, and whether the desk still lives.
struct DeskWire {
  std::string record;  // requests and answers, as they were
  bool dies_when_paid = false;
  bool dead = false;
};

struct DeskDied {
  static constexpr std::string_view kId = "lab.desk_died";
  static constexpr Layer kLayer = Layer::kHttp;
  static constexpr Disposition kDisposition = Disposition::kUnavailable;
  [[nodiscard]] std::string text() const { return "The desk ended here."; }
};

void write_down(std::string& record, const std::string& first_line, const HeaderList& headers,
                const std::string& body) {
  record += first_line + "\n";
  for (const HeaderField& field : headers.fields()) record += field.name + ": " + field.value + "\n";
  record += "\n" + body + "\n";
}

// The desk's side of its connections to approvals and payments.
class DeskClient final : public HttpClient {
 public:
  DeskClient(std::unique_ptr<HttpClient> inner, std::shared_ptr<DeskWire> wire)
      : inner_(std::move(inner)), wire_(std::move(wire)) {}
  Result<HttpResponse> send(const Uri& uri, const HttpRequest& request, SteadyTime deadline,
                            std::stop_token stop) override {
    if (wire_->dead) return DeskDied{};
    write_down(wire_->record, request.method + " " + request.target, request.headers, request.body);
    auto answer = inner_->send(uri, request, deadline, std::move(stop));
    if (!answer) return answer;
    write_down(wire_->record, std::to_string(answer->status), answer->headers, answer->body);
    if (wire_->dies_when_paid && request.method == "POST" && request.path() == "/refunds") {
      wire_->dead = true;
      return DeskDied{};
    }
    return answer;
  }
  Result<HttpResponse> open(const Uri& uri, const HttpRequest& request,
                            const std::function<bool(const HttpResponse&)>& on_head,
                            const std::function<bool(std::string_view)>& on_bytes, SteadyTime deadline,
                            std::stop_token stop) override {
    if (wire_->dead) return DeskDied{};
    return inner_->open(uri, request, on_head, on_bytes, deadline, std::move(stop));
  }

 private:
  std::unique_ptr<HttpClient> inner_;
  std::shared_ptr<DeskWire> wire_;
};

class WorldStack final : public ProductStack {
 public:
  WorldStack(std::unique_ptr<LabWorld> world, std::shared_ptr<DeskWire> wire)
      : world_(std::move(world)), wire_(std::move(wire)) {}

  [[nodiscard]] Env env() override { return world_->env(); }
  [[nodiscard]] HttpClient& http() override { return world_->network(); }
  [[nodiscard]] std::string origin(std::string_view name) const override { return world_->origin(name); }
  [[nodiscard]] std::string headless_secret() const override { return world_->local_world().headless_secret; }
  [[nodiscard]] Json desk_document() const override { return world_->local_world().desk_document(); }
  [[nodiscard]] Result<std::string> sign_as_issuer(const Json& header, const Json& claims) override {
    return world_->sign_as_issuer(header, claims);
  }
  // Nobody serves it: whoever asks for it is seen in LabWorld::strangers().
  [[nodiscard]] std::string own_keys_url() const override { return "http://127.0.0.1:18999/keys"; }
  [[nodiscard]] Result<std::string> raw(std::string_view bytes) override { return world_->raw("desk", bytes); }
  [[nodiscard]] Result<std::map<std::string, std::string>> artefacts() override {
    auto all = world_->artefacts();
    all.emplace("calls of the desk to its services", wire_->record);
    return all;
  }
  [[nodiscard]] Result<std::vector<HttpResponse>> at_once(const HttpRequest&) override {
    return NotObservable{"a world in one thread has no instant that two calls share"};
  }
  [[nodiscard]] Result<HttpResponse> after_crash(const HttpRequest& request) override {
    POSTERN_TRY(const Uri desk, parse_uri(origin("desk")));
    const std::string bytes = bytes_of(request, desk.authority(), {}, {});
    wire_->dies_when_paid = true;
    static_cast<void>(raw(bytes));  // nobody hears what a process says that is gone
    wire_->dies_when_paid = false;
    const bool paid = std::exchange(wire_->dead, false);
    POSTERN_TRY_VOID(world_->stop_program("desk"));
    if (!paid) return AttackFailed{"the desk never asked payments to pay"};
    POSTERN_TRY_VOID(world_->start_program("desk"));
    POSTERN_TRY(const std::string answer, raw(bytes));
    return response_of_bytes(answer);
  }

 private:
  std::unique_ptr<LabWorld> world_;
  std::shared_ptr<DeskWire> wire_;
};

}  // namespace

Result<std::unique_ptr<ProductStack>> start_world_stack(WorldStackOptions options) {
  auto wire = std::make_shared<DeskWire>();
  LabWorldOptions world;
  world.folder = std::move(options.folder);
  world.seed = std::move(options.seed);
  world.controls = std::move(options.controls);
  world.decorators.http = [wire](std::unique_ptr<HttpClient> client, std::string_view from,
                                 std::string_view to) -> std::unique_ptr<HttpClient> {
    if (from != "desk" || to == "issuer") return client;
    return std::make_unique<DeskClient>(std::move(client), wire);
  };
  POSTERN_TRY(auto made, LabWorld::make(std::move(world)));
  return std::unique_ptr<ProductStack>(std::make_unique<WorldStack>(std::move(made), std::move(wire)));
}

}  // namespace postern::lab
