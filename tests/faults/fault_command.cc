#include "tests/faults/fault_command.h"

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <optional>
#include <string>

#include "tests/faults/fault_list.h"
#include "tests/faults/fault_run.h"
#include "tests/faults/golden.h"
#include "tests/faults/run_text.h"
#include "tests/support/temporary_folder.h"
#include "wire/base/clock.h"
#include "wire/base/json.h"

namespace postern::lab {
namespace {

using faults::all_faults;
using faults::Fault;
using faults::FaultFacts;
using faults::find_fault;

constexpr int kDone = 0;
constexpr int kWrongUse = 2;
constexpr int kCannotRun = 3;

std::string padded(std::string text, std::size_t width) {
  text.resize(std::max(text.size() + 2, width), ' ');
  return text;
}

Json json_of_list() {
  Json faults = Json::array();
  for (const Fault& fault : all_faults()) {
    Json entry = Json::object({{"name", fault.name}, {"seam", fault.seam}, {"decorator", fault.decorator}});
    entry.set("file", fault.file()).set("ticket", fault.ticket).set("about", fault.about);
    entry.set("first_seen", fault.attack.empty() ? Json(fault.first_seen) : Json());
    entry.set("attack", fault.attack.empty() ? Json() : Json(fault.attack));
    faults.push(std::move(entry));
  }
  return Json::object({{"schema", "postern.faults/1"}, {"faults", std::move(faults)}});
}

std::string id_of(const Fault& fault) {
  return "fault." + std::string(fault.name);
}

std::string line_of(const FaultFacts& facts) {
  std::string line = facts.attack.empty() ? "first seen on " + facts.first_seen : "not on the ladder";
  line += ", exit " + std::to_string(facts.exit) + ", ";
  if (facts.refunds.empty()) return line + "no money moved";
  for (const std::string& refund : facts.refunds) line += (line.back() == ' ' ? "" : ", ") + refund;
  return line;
}

// One fault after another: prints what was seen, and holds it against its golden text.
class FaultRuns {
 public:
  FaultRuns(const FaultOptions& options, std::ostream& out) : options_(options), out_(out) {}

  Check run(const Fault& fault) {
    const SystemClock clock;
    const SteadyTime began = clock.steady_now();
    Check check;
    check.id = id_of(fault);
    check.name = fault.about;
    check.expected = "as in fixtures/faults/" + std::string(fault.name) + ".case";
    check.next = "postern-lab fault run " + std::string(fault.name);
    const test::TemporaryFolder folder;
    const auto facts = faults::run_fault(fault, {folder.path(), options_.lab_program, options_.ticket});
    if (!facts) {
      check.got = facts.error().text();
    } else {
      compare(fault, *facts, check);
    }
    check.took = std::chrono::duration_cast<Milliseconds>(clock.steady_now() - began);
    return check;
  }

 private:
  void compare(const Fault& fault, const FaultFacts& facts, Check& check) {
    const std::string text = faults::golden_text(&fault, facts);
    const std::string title = "== " + std::string(fault.name) + ": " + line_of(facts) + "\n";
    out_ << title << text << "\n";
    check.got = line_of(facts);
    // Another ticket has no golden text: what was seen is the answer.
    if (!options_.ticket.empty() && options_.ticket != fault.ticket) {
      check.verdict = Verdict::kSkip;
      check.got += "; no golden text for " + options_.ticket;
      return;
    }
    const std::string golden(faults::golden_of(fault.name).value_or(""));
    const std::string difference = faults::difference(golden, text);
    check.verdict = difference.empty() ? Verdict::kPass : Verdict::kFail;
    if (difference.empty()) return;
    check.got += ", and not as its golden text; the difference stands above";
    out_ << difference;
    if (!options_.update) return;
    const Status written = faults::update_golden(fault.name, text);
    out_ << (written ? "written\n" : written.error().text() + "\n");
  }

  const FaultOptions& options_;
  std::ostream& out_;
};

// The run without a fault has no check of its own: the tests have it. It is what the others are held against.
void update_run_without_fault(const std::string& lab_program) {
  const test::TemporaryFolder folder;
  const auto facts = faults::run_without_fault({folder.path(), lab_program, ""});
  if (!facts) return;
  const std::string text = faults::golden_text(nullptr, *facts);
  const std::string difference = faults::difference(faults::golden_of(faults::kNoFault).value_or(""), text);
  if (difference.empty()) return;
  const Status written = faults::update_golden(faults::kNoFault, text);
  std::cout << difference << (written ? "written: build again, the others are held against it\n" : "not written\n");
}

std::string own_program() {
  std::error_code error;
  return std::filesystem::read_symlink("/proc/self/exe", error).string();
}

}  // namespace

int list_faults(bool json) {
  if (json) {
    std::cout << json_of_list().dump() << "\n";
    return kDone;
  }
  std::cout << padded("NAME", 28) << padded("FIRST SEEN", 46) << "SEAM\n";
  for (const Fault& fault : all_faults()) {
    std::cout << padded(std::string(fault.name), 28) << padded(fault.seen(), 46) << fault.seam << "\n    "
              << fault.about << "\n";
  }
  return kDone;
}

int fault_command(const FaultOptions& given) {
  FaultOptions options = given;
  if (options.lab_program.empty()) options.lab_program = own_program();
  std::vector<const Fault*> chosen;
  for (const std::string& name : options.names) {
    const Fault* fault = find_fault(name);
    if (fault == nullptr) {
      std::cerr << "There is no fault \"" << name << "\". Did you mean " << faults::nearest_fault(name)
                << "? All of them: postern-lab fault list\n";
      return kWrongUse;
    }
    chosen.push_back(fault);
  }
  if (chosen.empty()) {
    for (const Fault& fault : all_faults()) chosen.push_back(&fault);
  }
  if (options.update) update_run_without_fault(options.lab_program);
  std::vector<Check> planned;
  for (const Fault* fault : chosen) {
    Check check;
    check.id = id_of(*fault);
    check.name = fault->about;
    planned.push_back(std::move(check));
  }
  Result<Reports> reports = Reports::begin(options.reports, "fault", "product", std::move(planned));
  if (!reports) {
    std::cerr << reports.error().text() << "\n";
    return kCannotRun;
  }
  const ReportOptions& files = options.reports;
  const bool stdout_is_taken = files.tap == "-" || files.junit == "-" || files.json == "-" || files.html == "-";
  FaultRuns runs(options, stdout_is_taken ? std::cerr : std::cout);
  std::size_t as_golden = 0;
  for (const Fault* fault : chosen) {
    Check check = runs.run(*fault);
    if (check.verdict == Verdict::kPass) ++as_golden;
    reports->add(std::move(check));
  }
  const Result<int> code = reports->finish(std::to_string(as_golden) + " of " + std::to_string(chosen.size()) +
                                           " faults were met as their golden texts say.");
  if (code) return *code;
  std::cerr << code.error().text() << "\n";
  return kCannotRun;
}

}  // namespace postern::lab
