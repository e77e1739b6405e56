// The check of a migration note: 150 to 400 words, every claim with its evidence, and no evidence that the matrix or
// the tests do not have (docs/lab/migration-note.md has the rules for people).
//
// A claim is a paragraph or a list item of at most 60 words. Its evidence stands in square brackets:
//   [sdk1 -> desk-http: -]            a pairing of tests/peers/interop.json, with its cell as the matrix has it
//   [ServerConfigFile.ReadsAProgram]  a test of this project
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "wire/base/json.h"

namespace postern::lab {

// What a note may refer to.
struct NoteEvidence {
  Json matrix;                  // {"desk-http": {"sdk1": "-", ...}, ...}: server, host, cell
  std::set<std::string> tests;  // "Suite.Name"
};
// Of a source tree: tests/peers/interop.json, and every TEST in tests/**.cc. Empty where it is not there.
[[nodiscard]] NoteEvidence note_evidence_of(const std::string& source_folder);

struct NoteFinding {
  int line = 0;  // 0: of the whole
  std::string text;
};
struct NoteVerdict {
  std::size_t words = 0;
  std::size_t claims = 0;
  std::vector<NoteFinding> findings;  // none: the note is good
};
[[nodiscard]] NoteVerdict check_migration_note(std::string_view note, const NoteEvidence& evidence);

}  // namespace postern::lab
