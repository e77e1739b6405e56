// The faults, one function each: it puts its decorator into a scene. Each stands in the file of its name.
//
// None of this is in a product program; tests/architecture reads that from their symbols.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tests/faults/scene.h"

namespace postern::faults {

// Between the host and the desk.
void missing_header(Scene& scene);
void wrong_version(Scene& scene);
void output_schema_drift(Scene& scene);
void slow_peer(Scene& scene);
void closed_peer(Scene& scene);
void huge_result(Scene& scene);
void rug_pull(Scene& scene);
void shadowed_name(Scene& scene);

// In what the desk says and does.
void poisoned_description(Scene& scene);
void hidden_unicode_description(Scene& scene);
void poisoned_annotations(Scene& scene);
void dollars_for_cents(Scene& scene);
void forged_label(Scene& scene);

// Controls that are not there, by the names of ControlSet.
[[nodiscard]] std::vector<std::string> decode_only_token();
[[nodiscard]] std::vector<std::string> skip_audience();
[[nodiscard]] std::vector<std::string> any_issuer();
[[nodiscard]] std::vector<std::string> unbound_handles();
[[nodiscard]] std::vector<std::string> unbound_state();
[[nodiscard]] std::vector<std::string> trust_client_accept();
[[nodiscard]] std::vector<std::string> amount_blind_token();
[[nodiscard]] std::vector<std::string> replayable_token();
[[nodiscard]] std::vector<std::string> token_passthrough();

// In a line between a server over stdio and the host. `line` is without its line end.
class LineDecorator {
 public:
  virtual ~LineDecorator() = default;
  // The answer that is given in the server's place; empty: the server gets the line.
  [[nodiscard]] virtual std::string answer_to(std::string_view /*line*/) { return {}; }
  // The bytes that are written for a line of the server, with the line end.
  [[nodiscard]] virtual std::string written_for(std::string_view line) { return std::string(line) + "\n"; }
};
[[nodiscard]] std::unique_ptr<LineDecorator> legacy_stdio_entry();
[[nodiscard]] std::unique_ptr<LineDecorator> stdout_noise();
[[nodiscard]] std::unique_ptr<LineDecorator> stdout_noise_fused();

}  // namespace postern::faults
