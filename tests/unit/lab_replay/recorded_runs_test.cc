// The committed recordings: they are what their scenarios give, hold no secret, and no change of them goes unseen.
//
// A replay reads its answers from the file that it compares with. So each test here changes one byte of a recording, in
// a request, an answer, what was printed or the exit code, and looks for a difference or a refusal.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <random>
#include <set>

#include "tests/lab/model_script.h"
#include "tests/lab/replay/recorder.h"
#include "tests/lab/replay/replay.h"
#include "tests/lab/replay/run_file.h"
#include "tests/lab/replay/temporary_folder.h"
#include "wire/base/file.h"

namespace postern::lab {
namespace {

constexpr std::size_t kFixtureBytesMax = 64 * 1024 * 1024;

std::vector<std::string> fixtures() {
  std::vector<std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(POSTERN_SOURCE_DIR "/fixtures/runs")) {
    if (entry.path().extension() == ".run") files.push_back(entry.path().string());
  }
  std::sort(files.begin(), files.end());
  return files;
}

std::string text_of_file(const std::string& file) {
  auto text = read_file(file, kFixtureBytesMax);
  EXPECT_TRUE(text.has_value()) << file;
  return text ? *std::move(text) : std::string();
}

RecordedRun parsed(const std::string& file) {
  auto run = read_recorded_run(file);
  EXPECT_TRUE(run.has_value()) << (run ? "" : run.error().text());
  return run ? *std::move(run) : RecordedRun();
}

Result<Replayed> played(const RecordedRun& run) {
  const TemporaryFolder folder;
  ReplayTerms terms;
  terms.folder = folder.path();
  return replay(run, terms);
}

// Whether a replay of the changed recording ends in a difference or a refusal.
bool is_seen(const RecordedRun& changed) {
  const auto result = played(changed);
  return !result || result->difference.has_value();
}

// Another letter or digit in place of the one there; what is neither stays.
bool change_byte(std::string& text, std::size_t at) {
  if (at >= text.size()) return false;
  char& c = text[at];
  if (c >= '0' && c <= '9') {
    c = c == '9' ? '8' : static_cast<char>(c + 1);
  } else if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z')) {
    c = static_cast<char>(c ^ 0x01);
    if (c == '@' || c == '`' || c == '[' || c == '{') c = 'q';
  } else {
    return false;
  }
  return true;
}

// The nearest letter or digit from there on that stands in no alias.
bool change_near(std::string& text, std::size_t from) {
  int inside = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool alias =
        text[i] == '<' || (text[i] == '{' && i + 1 < text.size() && text[i + 1] >= 'a' && text[i + 1] <= 'z');
    if (alias) inside = 1;
    if (text[i] == '>' || text[i] == '}') inside = 0;
    if (inside == 0 && i >= from && change_byte(text, i)) return true;
  }
  return false;
}

TEST(RecordedRuns, AreAtLeastTwentyAndEachOfAScenario) {
  std::set<std::string> names;
  for (const std::string& file : fixtures()) {
    const RecordedRun run = parsed(file);
    EXPECT_EQ(run.name, std::filesystem::path(file).stem().string());
    EXPECT_TRUE(run.limits.empty()) << file;
    names.insert(run.name);
  }
  EXPECT_GE(names.size(), 20U);
  for (const Scenario& scenario : all_scenarios()) EXPECT_EQ(names.count(scenario.name), 1U) << scenario.name;
}

TEST(RecordedRuns, AreWhatTheirScenariosGive) {
  for (const std::string& file : fixtures()) {
    const RecordedRun run = parsed(file);
    const Scenario* scenario = find_scenario(run.scenario);
    if (run.scenario.empty()) continue;
    ASSERT_NE(scenario, nullptr) << run.scenario;
    const TemporaryFolder folder;
    const auto again = record_scenario(*scenario, folder.path());
    ASSERT_TRUE(again.has_value()) << again.error().text();
    EXPECT_TRUE(run_file_text(*again) == text_of_file(file))
        << file << " is not what its scenario gives now: postern-lab replay --update " << file;
  }
}

TEST(RecordedRuns, HoldNothingOfTheShapeOfASecret) {
  const std::vector<std::string> shapes = {"ch_", "apt_", "ac_", "svc_", "hs_", "rs_", "eyJ", "sk-"};
  EXPECT_TRUE(secret_shape_in("a ch_0123456789abcdef b", shapes).has_value());
  for (const std::string& file : fixtures()) {
    const auto found = secret_shape_in(text_of_file(file), shapes);
    EXPECT_FALSE(found.has_value()) << file << ": " << *found;
  }
}

TEST(RecordedRuns, HoldNoneOfTheSecretsThatTheirReplayUses) {
  for (const std::string& file : fixtures()) {
    const auto result = played(parsed(file));
    ASSERT_TRUE(result.has_value()) << result.error().text();
    const std::string text = run_file_text(result->run);
    EXPECT_FALSE(result->secrets.empty() && text.find("<token#") != std::string::npos) << file;
    for (const std::string& secret : result->secrets) {
      if (secret.size() >= 16) {
        EXPECT_EQ(text.find(secret), std::string::npos) << file;
      }
    }
  }
}

