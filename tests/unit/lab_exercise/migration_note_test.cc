// A migration note that says only what was seen passes; each way to say more is objected to.
#include "tests/lab/exercise/migration_note.h"

#include <gtest/gtest.h>

#include "wire/base/file.h"

namespace postern::lab {
namespace {

const NoteEvidence& evidence() {
  static const NoteEvidence read = note_evidence_of(POSTERN_SOURCE_DIR);
  return read;
}

std::string example() {
  return read_file(std::string(POSTERN_SOURCE_DIR) + "/docs/lab/migration-note-example.md", 64 * 1024).value_or("");
}

std::string shown(const NoteVerdict& verdict) {
  std::string text = std::to_string(verdict.words) + " words";
  for (const NoteFinding& finding : verdict.findings) text += "\n" + std::to_string(finding.line) + ": " + finding.text;
  return text;
}

// The example with one thing changed: it is objected to once, in these words.
void expect_objection(const std::string& from, const std::string& to, const std::string& words) {
  std::string note = example();
  const std::size_t at = note.find(from);
  ASSERT_NE(at, std::string::npos) << from;
  note.replace(at, from.size(), to);
  const NoteVerdict verdict = check_migration_note(note, evidence());
  ASSERT_EQ(verdict.findings.size(), 1U) << shown(verdict);
  EXPECT_NE(verdict.findings.front().text.find(words), std::string::npos) << shown(verdict);
}

TEST(MigrationNote, OfTheExamplePasses) {
  const NoteVerdict verdict = check_migration_note(example(), evidence());
  EXPECT_TRUE(verdict.findings.empty()) << shown(verdict);
  EXPECT_GE(verdict.words, 150U);
  EXPECT_EQ(verdict.claims, 9U);
  const auto page = read_file(std::string(POSTERN_SOURCE_DIR) + "/docs/lab/lab3.md", 64 * 1024);
  const std::string line = std::to_string(verdict.words) + " words, 9 claims, 0 to mend.";
  EXPECT_NE(page.value_or("").find("\n" + line + "\n"), std::string::npos)
      << "docs/lab/lab3.md does not show: " << line;
}

TEST(MigrationNote, MayNotSayAnotherOutcomeThanTheMatrix) {
  expect_objection("[postern-pinned -> sdk2-connected: -]", "[postern-pinned -> sdk2-connected: 2026-07-28]",
                   "is not what the matrix says: -");
  expect_objection("[sdk1 -> desk-both-eras: 2025-11-25]", "[sdk1 -> desk-both-eras: -]",
                   "is not what the matrix says: 2025-11-25");
  expect_objection("[sdk2-legacy -> desk-stdio: -]", "[sdk2-legacy -> desk-stdio]", "says no outcome");
}

TEST(MigrationNote, MayNotNameWhatNobodyRan) {
  expect_objection("[sdk1 -> desk-http: -]", "[sdk3 -> desk-http: -]", "the matrix has no host \"sdk3\"");
  expect_objection("[sdk1 -> desk-http: -]", "[sdk1 -> cloud: -]", "the matrix has no server \"cloud\"");
  expect_objection("[SessionEra.PinnedItNeverSendsInitialize]", "[SessionEra.AlwaysWorks]",
                   "there is no test \"SessionEra.AlwaysWorks\"");
}

TEST(MigrationNote, HasEvidenceForEachClaim) {
  expect_objection(" [Session.AServersOutageIsNotAnotherEra]", "", "no evidence");
  expect_objection("# Moving", "Everybody can move within a day.\n\n# Moving", "no evidence");
}

TEST(MigrationNote, SaysOneThingInAClaim) {
  std::string padding;
  for (int i = 0; i < 60; ++i) padding += "very ";
  expect_objection("Our desk does not", padding + "Our desk does not", "in one claim");
}

TEST(MigrationNote, HasItsLength) {
  const std::string claim = "It works. [postern-auto -> sdk2-connected: 2025-11-25]\n\n";
  const NoteVerdict brief = check_migration_note(claim, evidence());
  EXPECT_NE(shown(brief).find("at least 150"), std::string::npos) << shown(brief);
  EXPECT_NE(shown(brief).find("at least 3"), std::string::npos) << shown(brief);
  EXPECT_NE(shown(brief).find("no test is named"), std::string::npos) << shown(brief);
  std::string longer = example();
  for (int i = 0; i < 150; ++i) longer += "\n" + claim;
  EXPECT_NE(shown(check_migration_note(longer, evidence())).find("at most 400"), std::string::npos);
}

TEST(MigrationNote, ShowsWhatItObjectsToVisibly) {
  const std::string note = "x [a -> \x1b[31mb: -]";
  EXPECT_EQ(shown(check_migration_note(note, evidence())).find('\x1b'), std::string::npos);
}

}  // namespace
}  // namespace postern::lab
