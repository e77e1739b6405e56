// Who is calling, once that is verified.
#pragma once

#include <string>
#include <utility>

namespace postern::services {

class VerifiedAccessToken;
class StdioLaunch;

// The issuer and the subject of a verified caller. Two makers: a verified access token, and the launch of a stdio
// server, which fixes its caller. Everything that belongs to a caller (handles, request states, approval requests) is
// looked up by it.
class Principal {
 public:
  [[nodiscard]] const std::string& issuer() const { return issuer_; }
  [[nodiscard]] const std::string& subject() const { return subject_; }
  // For people only: the name the issuer gave, or the subject. Never used to decide.
  [[nodiscard]] const std::string& display_name() const { return display_name_; }
  // One string for both, unambiguous, for use as a key.
  [[nodiscard]] std::string key() const { return issuer_ + "\n" + subject_; }
  friend bool operator==(const Principal& a, const Principal& b) {
    return a.issuer_ == b.issuer_ && a.subject_ == b.subject_;
  }

 private:
  friend class VerifiedAccessToken;
  friend class StdioLaunch;
  Principal(std::string issuer, std::string subject, std::string display_name)
      : issuer_(std::move(issuer)), subject_(std::move(subject)), display_name_(std::move(display_name)) {}
  std::string issuer_;
  std::string subject_;
  std::string display_name_;
};

// The caller of a stdio server: fixed by whoever starts the process (`postern-desk stdio --as PERSON`), because stdio
// carries no bearer.
class StdioLaunch {
 public:
  explicit StdioLaunch(std::string person) : principal_("stdio", person, person) {}
  [[nodiscard]] const Principal& principal() const { return principal_; }

 private:
  Principal principal_;
};

}  // namespace postern::services
