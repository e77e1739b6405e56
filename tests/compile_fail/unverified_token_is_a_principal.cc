// A principal that nobody verified.
// expect: private
#include "services/gate/principal.h"

#ifdef CONTROL
postern::services::Principal f() {
  return postern::services::StdioLaunch("rowan").principal();
}
#else
postern::services::Principal f() {
  return postern::services::Principal("issuer", "rowan", "Rowan");
}
#endif
