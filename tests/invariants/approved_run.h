// A recorded run of the product (T-1042, approved and refunded), and the ways to break one thing of it.
//
// approved_run.jsonl is its wire log, approved_world.json the rows that approvals and payments held afterwards. Made by
// `postern-lab run T-1042 --supervisor approve`; after a new review of the tools it is recorded again.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <string>

#include "tests/lab/grade/invariants/invariants.h"
#include "wire/base/file.h"

namespace postern::lab {

inline WorldRecords approved_world() {
  const Json all =
      *parse_json(*read_file(std::string(POSTERN_SOURCE_DIR) + "/tests/invariants/approved_world.json", 1 << 20));
  WorldRecords world;
  world.requests = all.find("requests")->elements();
  world.audit = all.find("audit")->elements();
  world.refunds = all.find("refunds")->elements();
  world.limits = all.find("limits")->elements();
  world.downstream = all.find("downstream")->elements();
  return world;
}

inline Evidence approved_run() {
  const auto log = read_file(std::string(POSTERN_SOURCE_DIR) + "/tests/invariants/approved_run.jsonl", 1 << 20);
  Evidence evidence = *evidence_of_log("http-20261130T224518-a096", *log);
  evidence.ticket = "T-1042";
  evidence.nonce = "fb0f02f6fe783d6f";
  evidence.exit = 0;
  evidence.world = approved_world();
  return evidence;
}

inline host::WireEntry& entry(Evidence& evidence, std::uint64_t seq) {
  return evidence.entries.at(seq - 1);
}

// The first entry whose body holds the text, counted from there on.
inline host::WireEntry& entry_with(Evidence& evidence, std::string_view text, std::uint64_t from = 1) {
  for (std::size_t i = from - 1; i < evidence.entries.size(); ++i) {
    if (evidence.entries[i].body.find(text) != std::string::npos) return evidence.entries[i];
  }
  ADD_FAILURE() << "no entry holds " << text;
  return evidence.entries.front();
}

// Replaces the first occurrence in a body; the text must be there.
inline void replace_in(host::WireEntry& entry, std::string_view from, std::string_view to) {
  const std::size_t at = entry.body.find(from);
  ASSERT_NE(at, std::string::npos) << from;
  entry.body.replace(at, from.size(), to);
}

inline void set_header(host::WireEntry& entry, std::string_view name, std::string_view value) {
  for (auto& header : entry.headers) {
    if (header.first == name) header.second = value;
  }
}

inline Finding judged(std::string_view id, const Evidence& evidence) {
  for (const Invariant& invariant : invariants()) {
    if (invariant.id == id) return invariant.judge(evidence, view_of(evidence));
  }
  return {};
}

// The invariant is broken, and says where: the entry or record, and the field.
inline void expect_broken(std::string_view id, const Evidence& evidence, std::string_view where) {
  const Finding finding = judged(id, evidence);
  EXPECT_EQ(text_of(finding.verdict), "fail") << finding.text;
  EXPECT_NE(finding.text.find(where), std::string::npos) << finding.text;
}

inline void expect_held(std::string_view id, const Evidence& evidence) {
  const Finding finding = judged(id, evidence);
  EXPECT_EQ(text_of(finding.verdict), "pass") << finding.text;
}

// Entries from `seq` on are gone, as of a run that stopped there.
inline Evidence cut_before(Evidence evidence, std::uint64_t seq) {
  evidence.entries.resize(seq - 1);
  return evidence;
}

inline void expect_unseen(std::string_view id, const Evidence& evidence, std::string_view why) {
  const Finding finding = judged(id, evidence);
  EXPECT_EQ(text_of(finding.verdict), "not_observable") << finding.text;
  EXPECT_NE(finding.text.find(why), std::string::npos) << finding.text;
}

}  // namespace postern::lab
