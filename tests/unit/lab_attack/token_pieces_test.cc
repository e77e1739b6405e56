// A token is known by any eight characters of its signature, its header or its id, and not by a public fact that it
// shares with other texts.

#include "tests/lab/attack/token_pieces.h"

#include <gtest/gtest.h>

#include "wire/base/bytes.h"

namespace postern::lab {
namespace {

const std::string kHeader = base64url(R"({"alg":"ES256","typ":"at+jwt","kid":"k-1xQ9vT"})");
const std::string kSignature = "Zm9vYmFyLXNpZ25hdHVyZS1vZi1hLXRva2Vu";

std::string token(const std::string& claims) {
  return kHeader + "." + base64url(claims) + "." + kSignature;
}

const std::string kClaims =
    R"({"iss":"http://127.0.0.1:44703","sub":"rowan","iat":1795992000,"jti":"gr_9x.Qm3kT0aWvLw"})";

TEST(TokenPieces, HoldTheSignatureTheHeaderAndTheId) {
  const auto pieces = pieces_of_token(token(kClaims));
  EXPECT_TRUE(holds_piece("log: " + kSignature.substr(5, 8), pieces));
  EXPECT_FALSE(holds_piece("log: " + kSignature.substr(5, 7), pieces));
  EXPECT_TRUE(holds_piece(kHeader.substr(0, 8), pieces));
  const std::string payload = base64url(kClaims);
  EXPECT_TRUE(holds_piece(payload.substr(payload.size() - 20), pieces));
}

TEST(TokenPieces, LeaveOutWhatOtherTextsSayOfTheSamePublicFacts) {
  const auto pieces = pieces_of_token(token(kClaims));
  for (const char* pad : {"", "x", "xy"}) {
    const std::string other =
        std::string(R"({"approved":")") + pad +
        R"(","requester":{"issuer":"http://127.0.0.1:44703","subject":"rowan"},"issued_at":1795992000})";
    EXPECT_FALSE(holds_piece(base64url(other), pieces)) << pad;
  }
}

// By chance the last character of an id is the last of something public, and the same follows.
TEST(TokenPieces, ACharacterOfAnIdIsNoPieceOfIt) {
  const auto pieces =
      pieces_of_token(token(R"({"iss":"http://127.0.0.1:44703","jti":"gr_9x.Qm3kT0aWvL3","sub":"rowan"})"));
  for (const char* pad : {"", "x", "xy"}) {
    const std::string other =
        std::string(R"({"a":")") + pad + R"(","line_id":"k-7","issuer":"http://127.0.0.1:44703","sub":"rowan"})";
    EXPECT_FALSE(holds_piece(base64url(other), pieces)) << pad;
  }
}

// Two signed texts may end alike and their signatures begin alike.
TEST(TokenPieces, AroundAPointIsNoPiece) {
  const std::string claims = R"({"jti":"gr_9x.Qm3kT0aWvLw","exp":1796000000})";
  const auto pieces = pieces_of_token(token(claims));
  const std::string whole = token(claims);
  const std::size_t point = whole.rfind('.');
  EXPECT_FALSE(holds_piece(whole.substr(point - 6, 8), pieces));
  EXPECT_TRUE(holds_piece(whole.substr(point + 1, 8), pieces));
}

TEST(TokenPieces, OfAnOpaqueTokenAreAllOfIt) {
  EXPECT_TRUE(holds_piece("xx-opaque-to-xx", pieces_of_token("opaque-token")));
  EXPECT_TRUE(pieces_of_token("short").empty());
}

}  // namespace
}  // namespace postern::lab
