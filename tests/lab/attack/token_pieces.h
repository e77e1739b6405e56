// The pieces of a token by which it would be known anywhere: every stretch of eight characters of it, but for those
// that say nothing of it.
//
// What a JSON Web Token claims is public and stands elsewhere too, for example in the approval token, whose payload
// names the same issuer and person in the same words: its Base64 can come out the same. So of the payload only those
// stretches are looked for in which its own id (jti) has four bytes or more; that much of it is in no other text, and a
// payload that goes anywhere takes it along. The header (but for the edges of its key's name) and the signature are
// looked for whole, and so is the payload of a token without an id.
#pragma once

#include <set>
#include <string>
#include <string_view>

namespace postern::lab {

inline constexpr std::size_t kTokenPiece = 8;

[[nodiscard]] std::set<std::string, std::less<>> pieces_of_token(std::string_view token);
// Whether any of them stands in the text.
[[nodiscard]] bool holds_piece(std::string_view text, const std::set<std::string, std::less<>>& pieces);

}  // namespace postern::lab
