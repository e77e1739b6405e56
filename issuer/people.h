// The people who can sign in here: synthetic, with the most that each may ever hold.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "wire/base/json.h"
#include "wire/base/result.h"
#include "wire/oauth/scope.h"

namespace postern::issuer {

struct Person {
  std::string subject;      // "rowan"
  std::string name;         // "Rowan Diaz"
  std::string description;  // "operator, west desk": shown beside the name
  ScopeSet may_hold;        // without openid, which everyone may have
};

class People {
 public:
  // [{"subject","name","description"?,"scopes":[...]}]. Refuses an empty list, equal subjects and unknown members.
  [[nodiscard]] static Result<People> of_json(const Json& json);
  // The three of the training world (people.json).
  [[nodiscard]] static People embedded();
  // Null when nobody has that subject.
  [[nodiscard]] const Person* find(std::string_view subject) const;
  [[nodiscard]] const std::vector<Person>& all() const { return people_; }

 private:
  explicit People(std::vector<Person> people) : people_(std::move(people)) {}
  std::vector<Person> people_;
};

}  // namespace postern::issuer
