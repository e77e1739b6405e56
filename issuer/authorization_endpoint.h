// /authorize: a request comes in, the people are shown, one is chosen, the answer goes back by redirect.
#pragma once

#include <string>

#include "issuer/clients.h"
#include "issuer/code_store.h"
#include "issuer/pending_sign_ins.h"
#include "issuer/people.h"
#include "issuer/sign_in_sessions.h"
#include "wire/env/env.h"
#include "wire/http_message/http_message.h"

namespace postern::issuer {

// The references must outlive it. Thread-safe, as what it refers to is.
class AuthorizationEndpoint {
 public:
  AuthorizationEndpoint(Env env, std::string issuer, const Clients& clients, const People& people, CodeStore& codes)
      : env_(env),
        issuer_(std::move(issuer)),
        clients_(clients),
        people_(people),
        codes_(codes),
        pending_(env),
        sessions_(env) {}

  // GET: changes nothing but the list of pending sign-ins.
  [[nodiscard]] HttpResponse show(const HttpRequest& request);
  // POST of the page's form: from our own origin, with the form token of that request.
  [[nodiscard]] HttpResponse choose(const HttpRequest& request);

 private:
  [[nodiscard]] HttpResponse answer_error(const ReturnAddress& address, const Failure& failure) const;
  [[nodiscard]] HttpResponse answer_code(AuthorizationRequest request, const Person& person, const HttpRequest& http);

  Env env_;
  std::string issuer_;
  const Clients& clients_;
  const People& people_;
  CodeStore& codes_;
  PendingSignIns pending_;
  SignInSessions sessions_;
};

}  // namespace postern::issuer
