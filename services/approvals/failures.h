// Why an approval request cannot be decided, withdrawn or redeemed. Each names what happened to the money: nothing.
#pragma once

#include <string>
#include <string_view>

#include "wire/base/failure.h"

namespace postern::approvals {

// The id is unknown, or whoever asks has nothing to do with it: the two are not told apart.
struct NoSuchRequest {
  static constexpr std::string_view kId = "approval.no_such_request";
  static constexpr Layer kLayer = Layer::kOwn;
  static constexpr Disposition kDisposition = Disposition::kNotFound;
  [[nodiscard]] std::string text() const;
};
// So many requests of one person wait that one more would only bury the others in the supervisor's queue.
struct TooManyOpenRequests {
  static constexpr std::string_view kId = "approval.too_many_open_requests";
  static constexpr Layer kLayer = Layer::kOwn;
  static constexpr Disposition kDisposition = Disposition::kTooManyRequests;
  int waiting = 0;
  [[nodiscard]] std::string text() const;
};
// The requester tried to decide.
struct OwnRequest {
  static constexpr std::string_view kId = "approval.own_request";
  static constexpr Layer kLayer = Layer::kOwn;
  static constexpr Disposition kDisposition = Disposition::kForbidden;
  [[nodiscard]] std::string text() const;
};
// The token lacks refunds:approve.
struct ApproveScopeMissing {
  static constexpr std::string_view kId = "approval.scope_missing";
  static constexpr Layer kLayer = Layer::kOwn;
  static constexpr Disposition kDisposition = Disposition::kForbidden;
  [[nodiscard]] std::string text() const;
};
// The sign-in is older than 300 s, or its age is not known.
struct StaleSignIn {
  static constexpr std::string_view kId = "approval.stale_sign_in";
  static constexpr Layer kLayer = Layer::kOwn;
  static constexpr Disposition kDisposition = Disposition::kForbidden;
  long long age_s = -1;  // -1: not known
  [[nodiscard]] std::string text() const;
};
// Somebody decided before. `by` and `when` are those of the first decision.
struct AlreadyDecided {
  static constexpr std::string_view kId = "approval.already_decided";
  static constexpr Layer kLayer = Layer::kOwn;
  static constexpr Disposition kDisposition = Disposition::kConflict;
  std::string status;  // "approved" or "denied"
  std::string by;      // a name, made visible
  std::string when;    // "02:51:07 UTC"
  bool same_person = false;
  [[nodiscard]] std::string text() const;
};
struct RequestExpired {
  static constexpr std::string_view kId = "approval.expired";
  static constexpr Layer kLayer = Layer::kOwn;
  static constexpr Disposition kDisposition = Disposition::kGone;
  [[nodiscard]] std::string text() const;
};
struct RequestWithdrawn {
  static constexpr std::string_view kId = "approval.withdrawn";
  static constexpr Layer kLayer = Layer::kOwn;
  static constexpr Disposition kDisposition = Disposition::kGone;
  std::string by;  // a name, made visible
  [[nodiscard]] std::string text() const;
};
// Version or digest are not those that were shown.
struct RequestChanged {
  static constexpr std::string_view kId = "approval.changed";
  static constexpr Layer kLayer = Layer::kOwn;
  static constexpr Disposition kDisposition = Disposition::kConflict;
  [[nodiscard]] std::string text() const;
};
// A denial without a note, or with one that is too long.
struct NoteUnusable {
  static constexpr std::string_view kId = "approval.note_unusable";
  static constexpr Layer kLayer = Layer::kOwn;
  static constexpr Disposition kDisposition = Disposition::kUnprocessable;
  std::string reason;  // a sentence
  [[nodiscard]] std::string text() const;
};
// The case is no longer what was asked for (or cannot be read): approve is not offered.
struct ActionBlocked {
  static constexpr std::string_view kId = "approval.blocked";
  static constexpr Layer kLayer = Layer::kOwn;
  static constexpr Disposition kDisposition = Disposition::kConflict;
  std::string reason;  // a sentence
  [[nodiscard]] std::string text() const;
};
// A form without its proof of origin: Origin, Sec-Fetch-Site, type or token are wrong.
struct ForeignForm {
  static constexpr std::string_view kId = "approval.foreign_form";
  static constexpr Layer kLayer = Layer::kHttp;
  static constexpr Disposition kDisposition = Disposition::kForbidden;
  std::string_view what;  // "origin", "sec-fetch-site", "content type", "form token"
  [[nodiscard]] std::string text() const;
};
// A form with missing, unknown or repeated fields.
struct IncompleteForm {
  static constexpr std::string_view kId = "approval.incomplete_form";
  static constexpr Layer kLayer = Layer::kHttp;
  static constexpr Disposition kDisposition = Disposition::kBadRequest;
  [[nodiscard]] std::string text() const;
};
// The issuer's answer cannot be used to sign anybody in.
struct SignInRefused {
  static constexpr std::string_view kId = "approval.sign_in_refused";
  static constexpr Layer kLayer = Layer::kHttp;
  static constexpr Disposition kDisposition = Disposition::kBadRequest;
  std::string reason;  // a sentence
  [[nodiscard]] std::string text() const;
};

}  // namespace postern::approvals
