#include "tests/lab/replay/secret_shapes.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>
#include <set>
#include <string>

#include "tests/lab/replay/message_text.h"
#include "tests/lab/replay/normaliser.h"
#include "tests/lab/replay/stand_ins.h"

namespace postern::lab {
namespace {

struct Usual {
  std::string_view kind;
  std::string_view prefix;
  std::size_t bytes;
  bool always = false;  // whoever makes one makes it so long
};
constexpr Usual kUsual[] = {{"jwt", "eyJ", 600},       {"handle", "ch_", 25, true}, {"code", "ac_", 46},
                            {"state", "rs_", 46},      {"secret", "hs_", 46, true}, {"credential", "svc_", 47, true},
                            {"verifier", "", 43, true}};
constexpr std::size_t kChallengeBytes = 43;

// One message: how many bytes its secrets are together, and how often each of them stands in it.
struct Sum {
  std::int64_t bytes = 0;
  std::map<std::size_t, std::int64_t> times;
};

class ShapeFinder {
 public:
  explicit ShapeFinder(const RecordedRun& run) : words_(run) {
    words_.learn({{}, "http-20261130T000000-0000", "0000000000000000", "", 0});
    for (const Json& line : run.lines) look_at(line);
  }

  std::vector<SecretShape> find() {
    while (solve_one()) {
    }
    std::vector<SecretShape> shapes;
    for (const std::size_t number : brought_in_) {
      const Usual usual = usual_of(number);
      const auto known = known_.find(number);
      shapes.push_back({number, std::string(usual.prefix), known == known_.end() ? usual.bytes : known->second});
    }
    return shapes;
  }

 private:
  void look_at(const Json& line) {
    if (line.string_at("kind") != "bytes") return;
    Sum sum;
    std::int64_t size = 0;
    const auto add = [&](std::string_view text) {
      const std::string filled = words_.with_words(text);
      size += static_cast<std::int64_t>(filled.size());
      for (auto mark = next_mark(filled, 0, '#'); mark; mark = next_mark(filled, mark->end, '#'))
        size += counted(*mark, line, sum);
      return std::string();
    };
    // Only to walk over the texts: what stands between them is four bytes a header, and two lines' ends.
    [[maybe_unused]] const std::string nothing = head_bytes(line, add);
    if (const Json* headers = line.find("headers")) size += static_cast<std::int64_t>(4 * headers->size());
    if (!line.string_at("start").empty()) size += 4;
    add(line.string_at("body"));
    add(line.string_at("raw"));
    const auto bytes = line.integer_at("bytes");
    if (!bytes || line.has("part") || line.has("cut") || is_chunked(line) || sum.times.empty()) return;
    sum.bytes = *bytes - size;
    sums_.push_back(std::move(sum));
  }

  // What the mark takes away from the size of the text around it; an image of a verifier has a length of its own.
  std::int64_t counted(const SecretMark& mark, const Json& line, Sum& sum) {
    const std::int64_t mark_bytes = static_cast<std::int64_t>(mark.end - mark.begin);
    if (mark.kind == "challenge") return static_cast<std::int64_t>(kChallengeBytes) - mark_bytes;
    std::size_t number = 0;
    std::from_chars(mark.id.data(), mark.id.data() + mark.id.size(), number);
    const bool is_new = kinds_.count(number) == 0;
    kinds_[number].insert(std::string(mark.kind));
    if (is_new && line.string_at("to") == "host") brought_in_.push_back(number);
    ++sum.times[number];
    return -mark_bytes;
  }

  // Takes one step: a sum with one unknown, or else a guess for one of them.
  bool solve_one() {
    for (Sum& sum : sums_) {
      for (auto it = sum.times.begin(); it != sum.times.end();) {
        const auto known = known_.find(it->first);
        if (known == known_.end()) {
          ++it;
          continue;
        }
        sum.bytes -= static_cast<std::int64_t>(known->second) * it->second;
        it = sum.times.erase(it);
      }
    }
    for (const Sum& sum : sums_) {
      if (sum.times.size() != 1) continue;
      const std::int64_t each = sum.bytes / sum.times.begin()->second;
      known_[sum.times.begin()->first] = each > 0 && each < 65536 ? static_cast<std::size_t>(each) : 1;
      return true;
    }
    for (const bool sure : {true, false}) {
      for (const Sum& sum : sums_) {
        for (const auto& [number, times] : sum.times) {
          if (sure && !usual_of(number).always) continue;
          known_[number] = usual_of(number).bytes;
          return true;
        }
      }
    }
    return false;
  }

  [[nodiscard]] Usual usual_of(std::size_t number) const {
    const auto found = kinds_.find(number);
    for (const Usual& one : kUsual) {
      if (found != kinds_.end() && found->second.count(one.kind) != 0) return one;
    }
    return {"", "", 43};
  }

  StandIns words_;
  std::vector<Sum> sums_;
  std::map<std::size_t, std::set<std::string, std::less<>>> kinds_;
  std::vector<std::size_t> brought_in_;
  std::map<std::size_t, std::size_t> known_;
};

}  // namespace

std::vector<SecretShape> shapes_of(const RecordedRun& run) {
  return ShapeFinder(run).find();
}

}  // namespace postern::lab
