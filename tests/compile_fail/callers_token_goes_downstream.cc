// A caller's access token where a service wants the desk's own credential.
// expect: cannot convert|no viable|could not convert|invalid initialization|no known conversion
#include "services/service_authentication/service_credential.h"
#include "wire/oauth/access_token.h"

using namespace postern;

void call_service(const services::ServiceCredential& credential);

void f(const AccessToken& token, const services::ServiceCredential& credential) {
#ifdef CONTROL
  (void)token;
  call_service(credential);
#else
  (void)credential;
  call_service(token);
#endif
}
