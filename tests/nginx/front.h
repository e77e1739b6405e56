// Two desk processes on one store and one key ring, behind one nginx with TLS, and the services that they need.
//
// Real programs as children on free ports of 127.0.0.1; everything they write is in a folder of the test's own. One
// thread.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "host/local_world.h"
#include "tests/support/temporary_folder.h"
#include "wire/base/clock.h"
#include "wire/base/json.h"
#include "wire/base/random_source.h"
#include "wire/env/env.h"
#include "wire/transport/child_process.h"
#include "wire/transport/http_client.h"
#include "wire/transport/listening_socket.h"

namespace postern::nginx {

// The first of "nginx", "openssl", "curl" that is not installed; empty when all are.
[[nodiscard]] std::string missing_program();

struct FrontOptions {
  Json limits;  // of the desks; null: the product's own
};

class Front {
 public:
  // Starts everything and waits until it answers. A failed expectation says what did not.
  explicit Front(const FrontOptions& options);
  ~Front();
  Front(const Front&) = delete;
  Front& operator=(const Front&) = delete;

  [[nodiscard]] bool is_up() const { return up_; }
  [[nodiscard]] std::string origin() const;    // "https://localhost:8443": what clients know
  [[nodiscard]] std::string resource() const;  // the MCP endpoint there
  [[nodiscard]] std::string issuer() const { return world_.origin("issuer"); }
  [[nodiscard]] std::string desk_address(std::size_t which) const;  // "127.0.0.1:PORT", as nginx names it
  [[nodiscard]] std::string ca_file() const { return folder_ / "ca.pem"; }
  [[nodiscard]] std::string store_folder() const { return folder_ / "desk"; }

  // An access token for the resource, of a sign-in at the issuer.
  [[nodiscard]] std::string token(std::string_view person, std::string_view scope);
  // One request to nginx, through TLS that trusts the test's authority alone.
  [[nodiscard]] HttpResponse send(const HttpRequest& request);
  // What came of a stream before it ended, or within some seconds: its head and what stood in its first event.
  struct FirstBytes {
    HttpResponse head{0, {}, ""};
    std::string bytes;
  };
  [[nodiscard]] FirstBytes first_bytes_of(const HttpRequest& request);
  // One request to what listens on a port of this machine, past nginx.
  [[nodiscard]] HttpResponse send_to(const std::string& origin, const HttpRequest& request);
  [[nodiscard]] HttpResponse health(std::size_t which);
  // Statuses of `count` requests with a token that nobody issued, from that address of this machine, by curl; with one
  // more header line when there is one.
  [[nodiscard]] std::vector<int> statuses_of_strangers(const std::string& address, int count,
                                                       const std::string& header = {});
  // Ends one desk as an operator does; what it had in flight is finished.
  void stop_desk(std::size_t which);
  // What everybody wrote to its log, for a failed expectation.
  [[nodiscard]] std::string words() const;
  // A browser's client: plain, for the approval page.
  [[nodiscard]] HttpClient& page_client() { return *plain_; }
  [[nodiscard]] const Clock& clock() const { return clock_; }

 private:
  [[nodiscard]] bool make_certificates();
  [[nodiscard]] std::uint16_t bind(const std::string& socket);
  [[nodiscard]] bool spawn(std::vector<ChildProcess>& into, const std::string& program, const Json& document,
                           const std::vector<std::pair<std::string, std::string>>& handed);
  [[nodiscard]] bool start_programs(const FrontOptions& options);
  // The conformance suite's fixtures, for what the desk does not offer. Its URL is what it prints.
  [[nodiscard]] bool start_fixtures();
  [[nodiscard]] bool start_nginx();
  [[nodiscard]] bool answers(const std::string& origin);

  SystemClock clock_;
  SystemRandomSource random_;
  NoTap tap_;
  test::TemporaryFolder folder_;
  host::LocalWorld world_;
  std::array<std::uint16_t, 2> desk_ports_{};
  std::array<std::uint16_t, 2> health_ports_{};
  std::uint16_t fixtures_port_ = 0;
  std::uint16_t port_ = 0;
  std::map<std::string, ListeningSocket> sockets_;  // until the children have them
  std::unique_ptr<HttpClient> plain_;
  std::unique_ptr<HttpClient> secure_;
  std::vector<ChildProcess> services_;
  std::vector<ChildProcess> desks_;
  std::vector<ChildProcess> proxy_;  // one, once it was started
  bool up_ = false;
};

}  // namespace postern::nginx
