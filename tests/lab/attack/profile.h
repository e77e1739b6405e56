// The profile of somebody else's server: what a grader must know of it to attack it (docs/lab/profiles.md).
//
// A JSON file with closed keys. Immutable.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tests/lab/attack/target.h"
#include "wire/base/json.h"
#include "wire/base/result.h"
#include "wire/base/uri.h"

namespace postern::lab {

struct BadProfile {
  static constexpr std::string_view kId = "lab.bad_profile";
  static constexpr Layer kLayer = Layer::kOwn;
  static constexpr Disposition kDisposition = Disposition::kUsage;
  std::string file;
  std::string reason;
  [[nodiscard]] std::string text() const { return "The profile " + file + ": " + reason + "."; }
};

// Where a token that somebody else obtained stands.
struct KeptToken {
  std::string environment;  // name of a variable; empty: a file
  std::string file;
};

struct ProfilePerson {
  std::string login_hint;                   // empty: no sign-in, only kept tokens
  std::map<std::string, KeptToken> tokens;  // by scope, such as "desk:read", or by what is wrong with them: "expired"
};

struct ProfileApproval {
  std::string method;        // "POST": the link itself is asked, and decides; empty: nobody can decide
  std::string origin;        // of the links, when it is neither the server's nor the issuer's
  std::string bearer_scope;  // the decider's token goes with it; empty: none does
};

struct Profile {
  std::string name;
  std::vector<std::string> hosts;  // that may be attacked beside loopback
  std::string issuer;
  std::string client_id;
  std::string redirect_uri;
  std::string other_resource;  // of the same issuer; empty: none
  std::map<std::string, ProfilePerson> people;
  ToolNames tools;
  ProfileApproval approval;

  // Loopback, or named in `hosts`.
  [[nodiscard]] bool admits(const Uri& uri) const;
};

[[nodiscard]] Result<Profile> profile_of_text(const std::string& file, std::string_view text);
[[nodiscard]] Result<Profile> read_profile(const std::string& file);

}  // namespace postern::lab
