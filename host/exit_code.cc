#include "host/exit_code.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace postern::host {
namespace {

struct Row {
  std::string_view prefix;  // of the failure's id
  ExitCode code;
};

// The first row that fits decides: single ids stand before their families.
constexpr Row kRows[] = {
    {"bridge.still_pending", ExitCode::kPending},
    {"bridge.stopped", ExitCode::kInterrupted},
    {"bridge.", ExitCode::kUnreachable},
    {"case.not_opened", ExitCode::kNo},
    {"elicitation.", ExitCode::kUnreachable},
    {"json", ExitCode::kUnreachable},
    {"mcp.", ExitCode::kUnreachable},
    {"model.url_refused", ExitCode::kUsage},
    {"model.", ExitCode::kModelFailed},
    {"oauth.", ExitCode::kSignIn},
    {"own.stack_failed", ExitCode::kUnreachable},
    {"own.", ExitCode::kUsage},
    {"pin.bad_file", ExitCode::kUsage},
    {"pin.", ExitCode::kPinRefused},
    {"schema.", ExitCode::kUnreachable},
    {"sign_in.", ExitCode::kSignIn},
    {"transport.address_in_use", ExitCode::kUnreachable},
    {"transport.", ExitCode::kUnreachable},
    {"uri.", ExitCode::kUsage},
    {"usage.", ExitCode::kUsage},
    {"wire.", ExitCode::kUsage},
};

constexpr std::array kOrder = {ExitCode::kBug,         ExitCode::kInterrupted, ExitCode::kTerminated,
                               ExitCode::kUnreachable, ExitCode::kSignIn,      ExitCode::kModelFailed,
                               ExitCode::kUsage,       ExitCode::kNo,          ExitCode::kMoneyRefused,
                               ExitCode::kPending,     ExitCode::kPinRefused,  ExitCode::kDone};

}  // namespace

ExitCode exit_code_of(const Failure& failure) {
  for (const Row& row : kRows) {
    if (failure.id().substr(0, row.prefix.size()) == row.prefix) return row.code;
  }
  return failure.disposition() == Disposition::kUsage ? ExitCode::kUsage : ExitCode::kBug;
}

ExitCode more_severe(ExitCode a, ExitCode b) {
  const auto rank = [](ExitCode code) { return std::find(kOrder.begin(), kOrder.end(), code); };
  return rank(a) <= rank(b) ? a : b;
}

}  // namespace postern::host
