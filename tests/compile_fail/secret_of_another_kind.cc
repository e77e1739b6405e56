// A caller's token where a service credential is wanted.
// expect: could not convert|no viable conversion|cannot convert|no known conversion|invalid initialization
#include "wire/base/secret.h"

struct AccessToken {
  using RevealedBy = postern::Reveals<>;
};
struct ServiceCredential {
  using RevealedBy = postern::Reveals<>;
};

void call_service(const postern::Secret<ServiceCredential>& credential);

void f(const postern::Secret<AccessToken>& token, const postern::Secret<ServiceCredential>& credential) {
#ifdef CONTROL
  (void)token;
  call_service(credential);
#else
  (void)credential;
  call_service(token);
#endif
}
