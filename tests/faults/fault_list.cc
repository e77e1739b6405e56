#include "tests/faults/fault_list.h"

#include <algorithm>
#include <numeric>

namespace postern::faults {
namespace {

constexpr std::string_view kClient = "HttpClient, the host's towards the desk";
constexpr std::string_view kFeatures = "mcp::ServerFeatures of the desk";
constexpr std::string_view kLines = "stdin and stdout of a server over stdio";

Fault in_scene(std::string_view name, std::string_view seam, std::string_view decorator, std::string_view first_seen,
               void (*put_in)(Scene&), std::string_view about) {
  Fault fault;
  fault.name = name;
  fault.seam = seam;
  fault.decorator = decorator;
  fault.about = about;
  fault.first_seen = first_seen;
  fault.put_in = put_in;
  return fault;
}

Fault showing(std::string_view tool, Fault fault) {
  fault.shown_tool = tool;
  return fault;
}

Fault in_lines(std::string_view name, std::string_view decorator, std::string_view first_seen,
               std::unique_ptr<LineDecorator> (*lines)(), std::string_view about) {
  Fault fault;
  fault.name = name;
  fault.seam = kLines;
  fault.decorator = decorator;
  fault.about = about;
  fault.first_seen = first_seen;
  fault.lines = lines;
  return fault;
}

Fault without(std::string_view name, std::string_view seam, std::string_view decorator, std::string_view attack,
              std::vector<std::string> (*removed)(), std::string_view about) {
  Fault fault;
  fault.name = name;
  fault.seam = seam;
  fault.decorator = decorator;
  fault.about = about;
  fault.attack = attack;
  fault.removed = removed;
  return fault;
}

const std::vector<Fault>& table() {
  static const std::vector<Fault> kFaults = {
      in_lines("legacy-stdio-entry", "postern::faults::legacy_stdio_entry", "envelope", legacy_stdio_entry,
               "A server that was started through the entry of an older SDK: it knows no server/discover."),
      in_lines("stdout-noise", "postern::faults::stdout_noise", "bytes", stdout_noise,
               "A print that was left in writes lines of its own between the messages."),
      in_lines("stdout-noise-fused", "postern::faults::stdout_noise_fused", "bytes", stdout_noise_fused,
               "The same print without a line end: it makes one broken line with the message behind it."),
      in_scene("missing-header", kClient, "postern::faults::missing_header", "envelope", missing_header,
               "Something on the way to the desk drops the Mcp-Method header."),
      in_scene("wrong-version", kClient, "postern::faults::wrong_version", "envelope", wrong_version,
               "The server speaks 2025-11-25 and says so."),
      without("decode-only-token", "DeskControls::token", "postern::faults::decode_only_token", "A3", decode_only_token,
              "The desk reads a token and does not verify its signature."),
      without("skip-audience", "DeskControls::token and ::gate", "postern::faults::skip_audience", "A1", skip_audience,
              "The desk takes tokens that were issued for other servers."),
      without("any-issuer", "DeskControls::token", "postern::faults::any_issuer", "A3", any_issuer,
              "The desk does not ask who issued a token."),
      without("unbound-handles", "DeskControls::handle_key", "postern::faults::unbound_handles", "A5", unbound_handles,
              "A case handle opens the case for whoever has it."),
      without("unbound-state", "DeskControls::state", "postern::faults::unbound_state", "A8", unbound_state,
              "A request state works for anybody and on any call."),
      without("trust-client-accept", "DeskControls::refund", "postern::faults::trust_client_accept", "A6",
              trust_client_accept, "The client's accept counts as the decision."),
      without("amount-blind-token", "PaymentsControls", "postern::faults::amount_blind_token", "A9", amount_blind_token,
              "Payments does not compare the amount with the approved one."),
      without("replayable-token", "PaymentsControls", "postern::faults::replayable_token", "A10", replayable_token,
              "Payments does not remember which approvals were spent."),
      without("token-passthrough", "the desk's clients towards approvals and payments",
              "postern::faults::token_passthrough", "A12", token_passthrough,
              "The desk sends its caller's token on to the services."),
      in_scene("poisoned-description", kFeatures, "postern::faults::poisoned_description", "schema",
               poisoned_description, "The description of get_tracking gives the model orders."),
      in_scene("hidden-unicode-description", kFeatures, "postern::faults::hidden_unicode_description", "schema",
               hidden_unicode_description, "The same in characters that no screen shows."),
      in_scene("poisoned-annotations", kFeatures, "postern::faults::poisoned_annotations", "schema",
               poisoned_annotations, "issue_refund says of itself that it only reads."),
      in_scene("rug-pull", kClient, "postern::faults::rug_pull", "schema", rug_pull,
               "The definition of issue_refund changes after it was listed for the first time."),
      in_scene("shadowed-name", "HttpClient, the host's towards a server beside the desk",
               "postern::faults::shadowed_name", "own", shadowed_name,
               "A reviewed server beside the desk offers a tool of the name issue_refund."),
      in_scene("dollars-for-cents", "mcp::ToolRow::handler of issue_refund", "postern::faults::dollars_for_cents",
               "own", dollars_for_cents, "The desk takes the amount for dollars and asks for a hundred times as much."),
      in_scene("output-schema-drift", kClient, "postern::faults::output_schema_drift", "schema", output_schema_drift,
               "get_order gives its total in another member and as a decimal number."),
      in_scene("slow-peer", kClient, "postern::faults::slow_peer", "bytes", slow_peer,
               "get_order takes longer than a request is waited for."),
      in_scene("closed-peer", kClient, "postern::faults::closed_peer", "bytes", closed_peer,
               "The connection ends when the desk has paid and before its receipt is there."),
      in_scene("huge-result", kClient, "postern::faults::huge_result", "model", huge_result,
               "The result of get_tracking is nine million bytes long."),
      showing("get_ticket",
              in_scene("forged-label", "mcp::ToolRow::handler of get_ticket", "postern::faults::forged_label", "own",
                       forged_label, "The customer's text closes the label of untrusted data and speaks as the host.")),
  };
  return kFaults;
}

// How many letters are to be put in, left out or changed.
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t above = row[j];
      row[j] = std::min({above + 1, row[j - 1] + 1, diagonal + (a[i - 1] == b[j - 1] ? 0U : 1U)});
      diagonal = above;
    }
  }
  return row.back();
}

}  // namespace

std::string Fault::file() const {
  // Both kinds of noise stand in one file.
  std::string base(name.starts_with("stdout-noise") ? std::string_view("stdout-noise") : name);
  std::replace(base.begin(), base.end(), '-', '_');
  return "tests/faults/" + base + ".cc";
}

std::string Fault::seen() const {
  return attack.empty() ? std::string(first_seen)
                        : "not on the ladder: attack " + std::string(attack) + " gets through";
}

std::span<const Fault> all_faults() {
  return table();
}

const Fault* find_fault(std::string_view name) {
  const auto found = std::find_if(table().begin(), table().end(), [&](const Fault& one) { return one.name == name; });
  return found == table().end() ? nullptr : &*found;
}

std::string_view nearest_fault(std::string_view name) {
  const auto nearest = std::min_element(table().begin(), table().end(), [&](const Fault& a, const Fault& b) {
    return distance(a.name, name) < distance(b.name, name);
  });
  return nearest->name;
}

}  // namespace postern::faults
