// Somebody else's server, from outside: a URL and a profile.
//
// Only loopback is attacked, unless the profile names the host; each address is looked at before anything is sent to
// it. What is done here is what any client and any person could do: what the server paid, kept or sent on cannot be
// seen, and the issuer signs nothing that it would not issue. One thread.
#pragma once

#include <memory>
#include <string>

#include "tests/lab/attack/profile.h"
#include "tests/lab/attack/target.h"
#include "wire/env/env.h"

namespace postern::lab {

struct HostNotNamed {
  static constexpr std::string_view kId = "lab.host_not_named";
  static constexpr Layer kLayer = Layer::kOwn;
  static constexpr Disposition kDisposition = Disposition::kUsage;
  std::string host;  // made visible
  [[nodiscard]] std::string text() const {
    return "Only this machine is attacked, unless the profile names the host in \"hosts\": " + host + ".";
  }
};

// `env` must outlive it. lab.host_not_named, uri.malformed.
[[nodiscard]] Result<std::unique_ptr<Target>> make_server_target(Env env, const std::string& url, Profile profile);

}  // namespace postern::lab
