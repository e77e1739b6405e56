// What differs from run to run gets aliases by first appearance; everything else stays, byte for byte.
#include "tests/lab/replay/normaliser.h"

#include <gtest/gtest.h>

namespace postern::lab {
namespace {

Normaliser::Words words() {
  Normaliser::Words words;
  words.origins = {{"desk", "127.0.0.1:4310"}, {"issuer", "127.0.0.1:43101"}};
  words.run = "http-20261130T024512-7c1e";
  words.nonce = "00112233aabbccdd";
  words.folder = "/tmp/a folder/state";
  words.began_ms = 1796006712104;
  return words;
}

TEST(Normaliser, NumbersSecretsByTheirDigitsWhateverTheKind) {
  Normaliser normaliser;
  EXPECT_EQ(normaliser.text("Bearer <token:a1b2c3> and <jwt:a1b2c3>, <handle:00ffee>, <token:a1b2c3>"),
            "Bearer <token#1> and <jwt#1>, <handle#2>, <token#1>");
  EXPECT_FALSE(normaliser.saw_alias());
}

TEST(Normaliser, LeavesWhatIsNoFingerprint) {
  Normaliser normaliser;
  EXPECT_EQ(normaliser.text("<token:a1b2c> <token:A1B2C3> <:a1b2c3> <b>bold</b> a < b:a1b2c3>"),
            "<token:a1b2c> <token:A1B2C3> <:a1b2c3> <b>bold</b> a < b:a1b2c3>");
}

TEST(Normaliser, NoticesTextThatLooksLikeAnAliasAlready) {
  Normaliser normaliser;
  normaliser.learn(words());
  EXPECT_EQ(normaliser.text("{desktop} <b#x>"), "{desktop} <b#x>");
  EXPECT_FALSE(normaliser.saw_alias());
  EXPECT_EQ(normaliser.text("{desk}"), "{desk}");
  EXPECT_TRUE(normaliser.saw_alias());
}

TEST(Normaliser, TellsAnAddressFromALongerOne) {
  Normaliser normaliser;
  normaliser.learn(words());
  EXPECT_EQ(normaliser.text("http://127.0.0.1:4310/mcp http%3A%2F%2F127.0.0.1%3A43101%2Fx 127.0.0.1:43109"),
            "http://{desk}/mcp http%3A%2F%2F{issuer%3A}%2Fx 127.0.0.1:43109");
}

TEST(Normaliser, PutsTheRunsOwnWordsAway) {
  Normaliser normaliser;
  normaliser.learn(words());
  EXPECT_EQ(normaliser.text("<data nonce=\"00112233aabbccdd\"> http-20261130T024512-7c1e in /tmp/a folder/state/x"),
            "<data nonce=\"{nonce}\"> {run} in {folder}/x");
}

TEST(Normaliser, NumbersTheImageOfAVerifierAndLeavesAShorterText) {
  Normaliser normaliser;
  const std::string image(43, 'k');
  EXPECT_EQ(normaliser.text("?code_challenge=" + image + "&x=1 code_challenge=short"),
            "?code_challenge=<challenge#1>&x=1 code_challenge=short");
}

TEST(Normaliser, NumbersExchangesAndDigestsAndCountsTimeFromTheBeginning) {
  Normaliser normaliser;
  normaliser.learn(words());
  const auto first = normaliser.line(
      R"({"seq":1,"at":"2026-11-30T02:45:12.104Z","kind":"bytes","channel":"http","from":"host","to":"server","exchange":1734,"start":"GET / HTTP/1.1","headers":[["host","127.0.0.1:4310"]],"bytes":50,"digest":"9f2c"})");
  ASSERT_TRUE(first.has_value());
  EXPECT_EQ(
      first->dump(),
      R"({"at":0,"kind":"bytes","channel":"http","from":"host","to":"server","exchange":1,"start":"GET / HTTP/1.1","headers":[["host","{desk}"]],"bytes":50,"digest":"#1"})");
  const auto second = normaliser.line(
      R"({"seq":2,"at":"2026-11-30T02:45:13.604Z","kind":"note","layer":"own","subject":"x","verdict":"ok"})");
  ASSERT_TRUE(second.has_value());
  EXPECT_EQ(second->dump(), R"({"at":1500,"kind":"note","layer":"own","subject":"x","verdict":"ok"})");
  EXPECT_EQ(normaliser.missing(), 0U);
}

TEST(Normaliser, CountsGapsAndRefusesWhatIsNoLine) {
  Normaliser normaliser;
  EXPECT_FALSE(normaliser.line("{\"seq\":1").has_value());
  EXPECT_FALSE(normaliser.line("[]").has_value());
  EXPECT_TRUE(normaliser.line(R"({"seq":2,"at":"","kind":"note"})").has_value());
  EXPECT_EQ(normaliser.missing(), 1U);
}

}  // namespace
}  // namespace postern::lab
