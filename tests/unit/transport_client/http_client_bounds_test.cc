// A hostile server against the client: every reply ends in a named failure, within its bound and its deadline.
#include <gtest/gtest.h>
#include <sys/resource.h>

#include "tests/support/refused.h"
#include "tests/unit/transport_client/client_world.h"
#include "tests/unit/transport_client/raw_server.h"

namespace postern {
namespace {

using test::RawConnection;
using test::RawServer;

constexpr int kMegabytes = 64;

struct HostileReply {
  const char* name;
  const char* failure;
  RawServer::Serve serve;
};

std::string megabyte() {
  return std::string(1 << 20, 'x');
}

// Writes as long as anybody reads, with an end to it.
void flood(RawConnection& connection, const std::string& piece, int times = kMegabytes) {
  for (int i = 0; i < times && connection.write(piece); ++i) {
  }
}

RawServer::Serve after_request(std::function<void(RawConnection&)> reply) {
  return [reply = std::move(reply)](RawConnection& connection) {
    connection.read_request();
    reply(connection);
  };
}

const std::string kHead = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n";

std::vector<HostileReply> hostile_replies() {
  return {
      {"declared 64 MB", "transport.response_over_bound", after_request([](RawConnection& c) {
         c.write(kHead + "Content-Length: 67108864\r\n\r\n");
         flood(c, megabyte());
       })},
      {"64 MB in chunks", "transport.response_over_bound", after_request([](RawConnection& c) {
         c.write(kHead + "Transfer-Encoding: chunked\r\n\r\n");
         flood(c, "100000\r\n" + megabyte() + "\r\n");
       })},
      {"64 MB until close", "transport.response_over_bound", after_request([](RawConnection& c) {
         c.write(kHead + "\r\n");
         flood(c, megabyte());
       })},
      {"64 MB header line", "transport.response_over_bound", after_request([](RawConnection& c) {
         c.write(kHead + "X-Long: ");
         flood(c, megabyte());
       })},
      {"64 MB status line", "transport.response_over_bound", after_request([](RawConnection& c) {
         c.write("HTTP/1.1 200 ");
         flood(c, megabyte());
       })},
      {"100,000 headers", "transport.response_over_bound", after_request([](RawConnection& c) {
         c.write(kHead);
         flood(c, "X-A: v\r\nX-B: v\r\n", 50'000);
       })},
      {"endless interim responses", "transport.response_over_bound",
       after_request([](RawConnection& c) { flood(c, "HTTP/1.1 100 Continue\r\n\r\n", 100'000); })},
      {"endless chunk extension", "transport.response_over_bound", after_request([](RawConnection& c) {
         c.write(kHead + "Transfer-Encoding: chunked\r\n\r\n5;");
         flood(c, megabyte());
       })},
      {"endless trailers", "transport.response_over_bound", after_request([](RawConnection& c) {
         c.write(kHead + "Transfer-Encoding: chunked\r\n\r\n0\r\n");
         flood(c, "X: v\r\n", 100'000);
       })},
      {"gzip that nobody asked for", "transport.malformed_response", after_request([](RawConnection& c) {
         c.write(kHead + "Content-Encoding: gzip\r\nContent-Length: 4\r\n\r\n\x1f\x8b\x08\x01");
       })},
      {"chunk size below zero", "transport.malformed_response", after_request([](RawConnection& c) {
         c.write(kHead + "Transfer-Encoding: chunked\r\n\r\n-2\r\n");
         flood(c, megabyte());
       })},
      {"closed in the body", "transport.closed",
       after_request([](RawConnection& c) { c.write(kHead + "Content-Length: 10\r\n\r\nhalf"); })},
      {"closed before the status", "transport.closed", after_request([](RawConnection&) {})},
      {"no answer", "transport.timed_out", after_request([](RawConnection& c) { c.wait_for_close(); })},
      {"a byte at a time for ever", "transport.timed_out", after_request([](RawConnection& c) {
         c.write(kHead + "Content-Length: 100000\r\n\r\n");
         pollfd gone{c.descriptor(), POLLIN, 0};
         while (::poll(&gone, 1, 2) == 0 && c.write("x")) {
         }
       })},
      {"a body until a close that never comes", "transport.timed_out", after_request([](RawConnection& c) {
         c.write(kHead + "\r\nsome of it");
         c.wait_for_close();
       })},
      {"reset in a body until the close", "transport.closed", after_request([](RawConnection& c) {
         c.write(kHead + "\r\nsome of it");
         const linger at_once{1, 0};
         ::setsockopt(c.descriptor(), SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
       })},
      {"a request that is never read", "transport.timed_out",
       [](RawConnection& c) {
         // Nothing of it is read; the client ends the wait.
         pollfd gone{c.descriptor(), 0, 0};
         ::poll(&gone, 1, 20'000);
       }},
  };
}

class HostileServer : public testing::Test, protected test::ClientWorld {};

TEST_F(HostileServer, EveryReplyEndsInItsFailureInsideBoundedMemory) {
  for (const HostileReply& hostile : hostile_replies()) {
    SCOPED_TRACE(hostile.name);
    RawServer server(hostile.serve);
    options.response_bytes_max = 1 << 20;
    const bool times_out = std::string_view(hostile.failure) == "transport.timed_out";
    const std::string body =
        std::string_view(hostile.name) == "a request that is never read" ? std::string(16 << 20, 'x') : "{}";
    EXPECT_TRUE(test::refused(client()->send(server.uri(), post(body), times_out ? in(150) : soon()), hostile.failure));
    for (const auto& record : tap.records()) {
      if (record.direction != Direction::kIn) continue;
      EXPECT_LE(record.bytes.size(), std::size_t{3} << 20);
    }
  }
}

TEST_F(HostileServer, TheSameHoldsForStreams) {
  for (const HostileReply& hostile : hostile_replies()) {
    SCOPED_TRACE(hostile.name);
    RawServer server(hostile.serve);
    options.response_bytes_max = 1 << 20;
    const bool times_out = std::string_view(hostile.failure) == "transport.timed_out";
    const std::string body =
        std::string_view(hostile.name) == "a request that is never read" ? std::string(16 << 20, 'x') : "{}";
    std::size_t got = 0;
    const auto response = client()->open(
        server.uri(), post(body), [](const HttpResponse&) { return true; },
        [&got](std::string_view bytes) {
          got += bytes.size();
          return true;
        },
        times_out ? in(150) : soon());
    EXPECT_TRUE(test::refused(response, hostile.failure));
    EXPECT_LE(got, std::size_t{1} << 20);
  }
}

TEST_F(HostileServer, AReplyAtItsBoundIsRead) {
  options.response_bytes_max = 1 << 20;
  RawServer server(
      after_request([](RawConnection& c) { c.write(kHead + "Content-Length: 1048576\r\n\r\n" + megabyte()); }));
  const auto response = client()->send(server.uri(), post(), soon());
  ASSERT_TRUE(test::succeeded(response));
  EXPECT_EQ(response->body.size(), std::size_t{1} << 20);
}

}  // namespace
}  // namespace postern
