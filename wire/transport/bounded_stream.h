// The library's stream over a connected socket, plain or TLS, with one deadline for everything that is done on it.
//
// Every wait ends at the deadline, so a peer that sends a byte a second cannot hold a caller. A shutdown(2) of the
// socket from another thread wakes it. Internal to the HTTP client. One thread.
#pragma once

#include <httplib.h>

#include <string>

#include "wire/base/clock.h"

namespace postern {

class BoundedStream final : public httplib::Stream {
 public:
  // `ssl` is null for plain HTTP. Nothing is owned. The socket is made non-blocking.
  BoundedStream(int descriptor, SSL* ssl, const Clock& clock, SteadyTime deadline);

  // Bytes read, 0 at the end of the stream, -1 when it broke or the deadline passed. A TLS stream that ends without
  // saying so is broken.
  ssize_t read(char* to, size_t size) override;
  ssize_t write(const char* from, size_t size) override;
  [[nodiscard]] bool write_all(std::string_view bytes);
  void move_deadline(SteadyTime deadline) { deadline_ = deadline; }
  [[nodiscard]] bool timed_out() const { return timed_out_; }

  bool is_readable() const override { return true; }
  bool is_writable() const override { return true; }
  void get_remote_ip_and_port(std::string&, int&) const override {}
  void get_local_ip_and_port(std::string&, int&) const override {}
  socket_t socket() const override { return descriptor_; }

 private:
  bool wait(short events);
  bool wait_for_tls(int result);

  int descriptor_;
  SSL* ssl_;
  const Clock& clock_;
  SteadyTime deadline_;
  bool timed_out_ = false;
};

// Milliseconds for poll(2) until then, rounded up so that a wait does not end before its time; 0 when it has passed.
[[nodiscard]] int poll_milliseconds(const Clock& clock, SteadyTime deadline);

}  // namespace postern
