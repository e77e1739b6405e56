// Somebody at the pages of the issuer, who chooses one person and allows what is asked.
//
// The conformance suite opens an authorization URL and follows redirects; it cannot press a button. So its issuer is
// the product's, with this in front of GET /authorize: it reads the pages that come, fills in their forms and sends
// them as a browser would. Nothing of it is in the product.
#pragma once

#include <string>

#include "wire/http_message/http_message.h"
#include "wire/transport/http_server.h"

namespace postern::conformance {

class PlayedPerson {
 public:
  // Plays `subject` at `issuer` for the requests of that client; those of others see the pages. The routes of the
  // product are moved in.
  PlayedPerson(std::string issuer, std::string client_id, std::string subject, Routes routes);

  // The product's routes with the person in front. This object must outlive them.
  [[nodiscard]] Routes routes();

 private:
  [[nodiscard]] HttpReply authorize(const HttpRequest& request) const;
  [[nodiscard]] HttpResponse press(const HttpResponse& page, const char* path, const char* name,
                                   const std::string& value, const std::string& cookie) const;

  std::string issuer_;
  std::string client_id_;
  std::string subject_;
  Routes product_;
};

}  // namespace postern::conformance
