// /authorize and /consent: a request comes in, the people are shown, one is chosen, that person allows or denies, the
// answer goes back: by redirect to a client with a browser, by the device code to a device (RFC 8628).
#pragma once

#include <string>

#include "issuer/code_store.h"
#include "issuer/consents.h"
#include "issuer/device_codes.h"
#include "issuer/people.h"
#include "issuer/scope_rules.h"
#include "issuer/sign_in_sessions.h"
#include "issuer/tickets.h"
#include "wire/env/env.h"
#include "wire/http_message/http_message.h"
#include "wire/transport/http_server.h"

namespace postern::issuer {

// What the ways to a grant have in common. The references must outlive it; what they refer to is thread-safe.
struct GrantDesk {
  Env env;
  std::string issuer;
  ScopePolicy scopes;
  ClientDirectory& clients;
  const People& people;
  CodeStore& codes;
  DeviceCodes& devices;
};

// Thread-safe.
class AuthorizationEndpoint {
 public:
  explicit AuthorizationEndpoint(GrantDesk& desk)
      : desk_(desk), sign_ins_(desk.env), decisions_(desk.env), sessions_(desk.env) {}

  // GET /authorize: changes nothing but the list of requests that wait. Blocks in the lane when the client's document
  // has to be fetched first.
  [[nodiscard]] HttpReply show(const HttpRequest& request);
  // The people, for a request that was checked.
  [[nodiscard]] HttpResponse show_people(AuthorizationRequest request, const HttpRequest& http);
  // POST /authorize, the form with the people: from our own origin, with the form token of that request.
  [[nodiscard]] HttpResponse choose(const HttpRequest& request);
  // POST /consent: the same, and from the browser in which that person was chosen.
  [[nodiscard]] HttpResponse decide(const HttpRequest& request);

 private:
  struct Decision {
    AuthorizationRequest request;
    Person person;
    WallTime auth_time{};
    std::string session_key;
  };
  [[nodiscard]] HttpResponse show_known(const HttpRequest& request, const FormFields& fields);
  [[nodiscard]] HttpResponse signed_in(AuthorizationRequest request, const Person& person, const HttpRequest& http);
  [[nodiscard]] HttpResponse answer_grant(const AuthorizationRequest& request, const Person& person,
                                          WallTime auth_time);
  [[nodiscard]] HttpResponse answer_error(const AuthorizationRequest& request, const Failure& failure);

  GrantDesk& desk_;
  Tickets<AuthorizationRequest> sign_ins_;
  Tickets<Decision> decisions_;
  Consents consents_;
  SignInSessions sessions_;
};

// A form of one of our pages, sent by a person's browser from that page; otherwise the answer that refuses it.
[[nodiscard]] std::optional<HttpResponse> refuse_foreign_form(const HttpRequest& request, std::string_view own_origin);

}  // namespace postern::issuer