TEST(RecordedRuns, RefuseEveryChangedByte) {
  std::mt19937 random(20261130);
  for (const std::string& file : fixtures()) {
    const std::string text = text_of_file(file);
    ASSERT_TRUE(parse_run_file(file, text).has_value());
    for (int i = 0; i < 40; ++i) {
      std::string changed = text;
      const std::size_t at = std::uniform_int_distribution<std::size_t>(0, text.size() - 1)(random);
      changed[at] = static_cast<char>(changed[at] ^ 0x02);
      EXPECT_FALSE(parse_run_file(file, changed).has_value()) << file << " at " << at;
    }
  }
}

// The seal aside: what the replay itself sees. `member` of the nth line whose `side` ("from" or "to") is the host.
struct Place {
  std::string side;
  std::string member;
  double where = 0;  // of the text, from its beginning
};

// The lines of that kind, spread over the run.
std::vector<std::size_t> lines_with(const RecordedRun& run, const Place& place, std::size_t at_most) {
  std::vector<std::size_t> all;
  for (std::size_t i = 0; i < run.lines.size(); ++i) {
    if (run.lines[i].string_at(place.side) == "host" && run.lines[i].has(place.member)) all.push_back(i);
  }
  std::vector<std::size_t> some;
  for (std::size_t i = 0; i < std::min(at_most, all.size()); ++i)
    some.push_back(all[i * all.size() / std::min(at_most, all.size())]);
  return some;
}

bool change_member(Json& line, const Place& place) {
  Json* member = line.find(place.member);
  if (member == nullptr) return false;
  if (std::string* text = member->string())
    return change_near(*text, static_cast<std::size_t>(place.where * static_cast<double>(text->size())));
  Json headers = Json::array();
  bool changed = false;
  const auto nth = static_cast<std::size_t>(place.where * static_cast<double>(member->size()));
  for (std::size_t i = 0; i < member->size(); ++i) {
    std::string value = *member->elements()[i].elements()[1].string();
    if (i >= nth && !changed) changed = change_near(value, 0);
    headers.push(Json::array({member->elements()[i].elements()[0], value}));
  }
  line.set(place.member, std::move(headers));
  return changed;
}

TEST(RecordedRuns, SeeEveryChangedByteOfARequest) {
  const std::vector<Place> places = {{"from", "start", 0.3},
                                     {"from", "headers", 0.0},
                                     {"from", "headers", 0.6},
                                     {"from", "body", 0.0},
                                     {"from", "body", 0.7}};
  int changes = 0;
  for (const std::string& file : fixtures()) {
    const RecordedRun run = parsed(file);
    for (const Place& place : places) {
      for (const std::size_t line : lines_with(run, place, 1)) {
        RecordedRun changed = run;
        if (!change_member(changed.lines[line], place)) continue;
        ++changes;
        EXPECT_TRUE(is_seen(changed)) << file << " entry " << line + 1 << " " << place.member;
      }
    }
  }
  EXPECT_GE(changes, 100);
}

TEST(RecordedRuns, SeeEveryChangedByteOfWhatWasPrintedAndOfTheExit) {
  for (const std::string& file : fixtures()) {
    const RecordedRun run = parsed(file);
    for (std::size_t leg = 0; leg < run.legs.size(); ++leg) {
      RecordedRun changed = run;
      changed.legs[leg].exit = *run.legs[leg].exit == 0 ? 1 : 0;
      EXPECT_TRUE(is_seen(changed)) << file;
      changed = run;
      if (change_near(*changed.legs[leg].out, 0)) {
        EXPECT_TRUE(is_seen(changed)) << file;
      }
      changed = run;
      if (change_near(*changed.legs[leg].err, run.legs[leg].err->size() / 2)) {
        EXPECT_TRUE(is_seen(changed)) << file;
      }
    }
  }
}

TEST(RecordedRuns, SeeAnEntryTooManyAndOneTooFew) {
  for (const std::string& file : fixtures()) {
    const RecordedRun run = parsed(file);
    for (const double where : {0.5, 0.99}) {
      const auto at = static_cast<std::size_t>(where * static_cast<double>(run.lines.size()));
      RecordedRun changed = run;
      changed.lines.insert(changed.lines.begin() + static_cast<std::ptrdiff_t>(at), run.lines[at]);
      for (RecordedLeg& leg : changed.legs) {
        if (leg.first > at) ++leg.first;
        if (leg.end > at) ++leg.end;
      }
      EXPECT_TRUE(is_seen(changed)) << file << " twice: entry " << at + 1;
      changed = run;
      changed.lines.erase(changed.lines.begin() + static_cast<std::ptrdiff_t>(at));
      for (RecordedLeg& leg : changed.legs) {
        if (leg.first > at) --leg.first;
        if (leg.end > at) --leg.end;
      }
      EXPECT_TRUE(is_seen(changed)) << file << " without: entry " << at + 1;
    }
  }
}

}  // namespace
}  // namespace postern::lab
