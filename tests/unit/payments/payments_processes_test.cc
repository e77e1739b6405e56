// The program itself: two processes on one database, and one that is killed in the middle.
#include <gtest/gtest.h>

#include <barrier>
#include <csignal>
#include <thread>

#include "services/payments_client/payments_client.h"
#include "tests/support/issued_approval.h"
#include "tests/support/raw_connection.h"
#include "tests/support/refused.h"
#include "tests/support/service_credentials.h"
#include "tests/support/temporary_folder.h"
#include "wire/base/bytes.h"
#include "wire/base/clock.h"
#include "wire/transport/child_process.h"
#include "wire/transport/listening_socket.h"

namespace postern::payments {
namespace {

using services::HttpPaymentsClient;
using services::PaidRefund;
using services::RefundAction;
using services::TicketId;

class PaymentsProcesses : public testing::Test {
 protected:
  // Started on that socket, which stays ours: a process that takes its place gets the connections that wait.
  ChildProcess start(const ListeningSocket& socket) {
    ChildOptions options;
    options.argv = {std::string(POSTERN_BIN_DIR) + "/postern-payments", "serve", "--config", "-"};
    options.sockets = {{"payments", socket.descriptor()}};
    options.stderr_file = folder_ / "payments.log";
    auto child = ChildProcess::spawn(options);
    EXPECT_TRUE(test::succeeded(child));
    const Json document = Json::object({{"database_dir", folder_.path()},
                                        {"approval_public_key", base64url(issuer_.public_key().bytes())},
                                        {"admitted", test::admitted({"payments:refund", "payments:read"})},
                                        {"seed", true}});
    EXPECT_TRUE(test::succeeded(child->write(document.dump() + "\n")));
    return *std::move(child);
  }
  HttpPaymentsClient client_of(const ListeningSocket& socket) {
    return {*http_,
            *parse_uri(socket.origin()),
            {test::credential_of("payments:read"), test::credential_of("payments:refund")},
            "test"};
  }
  Result<PaidRefund> pay(const ListeningSocket& socket, const RefundAction& action, std::int64_t number) {
    const services::ApprovalTokenPayload approval = test::approval_of(action, number, approved_at_);
    return client_of(socket).refund(issuer_.issue(approval), action, approval.request_digest, deadline(), {});
  }
  std::size_t refunds(const ListeningSocket& socket) {
    const auto found = client_of(socket).refunds_of_ticket(TicketId("T-1042"), deadline(), {});
    EXPECT_TRUE(test::succeeded(found));
    return found ? found->size() : 0;
  }
  // The bytes of the same refund, for a sender that does not wait for the answer.
  std::string refund_bytes(const RefundAction& action, std::int64_t number) {
    const services::ApprovalTokenPayload approval = test::approval_of(action, number, approved_at_);
    const std::string payload = services::canonical_payload(approval);
    const auto signer = Ed25519Signer::of_seed(SigningSeed::take(std::string(32, 'k')));
    Json bound = to_json(action);
    bound.set("request_digest", approval.request_digest);
    const std::string body =
        Json::object({{"token", "apt_" + base64url(payload) + "." +
                                    base64url(signer->sign(std::string(services::kApprovalTokenDomain) + payload))},
                      {"action", std::move(bound)}})
            .dump();
    return "POST /refunds HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nAuthorization: Service " +
           test::credential_text("payments:refund") + "\r\nContent-Length: " + std::to_string(body.size()) +
           "\r\n\r\n" + body;
  }
  SteadyTime deadline() const { return clock_.steady_now() + Seconds(20); }

  test::TemporaryFolder folder_;
  SystemClock clock_;
  SystemRandomSource random_;
  NoTap tap_;
  WallTime approved_at_ = clock_.now();
  services::ApprovalTokenIssuer issuer_ = test::issuer_of_seed('k');
  std::unique_ptr<HttpClient> http_ = make_http_client(Env{clock_, random_, tap_}, {});
};

TEST_F(PaymentsProcesses, PayOnceTogetherOnOneDatabase) {
  const auto first = *ListeningSocket::on_loopback(0);
  const auto second = *ListeningSocket::on_loopback(0);
  ChildProcess one = start(first);
  ChildProcess two = start(second);
  for (int round = 1; round <= 5; ++round) {
    const RefundAction action = test::refund_action(100, "LN-" + std::to_string(round));
    std::barrier together(4);
    std::vector<std::optional<Result<PaidRefund>>> got(4);
    std::vector<std::thread> threads;
    for (std::size_t i = 0; i < got.size(); ++i) {
      threads.emplace_back([&, i] {
        together.arrive_and_wait();
        got[i] = pay(i % 2 == 0 ? first : second, action, round);
      });
    }
    for (std::thread& thread : threads) thread.join();
    int fresh = 0;
    for (const auto& result : got) {
      ASSERT_TRUE(test::succeeded(*result));
      EXPECT_EQ((*result)->receipt.refund_id.value(), services::numbered("RF-", round));
      fresh += (*result)->repeated ? 0 : 1;
    }
    EXPECT_EQ(fresh, 1);
  }
  EXPECT_EQ(refunds(first), 5U);
  EXPECT_EQ(refunds(second), 5U);
  EXPECT_EQ(one.stop(), 0);
  EXPECT_EQ(two.stop(), 0);
}

TEST_F(PaymentsProcesses, PayOnceAcrossAKillBetweenPayAndAnswer) {
  const auto socket = *ListeningSocket::on_loopback(0);
  for (int round = 1; round <= 5; ++round) {
    const RefundAction action = test::refund_action(100, "LN-" + std::to_string(round));
    ChildProcess killed = start(socket);
    EXPECT_EQ(refunds(socket), static_cast<std::size_t>(round - 1));
    const test::RawConnection sender(socket.port());
    ASSERT_TRUE(sender.send(refund_bytes(action, round)));
    // In some rounds it has paid by now and in some it has not; nobody reads the answer in any.
    killed.signal(SIGKILL);
    EXPECT_EQ(killed.wait(std::chrono::milliseconds(5000)), 128 + SIGKILL);
    ChildProcess again = start(socket);
    const auto paid = pay(socket, action, round);
    ASSERT_TRUE(test::succeeded(paid));
    EXPECT_EQ(refunds(socket), static_cast<std::size_t>(round));
    EXPECT_EQ(again.stop(), 0);
  }
}

TEST_F(PaymentsProcesses, EndWithTheirParent) {
  const auto socket = *ListeningSocket::on_loopback(0);
  ChildProcess child = start(socket);
  EXPECT_EQ(refunds(socket), 0U);
  child.close_stdin();
  EXPECT_EQ(child.wait(std::chrono::milliseconds(10'000)), 0);
}

}  // namespace
}  // namespace postern::payments
