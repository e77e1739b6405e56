#include "issuer/people.h"

#include <algorithm>

#include "issuer/failures.h"
#include "wire/base/check.h"
#include "wire/base/embedded.h"
#include "wire/base/visible_text.h"

POSTERN_EMBEDDED(issuer_people)

namespace postern::issuer {
namespace {

constexpr std::string_view kMembers[] = {"subject", "name", "description", "scopes"};
constexpr std::size_t kPeopleMax = 100;

Result<Person> read_person(const Json& json) {
  for (const auto& [name, value] : json.members()) {
    if (std::find(std::begin(kMembers), std::end(kMembers), name) == std::end(kMembers)) {
      return BadIssuerConfiguration{"a person has the unknown member " + visible_line(name, 40)};
    }
  }
  Person person;
  person.subject = json.string_at("subject");
  person.name = json.string_at("name");
  person.description = json.string_at("description");
  if (person.subject.empty() || person.name.empty())
    return BadIssuerConfiguration{"a person needs a subject and a name"};
  const Json* scopes = json.find("scopes");
  if (scopes == nullptr || !scopes->is_array()) {
    return BadIssuerConfiguration{"the person " + visible_line(person.subject, 40) + " has no array \"scopes\""};
  }
  for (const Json& entry : scopes->elements()) {
    const auto scope = entry.string() == nullptr ? std::nullopt : ScopeSet::parse(*entry.string());
    if (!scope)
      return BadIssuerConfiguration{"the person " + visible_line(person.subject, 40) + " has a malformed scope"};
    person.may_hold = person.may_hold.join(*scope);
  }
  return person;
}

}  // namespace

Result<People> People::of_json(const Json& json) {
  if (!json.is_array() || json.size() == 0 || json.size() > kPeopleMax) {
    return BadIssuerConfiguration{"\"people\" is not an array of 1 to " + std::to_string(kPeopleMax) + " people"};
  }
  People people({});
  for (const Json& entry : json.elements()) {
    POSTERN_TRY(Person person, read_person(entry));
    if (people.find(person.subject) != nullptr) {
      return BadIssuerConfiguration{"two people have the subject " + visible_line(person.subject, 40)};
    }
    people.people_.push_back(std::move(person));
  }
  return people;
}

People People::embedded() {
  const auto json = parse_json(embedded::issuer_people().front().content);
  POSTERN_CHECK(json.has_value());
  auto people = of_json(*json);
  POSTERN_CHECK(people.has_value());
  return *std::move(people);
}

const Person* People::find(std::string_view subject) const {
  const auto found =
      std::find_if(people_.begin(), people_.end(), [&](const Person& person) { return person.subject == subject; });
  return found == people_.end() ? nullptr : &*found;
}

}  // namespace postern::issuer
