// text/event-stream as the standard has it, for every line end and every cut.
#include "wire/transport/sse.h"

#include <gtest/gtest.h>

#include <vector>

#include "tests/support/refused.h"

namespace postern {
namespace {

std::vector<ServerSentEvent> events_of(std::string_view stream, std::size_t piece) {
  std::vector<ServerSentEvent> events;
  EventStreamReader reader;
  for (std::size_t at = 0; at < stream.size(); at += piece) {
    const auto fed = reader.feed(stream.substr(at, piece), [&](const ServerSentEvent& event) {
      events.push_back(event);
      return true;
    });
    EXPECT_TRUE(test::succeeded(fed));
  }
  return events;
}

TEST(EventStreamReader, ReadsEveryLineEndWithAndWithoutAMark) {
  for (const std::string end : {"\n", "\r\n", "\r"}) {
    for (const std::string mark : {"", "\xEF\xBB\xBF"}) {
      const std::string stream =
          mark + ": keep-alive" + end + "event: message" + end + "data: {\"a\":" + end + "data: 1}" + end + end;
      for (std::size_t piece = 1; piece <= stream.size(); ++piece) {
        const auto events = events_of(stream, piece);
        ASSERT_EQ(events.size(), 1U);
        EXPECT_EQ(events[0].data, "{\"a\":\n1}");
        EXPECT_EQ(events[0].type, "message");
      }
    }
  }
}

TEST(EventStreamReader, JoinsDataLinesAndIgnoresWhatItDoesNotKnow) {
  const auto events =
      events_of("event: ping\n\n: x\n\nfoo: bar\nid: 9\nretry: 10\ndata:{\"a\":\ndata: 1,\ndata:  \"b\":2}\n\n", 7);
  ASSERT_EQ(events.size(), 1U);
  EXPECT_EQ(events[0].data, "{\"a\":\n1,\n \"b\":2}");
  EXPECT_EQ(events[0].id, "9");
  EXPECT_EQ(events[0].type, "message");
}

TEST(EventStreamReader, KeepsACharacterWholeThatIsCut) {
  const std::string text =
      "Zelt\xC3\xBC"
      "bergr\xC3\xB6\xC3\x9F"
      "e \xF0\x9F\x8F\x95";
  const std::string stream = "data: " + text + "\n\n";
  for (std::size_t piece = 1; piece < stream.size(); ++piece) {
    const auto events = events_of(stream, piece);
    ASSERT_EQ(events.size(), 1U);
    EXPECT_EQ(events[0].data, text);
  }
}

TEST(EventStreamReader, DropsAnEventThatWasNotEnded) {
  EXPECT_TRUE(events_of("data: half\n", 3).empty());
}

TEST(EventStreamReader, ForgetsTypeAndDataBetweenEvents) {
  const auto events = events_of("event: a\ndata: 1\n\ndata: 2\n\ndata\n\n", 100);
  ASSERT_EQ(events.size(), 3U);
  EXPECT_EQ(events[0].type, "a");
  EXPECT_EQ(events[1].type, "message");
  EXPECT_EQ(events[1].data, "2");
  EXPECT_EQ(events[2].data, "");
}

TEST(EventStreamReader, StopsWhenItIsToldTo) {
  EventStreamReader reader;
  int seen = 0;
  const auto fed = reader.feed("data: 1\n\ndata: 2\n\n", [&](const ServerSentEvent&) { return ++seen < 1; });
  ASSERT_TRUE(test::succeeded(fed));
  EXPECT_FALSE(*fed);
  EXPECT_EQ(seen, 1);
}

TEST(EventStreamReader, RefusesAnEventOverItsBound) {
  const auto nothing = [](const ServerSentEvent&) { return true; };
  EventStreamReader one_line(100);
  EXPECT_TRUE(test::refused(one_line.feed("data: " + std::string(200, 'x'), nothing), "transport.frame_too_large"));
  EventStreamReader many_lines(100);
  Result<bool> fed = true;
  for (int i = 0; i < 50 && fed; ++i) fed = many_lines.feed("data: xxxxxxxx\n", nothing);
  EXPECT_TRUE(test::refused(fed, "transport.frame_too_large"));
  EventStreamReader many_events(100);
  for (int i = 0; i < 50; ++i) EXPECT_TRUE(test::succeeded(many_events.feed("data: xxxxxxxx\n\n", nothing)));
}

}  // namespace
}  // namespace postern
