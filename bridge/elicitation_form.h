// ElicitationForm: what a server asks a person to fill in, read strictly (MCP 2026-07-28 client/elicitation, "Requested
// Schema": a flat object of strings, numbers, booleans and choices).
//
// What is not of that form is refused whole: nesting, references, combinations, other types, a format that names a
// password. The texts of a field are a stranger's; they are visible and cut here, so that whoever shows the form
// cannot forget it. Bounds that the schema states are checked by the schema itself (wire/schema); a pattern that
// cannot run in linear time is left to the server, and the field says so. Values are copyable and immutable;
// thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "wire/base/json.h"
#include "wire/base/result.h"
#include "wire/schema/schema.h"

namespace postern::bridge {

enum class FormType { kText, kInteger, kNumber, kYesNo, kOneOf, kSomeOf };
enum class FormFormat { kAny, kEmail, kUri, kDate, kDateTime };

struct FormOption {
  std::string value;  // what is sent
  std::string label;  // visible, one line
};

struct FormField {
  std::string name;         // of the property: what is sent
  std::string label;        // visible, one line: the title, or the name
  std::string description;  // visible text of few lines; empty: none
  FormType type = FormType::kText;
  FormFormat format = FormFormat::kAny;
  bool required = false;
  bool looks_secret = false;            // a server must not ask for a secret in a form: warn
  bool pattern_left_to_server = false;  // there is one that cannot be checked here
  std::vector<FormOption> options;      // of kOneOf and kSomeOf, in the server's order
  std::optional<Json> preset;           // the default, when it fits and all of it can be seen
  // As the schema states them: characters of a text, size of a number, number of choices.
  std::optional<Json> least;
  std::optional<Json> most;
  Schema schema;
};

class ElicitationForm {
 public:
  static constexpr std::size_t kFieldsMax = 32;
  static constexpr std::size_t kOptionsMax = 100;
  static constexpr std::size_t kAnswerBytesMax = 4000;  // of one text: what a terminal hands over as one line

  // Failure: elicitation.form_refused.
  [[nodiscard]] static Result<ElicitationForm> read(const Json& requested_schema);
  // In the server's order.
  [[nodiscard]] const std::vector<FormField>& fields() const { return fields_; }
  // Whether the answers may be sent: every required one is there, none is of a field that is not, each fits.
  // elicitation.answer_refused
  [[nodiscard]] Status check(const Json& content) const;

 private:
  explicit ElicitationForm(std::vector<FormField> fields) : fields_(std::move(fields)) {}
  std::vector<FormField> fields_;
};

// Whether that value may stand in the field. elicitation.answer_refused, with a sentence for the person.
[[nodiscard]] Status check_answer(const FormField& field, const Json& value);

struct FormRefused {
  static constexpr std::string_view kId = "elicitation.form_refused";
  static constexpr Layer kLayer = Layer::kSchema;
  static constexpr Disposition kDisposition = Disposition::kPeer;
  std::string where;  // "the field card_number", made visible
  std::string reason;
  [[nodiscard]] std::string text() const;
};
struct AnswerRefused {
  static constexpr std::string_view kId = "elicitation.answer_refused";
  static constexpr Layer kLayer = Layer::kOwn;
  static constexpr Disposition kDisposition = Disposition::kUsage;
  std::string field;   // visible
  std::string reason;  // a sentence with its end: "At least 3 characters are wanted."
  [[nodiscard]] std::string text() const;
};

}  // namespace postern::bridge
