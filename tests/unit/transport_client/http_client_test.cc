// The client over real sockets: one request, one response; connections kept and not kept; streams; cancelling; the tap.
#include "wire/transport/http_client.h"

#include <gtest/gtest.h>

#include <condition_variable>
#include <future>
#include <utility>

#include "tests/support/refused.h"
#include "tests/unit/transport_client/client_world.h"
#include "tests/unit/transport_client/raw_server.h"

namespace postern {
namespace {

using test::RawConnection;
using test::RawServer;

constexpr std::string_view kOkReply =
    "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}";

// Answers every request of a connection with `reply`.
RawServer::Serve answers(std::string reply) {
  return [reply = std::move(reply)](RawConnection& connection) {
    while (!connection.read_request().empty() && connection.write(reply)) {
    }
  };
}

class HttpClientOverSockets : public testing::Test, protected test::ClientWorld {};

TEST_F(HttpClientOverSockets, SendsARequestAndReadsTheResponse) {
  std::string seen;
  RawServer server([&](RawConnection& connection) {
    seen = connection.read_request();
    connection.write("HTTP/1.1 202 Accepted\r\nX-Name: a%20b\r\nContent-Length: 5\r\n\r\nhello");
    connection.wait_for_close();
  });
  const auto http = client();
  const auto response = http->send(server.uri("/mcp?a=b"), post("{\"a\":1}"), soon());
  ASSERT_TRUE(test::succeeded(response));
  EXPECT_EQ(response->status, 202);
  EXPECT_EQ(response->body, "hello");
  EXPECT_EQ(*response->headers.find("x-name"), "a%20b");
  EXPECT_EQ(seen, "POST /mcp?a=b HTTP/1.1\r\nHost: " + server.uri().authority() +
                      "\r\nAuthorization: Bearer secret-token\r\nContent-Type: application/json\r\nContent-Length: "
                      "7\r\n\r\n{\"a\":1}");
}

TEST_F(HttpClientOverSockets, KeepsAConnectionForTheNextRequest) {
  RawServer server(answers(std::string(kOkReply)));
  const auto http = client();
  for (int i = 0; i < 5; ++i) EXPECT_TRUE(test::succeeded(http->send(server.uri(), post(), soon())));
  EXPECT_EQ(server.connections(), 1);
}

TEST_F(HttpClientOverSockets, DoesNotKeepOneWhenAskedNotTo) {
  RawServer server(answers(std::string(kOkReply)));
  options.keep_alive = false;
  const auto http = client();
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(test::succeeded(http->send(server.uri(), post(), soon())));
  EXPECT_EQ(server.connections(), 3);
}

TEST_F(HttpClientOverSockets, LeavesAConnectionThatWasIdleTooLong) {
  RawServer server(answers(std::string(kOkReply)));
  const auto http = client();
  EXPECT_TRUE(test::succeeded(http->send(server.uri(), post(), soon())));
  clock.advance(Milliseconds(4'000));
  EXPECT_TRUE(test::succeeded(http->send(server.uri(), post(), soon())));
  EXPECT_EQ(server.connections(), 1);
  clock.advance(Milliseconds(5'001));
  EXPECT_TRUE(test::succeeded(http->send(server.uri(), post(), soon())));
  EXPECT_EQ(server.connections(), 2);
}

TEST_F(HttpClientOverSockets, LeavesAConnectionThatThePeerClosed) {
  std::mutex mutex;
  std::condition_variable closed;
  int ended = 0;
  RawServer server([&](RawConnection& connection) {
    connection.read_request();
    connection.write(kOkReply);
    ::shutdown(connection.descriptor(), SHUT_RDWR);
    const std::lock_guard<std::mutex> lock(mutex);
    ++ended;
    closed.notify_all();
  });
  const auto http = client();
  for (int i = 1; i <= 3; ++i) {
    EXPECT_TRUE(test::succeeded(http->send(server.uri(), post(), soon())));
    std::unique_lock<std::mutex> lock(mutex);
    closed.wait(lock, [&] { return ended == i; });
  }
  EXPECT_EQ(server.connections(), 3);
}

TEST_F(HttpClientOverSockets, LeavesAConnectionOnWhichSomethingCameUnasked) {
  std::mutex mutex;
  std::condition_variable written;
  bool smuggled = false;
  RawServer server([&](RawConnection& connection) {
    while (!connection.read_request().empty()) {
      connection.write(kOkReply);
      const std::lock_guard<std::mutex> lock(mutex);
      if (!smuggled) connection.write("HTTP/1.1 200 OK\r\nContent-Length: 8\r\n\r\nsmuggled");
      smuggled = true;
      written.notify_all();
    }
  });
  const auto http = client();
  EXPECT_TRUE(test::succeeded(http->send(server.uri(), post(), soon())));
  {
    std::unique_lock<std::mutex> lock(mutex);
    written.wait(lock, [&] { return smuggled; });
  }
  const auto second = http->send(server.uri(), post(), soon());
  ASSERT_TRUE(test::succeeded(second));
  EXPECT_EQ(second->body, "{}");
  EXPECT_EQ(server.connections(), 2);
}

// Reads the second request of a kept connection and closes without a byte, as a server does that shuts down.
RawServer::Serve closes_on_the_second_request(std::atomic<int>& requests) {
  return [&requests](RawConnection& connection) {
    for (int i = 0; !connection.read_request().empty(); ++i) {
      ++requests;
      if (i == 1) return;
      connection.write(kOkReply);
    }
  };
}

TEST_F(HttpClientOverSockets, SendsAGetAgainWhenAKeptConnectionDied) {
  std::atomic<int> requests{0};
  RawServer server(closes_on_the_second_request(requests));
  const auto http = client();
  EXPECT_TRUE(test::succeeded(http->send(server.uri(), get(), soon())));
  EXPECT_TRUE(test::succeeded(http->send(server.uri(), get(), soon())));
  EXPECT_EQ(requests, 3);
}

TEST_F(HttpClientOverSockets, RefusesToSendAPostAgain) {
  std::atomic<int> requests{0};
  RawServer server(closes_on_the_second_request(requests));
  const auto http = client();
  EXPECT_TRUE(test::succeeded(http->send(server.uri(), post(), soon())));
  EXPECT_TRUE(test::refused(http->send(server.uri(), post(), soon()), "transport.closed"));
  EXPECT_EQ(requests, 2);
}

TEST_F(HttpClientOverSockets, RefusesAnOriginThatIsNotThere) {
  Uri nowhere;
  {
    RawServer server([](RawConnection&) {});
    nowhere = server.uri();
  }
  const auto response = client()->send(nowhere, post(), soon());
  EXPECT_TRUE(test::refused(response, "transport.unreachable"));
  EXPECT_EQ(response.error().text(), "Cannot reach " + nowhere.origin() + ": connection refused.");
}

TEST_F(HttpClientOverSockets, RefusesAnAddressThatIsNotAdmitted) {
  RawServer server(answers(std::string(kOkReply)));
  SendGuard guard;
  guard.admits_address = [](std::string_view, std::string_view address) { return address != "127.0.0.1"; };
  const auto made = client();
  const auto refusal = made->send_guarded(server.uri(), post(), guard, soon());
  EXPECT_TRUE(test::refused(refusal, "transport.address_refused"));
  EXPECT_EQ(server.connections(), 0);
  guard.admits_address = [](std::string_view host, std::string_view address) {
    return host == "127.0.0.1" && address == "127.0.0.1";
  };
  EXPECT_TRUE(test::succeeded(made->send_guarded(server.uri(), post(), guard, soon())));
}

TEST_F(HttpClientOverSockets, FollowsNoRedirectAndGivesNothingAway) {
  RawServer other(answers(std::string(kOkReply)));
  for (const char* status : {"301", "302", "303", "307", "308"}) {
    RawServer server(answers(std::string("HTTP/1.1 ") + status + " Go\r\nLocation: " + other.uri("/steal").text() +
                             "\r\nContent-Length: 0\r\n\r\n"));
    const auto response = client()->send(server.uri(), post("code=abc"), soon());
    ASSERT_TRUE(test::succeeded(response));
    EXPECT_EQ(std::to_string(response->status), status);
  }
  EXPECT_EQ(other.connections(), 0);
}

TEST_F(HttpClientOverSockets, ReadsAnAnswerThatComesBeforeTheRequestIsRead) {
  RawServer server([](RawConnection& connection) {
    connection.write("HTTP/1.1 413 Too Large\r\nContent-Length: 3\r\nConnection: close\r\n\r\nbig");
    ::shutdown(connection.descriptor(), SHUT_WR);
    connection.wait_for_close();
  });
  const auto response = client()->send(server.uri(), post(std::string(4'000'000, 'x')), soon());
  ASSERT_TRUE(test::succeeded(response));
  EXPECT_EQ(response->status, 413);
}

TEST_F(HttpClientOverSockets, GivesAStreamAsItComes) {
  std::mutex mutex;
  std::condition_variable told;
  int allowed = 0;
  RawServer server([&](RawConnection& connection) {
    connection.read_request();
    connection.write("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n");
    for (int i = 1; i <= 3; ++i) {
      std::unique_lock<std::mutex> lock(mutex);
      told.wait(lock, [&] { return allowed >= i; });
      connection.write("9\r\ndata: " + std::to_string(i) + "\n\n\r\n");
    }
    connection.write("0\r\n\r\n");
    connection.wait_for_close();
  });
  // Each event is let go only after the one before it was seen: a client that gathers would never end.
  const auto allow_next = [&] {
    const std::lock_guard<std::mutex> lock(mutex);
    ++allowed;
    told.notify_all();
  };
  std::string body;
  const auto response = client()->open(
      server.uri(), post(),
      [&](const HttpResponse& head) {
        EXPECT_EQ(head.status, 200);
        allow_next();
        return true;
      },
      [&](std::string_view bytes) {
        body += bytes;
        allow_next();
        return true;
      },
      soon());
  ASSERT_TRUE(test::succeeded(response));
  EXPECT_EQ(body, "data: 1\n\ndata: 2\n\ndata: 3\n\n");
  EXPECT_EQ(response->body, "");
  std::string raw;
  const auto records = tap.records();
  for (const auto& record : records) {
    if (record.direction == Direction::kIn) raw += record.bytes;
  }
  EXPECT_NE(raw.find("9\r\ndata: 2\n\n\r\n"), std::string::npos);
  EXPECT_TRUE(records.back().last);
  EXPECT_FALSE(records[records.size() - 2].last);
}

TEST_F(HttpClientOverSockets, EndsAStreamEarlyWhenTheReaderHasEnough) {
  RawServer server([](RawConnection& connection) {
    connection.read_request();
    connection.write("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\none\r\n");
    connection.wait_for_close();
  });
  const auto http = client();
  const auto enough = http->open(
      server.uri(), post(), [](const HttpResponse&) { return true; }, [](std::string_view) { return false; }, soon());
  EXPECT_TRUE(test::succeeded(enough));
  const auto head_only = http->open(
      server.uri(), post(), [](const HttpResponse&) { return false; },
      [](std::string_view) {
        ADD_FAILURE();
        return false;
      },
      soon());
  EXPECT_TRUE(test::succeeded(head_only));
  EXPECT_EQ(server.connections(), 2);
}

TEST_F(HttpClientOverSockets, IsCancelledFromAnotherThread) {
  std::stop_source stop;
  RawServer server([&](RawConnection& connection) {
    connection.read_request();
    stop.request_stop();
    connection.wait_for_close();
  });
  EXPECT_TRUE(test::refused(client()->send(server.uri(), post(), soon(), stop.get_token()), "transport.cancelled"));
  EXPECT_TRUE(test::refused(client()->send(server.uri(), post(), soon(), stop.get_token()), "transport.cancelled"));
  EXPECT_EQ(server.connections(), 1);
}

TEST_F(HttpClientOverSockets, IsCancelledInTheMiddleOfAStream) {
  std::stop_source stop;
  RawServer server([&](RawConnection& connection) {
    connection.read_request();
    connection.write("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\none\r\n");
    connection.wait_for_close();
  });
  const auto response = client()->open(
      server.uri(), post(), [](const HttpResponse&) { return true; },
      [&](std::string_view) {
        stop.request_stop();
        return true;
      },
      soon(), stop.get_token());
  EXPECT_TRUE(test::refused(response, "transport.cancelled"));
}

TEST_F(HttpClientOverSockets, RefusesToReadOnPastTheDeadlineThoughBytesAreThere) {
  std::mutex mutex;
  std::condition_variable told;
  int written = 0;
  RawServer server([&](RawConnection& connection) {
    connection.read_request();
    connection.write("HTTP/1.1 200 OK\r\nContent-Length: 65536\r\n\r\n" + std::string(65'536, 'x'));
    {
      const std::lock_guard<std::mutex> lock(mutex);
      ++written;
      told.notify_all();
    }
    connection.wait_for_close();
  });
  int wanted = 0;
  const auto read_all = [&](Milliseconds time_of_each_piece) {
    ++wanted;
    return client()->open(
        server.uri(), post(), [](const HttpResponse&) { return true; },
        [&, time_of_each_piece](std::string_view) {
          std::unique_lock<std::mutex> lock(mutex);
          told.wait(lock, [&] { return written == wanted; });
          clock.advance(time_of_each_piece);
          return true;
        },
        soon());
  };
  EXPECT_TRUE(test::succeeded(read_all(Milliseconds(0))));
  EXPECT_TRUE(test::refused(read_all(Milliseconds(30'000)), "transport.timed_out"));
}

// The deadline is asked for again after each piece: time that has passed before it moved does not count, and one that
// moved into the past ends the wait.
TEST_F(HttpClientOverSockets, TakesADeadlineThatMoves) {
  for (const bool moves_on : {true, false}) {
    std::promise<void> first_was_read;
    std::future<void> read = first_was_read.get_future();
    RawServer server([&](RawConnection& connection) {
      connection.read_request();
      connection.write("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\none\r\n");
      read.wait();
      if (moves_on) connection.write("3\r\ntwo\r\n0\r\n\r\n");
      connection.wait_for_close();
    });
    SteadyTime deadline = soon();
    std::string body;
    const auto response = client()->open_until(
        server.uri(), post(), [](const HttpResponse&) { return true; },
        [&](std::string_view bytes) {
          if (body.empty()) first_was_read.set_value();
          body += bytes;
          clock.advance(Milliseconds(30'000));
          deadline = moves_on ? soon() : clock.steady_now();
          return true;
        },
        [&] { return deadline; });
    EXPECT_EQ(body, moves_on ? "onetwo" : "one");
    EXPECT_EQ(response.has_value(), moves_on);
    EXPECT_TRUE(moves_on || test::refused(response, "transport.timed_out"));
  }
}

TEST_F(HttpClientOverSockets, ShowsTheTapEachMessageOnce) {
  RawServer server(answers(std::string(kOkReply)));
  const auto http = client();
  EXPECT_TRUE(test::succeeded(http->send(server.uri("/a"), post(), soon())));
  EXPECT_TRUE(test::succeeded(http->send(server.uri("/b"), get(), soon())));
  const auto records = tap.records();
  ASSERT_EQ(records.size(), 4U);
  EXPECT_EQ(records[0].bytes.substr(0, 17), "POST /a HTTP/1.1\r");
  EXPECT_NE(records[0].bytes.find("Bearer secret-token"), std::string::npos);
  EXPECT_EQ(records[1].bytes, kOkReply);
  EXPECT_EQ(records[0].exchange, records[1].exchange);
  EXPECT_EQ(records[2].exchange, records[3].exchange);
  EXPECT_NE(records[0].exchange, records[2].exchange);
  for (const auto& record : records) EXPECT_TRUE(record.last);
}

// What is secret in half a JSON text cannot be told.
TEST_F(HttpClientOverSockets, ShowsTheTapJsonWholeAndEverythingElseAsItComes) {
  for (const bool is_json : {true, false}) {
    const std::string head = std::string("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Type: ") +
                             (is_json ? "application/json; charset=utf-8" : "text/event-stream") + "\r\n\r\n";
    std::promise<void> first_was_read;
    std::future<void> read = first_was_read.get_future();
    RawServer server([&](RawConnection& connection) {
      connection.read_request();
      connection.write(head + "3\r\none\r\n");
      read.wait();
      connection.write("3\r\ntwo\r\n0\r\n\r\n");
      connection.wait_for_close();
    });
    const std::size_t before = tap.records().size();
    bool first = true;
    EXPECT_TRUE(test::succeeded(client()->open(
        server.uri(), post(), [](const HttpResponse&) { return true; },
        [&](std::string_view) {
          if (std::exchange(first, false)) first_was_read.set_value();
          return true;
        },
        soon())));
    std::string seen;
    std::size_t pieces = 0;
    for (std::size_t at = before + 1; at < tap.records().size(); ++at) {
      seen += tap.records()[at].bytes;
      ++pieces;
    }
    EXPECT_EQ(seen, head + "3\r\none\r\n3\r\ntwo\r\n0\r\n\r\n");
    EXPECT_EQ(pieces == 1, is_json);
  }
}

TEST_F(HttpClientOverSockets, ShowsTheTapWhatItRefuses) {
  RawServer server(answers("garbage\r\n\r\n"));
  EXPECT_TRUE(test::refused(client()->send(server.uri(), post(), soon()), "transport.malformed_response"));
  ASSERT_EQ(tap.records().size(), 2U);
  EXPECT_EQ(tap.records()[1].bytes, "garbage\r\n\r\n");
}

TEST_F(HttpClientOverSockets, ServesManyThreads) {
  RawServer server(answers(std::string(kOkReply)));
  const auto http = client();
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 50; ++i) EXPECT_TRUE(test::succeeded(http->send(server.uri(), post(), soon())));
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_LE(server.connections(), 4);
}

TEST_F(HttpClientOverSockets, FindsLocalhostWithoutANameServer) {
  RawServer server(answers(std::string(kOkReply)));
  EXPECT_TRUE(test::succeeded(client()->send(server.uri("/", "http", "localhost"), get(), soon())));
}

TEST_F(HttpClientOverSockets, RefusesANameThatDoesNotExist) {
  // RFC 6761 section 6.4: ".invalid" names never resolve.
  EXPECT_TRUE(
      test::refused(client()->send(*parse_uri("http://nobody.invalid:1/"), get(), soon()), "transport.unreachable"));
}

TEST_F(HttpClientOverSockets, RefusesWhatItCannotWriteBeforeItConnects) {
  RawServer server(answers(std::string(kOkReply)));
  HttpRequest request = post();
  request.headers.add("X-Text", "a\r\nX-Injected: 1");
  EXPECT_TRUE(test::refused(client()->send(server.uri(), request, soon()), "transport.unsendable"));
  EXPECT_EQ(server.connections(), 0);
  EXPECT_TRUE(tap.records().empty());
}

}  // namespace
}  // namespace postern
