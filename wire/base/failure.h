// What can go wrong, as values.
//
// Every expected failure of the product is a small struct that carries its own row: a stable id, the rung of the wire
// ladder where it shows, and how a boundary answers it. A struct without a row does not compile. `Failure` holds any of
// them behind a pointer to its row, so that this header stays cheap and each folder owns its own failures (in its
// `failures.h`).
//
//   struct WrongAudience {
//     static constexpr std::string_view kId = "token.wrong_audience";
//     static constexpr Layer kLayer = Layer::kHttp;
//     static constexpr Disposition kDisposition = Disposition::kInvalidToken;
//     std::string expected_resource;                  // plain data, never a secret
//     [[nodiscard]] std::string text() const;         // for people: what failed, what it means, what to do next
//   };
//
// Threads: a Failure is immutable and may be read from any thread. Copies share the struct.
#pragma once

#include <concepts>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

namespace postern {

// The rungs of the wire ladder, from the bytes up.
enum class Layer { kBytes, kEnvelope, kHttp, kSchema, kModel, kOwn };

// How a boundary answers a failure. Each boundary switches over it without a default, so that a new kind stops all of
// them.
enum class Disposition {
  kInternal,            // HTTP 500, JSON-RPC -32603: ours, no details leave the process
  kUnavailable,         // HTTP 503 with Retry-After: a peer that we need cannot be had
  kBadRequest,          // HTTP 400, JSON-RPC -32600
  kParseError,          // HTTP 400, JSON-RPC -32700
  kInvalidParams,       // JSON-RPC -32602
  kMethodNotFound,      // HTTP 404, JSON-RPC -32601
  kHeaderMismatch,      // HTTP 400, JSON-RPC -32020
  kMissingCapability,   // HTTP 400, JSON-RPC -32021
  kUnsupportedVersion,  // HTTP 400, JSON-RPC -32022
  kMissingToken,        // HTTP 401 without an error parameter (RFC 6750 section 3.1)
  kInvalidToken,        // HTTP 401 error="invalid_token"
  kInsufficientScope,   // HTTP 403 error="insufficient_scope"
  kForbidden,           // HTTP 403
  kNotFound,            // HTTP 404
  kConflict,            // HTTP 409
  kGone,                // HTTP 410
  kTooLarge,            // HTTP 413
  kUnsupportedMedia,    // HTTP 415
  kUnprocessable,       // HTTP 422
  kTooManyRequests,     // HTTP 429
  kToolError,           // a tool result with isError: text that a model can act on
  kPeer,                // what a peer sent or did; the host reports it
  kUsage,               // the person at the command line
};

template <class K>
concept FailureKind = requires(const K& kind) {
  { K::kId } -> std::convertible_to<std::string_view>;
  { K::kLayer } -> std::convertible_to<Layer>;
  { K::kDisposition } -> std::convertible_to<Disposition>;
  { kind.text() } -> std::same_as<std::string>;
};

struct FailureRow {
  std::string_view id;
  Layer layer;
  Disposition disposition;
  std::string (*text)(const void*);
};

template <FailureKind K>
inline constexpr FailureRow kFailureRow{K::kId, K::kLayer, K::kDisposition,
                                        [](const void* kind) { return static_cast<const K*>(kind)->text(); }};

class Failure {
 public:
  template <FailureKind K>
  Failure(K kind)  // NOLINT(google-explicit-constructor): `return WrongAudience{...};` is how a failure is made.
      : row_(&kFailureRow<K>), kind_(std::shared_ptr<const K>(new K(std::move(kind)))) {}

  [[nodiscard]] std::string_view id() const { return row_->id; }
  [[nodiscard]] Layer layer() const { return row_->layer; }
  [[nodiscard]] Disposition disposition() const { return row_->disposition; }
  // One to three sentences for a person. Holds no secret; text of a peer in it has passed visible_text().
  [[nodiscard]] std::string text() const { return row_->text(kind_.get()); }

  // The struct, when the failure is of that kind; otherwise null. Lives as long as this Failure.
  template <FailureKind K>
  [[nodiscard]] const K* as() const {
    return row_ == &kFailureRow<K> ? static_cast<const K*>(kind_.get()) : nullptr;
  }

 private:
  const FailureRow* row_;
  std::shared_ptr<const void> kind_;
};

}  // namespace postern
