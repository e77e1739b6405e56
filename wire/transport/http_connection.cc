#include "wire/transport/http_connection.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <httplib.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <condition_variable>
#include <cstring>
#include <exception>
#include <mutex>
#include <optional>
#include <thread>

#include "wire/transport/bounded_stream.h"

namespace postern {
namespace {

std::string reason_of(int error_number) {
  std::string reason = std::strerror(error_number);
  if (!reason.empty() && reason[0] >= 'A' && reason[0] <= 'Z') reason[0] = static_cast<char>(reason[0] + 32);
  return reason;
}

// A second descriptor of a connection's socket, by which another thread may shut it down while the library owns and
// closes the first: the number of the first may by then belong to another file.
class SocketHandle {
 public:
  SocketHandle() = default;
  ~SocketHandle() { set(-1); }
  SocketHandle(const SocketHandle&) = delete;
  SocketHandle& operator=(const SocketHandle&) = delete;
  void set(int descriptor) {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (descriptor_ >= 0) ::close(descriptor_);
    descriptor_ = descriptor >= 0 ? ::fcntl(descriptor, F_DUPFD_CLOEXEC, 0) : -1;
  }
  void shut_down() {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (descriptor_ >= 0) ::shutdown(descriptor_, SHUT_RDWR);
  }
  [[nodiscard]] bool is_fresh() const {
    const std::lock_guard<std::mutex> lock(mutex_);
    char byte = 0;
    return descriptor_ >= 0 && ::recv(descriptor_, &byte, 1, MSG_PEEK | MSG_DONTWAIT) < 0 &&
           (errno == EAGAIN || errno == EWOULDBLOCK);
  }

 private:
  mutable std::mutex mutex_;
  int descriptor_ = -1;
};

// Shuts the socket down at the deadline, unless it is destroyed before.
class HandshakeWatch {
 public:
  HandshakeWatch(SocketHandle& handle, const Clock& clock, SteadyTime deadline)
      : thread_([this, &handle, &clock, deadline](const std::stop_token& stop) {
          std::unique_lock<std::mutex> lock(mutex_);
          while (!stop.stop_requested()) {
            const int left = poll_milliseconds(clock, deadline);
            if (left == 0) {
              handle.shut_down();
              return;
            }
            ended_.wait_for(lock, stop, std::chrono::milliseconds(left), [] { return false; });
          }
        }) {}

 private:
  std::mutex mutex_;
  std::condition_variable_any ended_;
  std::jthread thread_;
};

// Non-blocking connect to one address, within the deadline. A descriptor, or what went wrong.
Result<int> connect_to(const std::string& address, std::uint16_t port, const std::string& where, const Clock& clock,
                       SteadyTime deadline, SocketHandle& handle) {
  sockaddr_storage storage{};
  socklen_t size = 0;
  if (auto* four = reinterpret_cast<sockaddr_in*>(&storage);
      ::inet_pton(AF_INET, address.c_str(), &four->sin_addr) == 1) {
    four->sin_family = AF_INET;
    four->sin_port = htons(port);
    size = sizeof *four;
  } else if (auto* six = reinterpret_cast<sockaddr_in6*>(&storage);
             ::inet_pton(AF_INET6, address.c_str(), &six->sin6_addr) == 1) {
    six->sin6_family = AF_INET6;
    six->sin6_port = htons(port);
    size = sizeof *six;
  } else {
    return Unreachable{where, "it has no usable address"};
  }
  const int descriptor = ::socket(storage.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (descriptor < 0) return Unreachable{where, reason_of(errno)};
  handle.set(descriptor);
  const int on = 1;
  ::setsockopt(descriptor, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  int error = ::connect(descriptor, reinterpret_cast<const sockaddr*>(&storage), size) == 0 ? 0 : errno;
  while (error == EINPROGRESS) {
    const int left = poll_milliseconds(clock, deadline);
    pollfd wait{descriptor, POLLOUT, 0};
    const int ready = left > 0 ? ::poll(&wait, 1, left) : 0;
    if (ready < 0 && errno == EINTR) continue;
    if (ready == 0 && left > 0) continue;
    socklen_t length = sizeof error;
    if (ready <= 0) {
      error = ETIMEDOUT;
    } else if (::getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &error, &length) != 0) {
      error = errno;
    }
  }
  if (error == 0) return descriptor;
  handle.set(-1);
  ::close(descriptor);
  return Unreachable{where, reason_of(error)};
}

// Has the proxy open a tunnel to the origin (CONNECT, RFC 9110 section 9.3.6). Reads not a byte more than the head of
// the answer: what follows belongs to TLS. Empty when it is open, otherwise what went wrong.
std::string open_tunnel(BoundedStream& stream, const Uri& uri, const Proxy& proxy) {
  constexpr std::size_t kHeadBytesMax = 16 * 1024;
  const std::string host = uri.host.find(':') == std::string::npos ? uri.host : "[" + uri.host + "]";
  const std::string authority = host + ":" + std::to_string(uri.port);
  std::string authorization = proxy.authorization_line();
  std::string request = "CONNECT " + authority + " HTTP/1.1\r\nHost: " + authority + "\r\n" + authorization + "\r\n";
  const bool written = stream.write_all(request);
  wipe(request);
  wipe(authorization);
  std::string head;
  constexpr std::string_view kEnd = "\r\n\r\n";
  while (written && (head.size() < kEnd.size() || head.compare(head.size() - kEnd.size(), kEnd.size(), kEnd) != 0)) {
    char byte = 0;
    if (head.size() >= kHeadBytesMax || stream.read(&byte, 1) <= 0) break;
    head += byte;
  }
  if (stream.timed_out()) return "it did not answer in time";
  const bool is_http =
      head.size() > 12 && (head.compare(0, 9, "HTTP/1.1 ") == 0 || head.compare(0, 9, "HTTP/1.0 ") == 0);
  if (head.empty()) return "it closed the connection";
  if (!is_http || head.compare(head.size() - kEnd.size(), kEnd.size(), kEnd) != 0) return "its answer is not HTTP/1.1";
  const std::string status = head.substr(9, 3);
  if (status == "407") {
    return proxy.authorization.empty() ? "it wants a name and a password (407): http://NAME:PASSWORD@" + proxy.where()
                                       : "it refuses the name or the password of its setting (407)";
  }
  return status[0] == '2' && head[12] == ' ' ? "" : "it answered with status " + status;
}

// Both kinds of connection; Base is the library's class. `Socket` is a protected type of it.
template <class Base>
class LibraryConnection : public HttpConnection, protected Base {
 public:
  LibraryConnection(const Uri& uri, const Proxy* proxy, const Clock& clock)
      : Base(uri.host, static_cast<int>(uri.port)), uri_(uri), proxy_(proxy), where_(uri.origin()), clock_(clock) {
    Base::set_keep_alive(true);
    Base::set_follow_location(false);
    Base::set_decompress(false);
    Base::set_url_encode(false);
  }

  Status run(const ConnectionJob& job) override {
    job_ = &job;
    failure_.reset();
    ran_ = false;
    httplib::Error error = httplib::Error::Unknown;
    bool kept = false;
    {
      const std::stop_callback<std::function<void()>> on_stop(job.stop, [this] { handle_.shut_down(); });
      try {
        httplib::Request request;
        httplib::Response response;
        kept = Base::send(request, response, error);
      } catch (const std::exception& exception) {
        failure_ = Unreachable{where_, exception.what()};
      }
      watch_.reset();
    }
    if (!kept) handle_.set(-1);
    job_ = nullptr;
    if (ran_) return {};
    if (job.stop.stop_requested()) return Cancelled{};
    if (poll_milliseconds(clock_, job.deadline) == 0) return TimedOut{where_};
    if (failure_) return *failure_;
    return tls_failure(error);
  }

  [[nodiscard]] bool is_fresh() const override { return handle_.is_fresh(); }

 protected:
  [[nodiscard]] virtual Failure tls_failure(httplib::Error error) const {
    return Unreachable{where_, httplib::to_string(error)};
  }
  virtual SSL* tls_of(const typename Base::Socket&) const { return nullptr; }
  [[nodiscard]] const std::string& where() const { return where_; }

  bool create_and_connect_socket(typename Base::Socket& socket, httplib::Error& error) override {
    error = httplib::Error::Connection;
    for (const std::string& one : job_->addresses) {
      const SteadyTime now = clock_.steady_now();
      const SteadyTime deadline =
          job_->deadline - now > job_->connect_ms_max ? now + job_->connect_ms_max : job_->deadline;
      const std::uint16_t port = proxy_ == nullptr ? uri_.port : proxy_->port;
      const Result<int> connected = connect_to(one, port, where_, clock_, deadline, handle_);
      if (connected) return take(*connected, one, socket);
      failure_ = connected.error();
      if (const auto* unreachable = failure_->as<Unreachable>(); unreachable != nullptr && proxy_ != nullptr)
        failure_ = ProxyFailed{proxy_->where(), where_, unreachable->reason};
      if (job_->stop.stop_requested()) return false;
    }
    if (!failure_) failure_ = Unreachable{where_, "it has no address"};
    return false;
  }
  [[nodiscard]] virtual bool needs_handshake() const { return false; }

 private:
  // The connected socket becomes the library's, once a tunnel through the proxy is open where one is needed.
  bool take(int connected, const std::string& to, typename Base::Socket& socket) {
    if (proxy_ != nullptr && needs_handshake()) {
      BoundedStream stream(connected, nullptr, clock_, job_->deadline);
      std::string reason = open_tunnel(stream, uri_, *proxy_);
      if (!reason.empty()) {
        failure_ = ProxyFailed{proxy_->where(), where_, std::move(reason)};
        handle_.set(-1);
        ::close(connected);
        return false;
      }
    }
    socket.sock = connected;
    if (proxy_ == nullptr) address = to;
    if (needs_handshake()) watch_ = std::make_unique<HandshakeWatch>(handle_, clock_, job_->deadline);
    return true;
  }

  // In place of the library's exchange; its callback would write the request and read the response without bounds.
  bool process_socket(const typename Base::Socket& socket, std::function<bool(httplib::Stream&)>) override {
    watch_.reset();
    failure_.reset();
    ran_ = true;
    BoundedStream stream(socket.sock, tls_of(socket), clock_, job_->deadline);
    return job_->exchange(stream);
  }

  const Uri uri_;
  const Proxy* const proxy_;
  const std::string where_;
  const Clock& clock_;
  const ConnectionJob* job_ = nullptr;
  std::optional<Failure> failure_;
  bool ran_ = false;
  SocketHandle handle_;
  std::unique_ptr<HandshakeWatch> watch_;  // uses the handle, so it goes first
};

class PlainConnection final : public LibraryConnection<httplib::ClientImpl> {
 public:
  using LibraryConnection::LibraryConnection;
};

class TlsConnection final : public LibraryConnection<httplib::SSLClient> {
 public:
  TlsConnection(const Uri& uri, const Proxy* proxy, const std::string& ca_file, const Clock& clock)
      : LibraryConnection(uri, proxy, clock), ca_file_(ca_file) {
    enable_server_certificate_verification(true);
    if (!ca_file.empty()) set_ca_cert_path(ca_file);
    set_connection_timeout(std::chrono::hours(1));  // of each read in the handshake; the watch ends the whole of it
    SSL_CTX* const context = ssl_context();
    if (context == nullptr) return;
    SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION);
    // RFC 9525 section 6.3: the subject alternative names and nothing else. The library by itself falls back to the
    // common name.
    X509_VERIFY_PARAM* const parameters = SSL_CTX_get0_param(context);
    X509_VERIFY_PARAM_set_hostflags(parameters,
                                    X509_CHECK_FLAG_NEVER_CHECK_SUBJECT | X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS);
    if (X509_VERIFY_PARAM_set1_ip_asc(parameters, uri.host.c_str()) != 1) {
      ERR_clear_error();
      name_is_set_ = X509_VERIFY_PARAM_set1_host(parameters, uri.host.c_str(), uri.host.size()) == 1;
    } else {
      name_is_set_ = true;
    }
  }

 private:
  bool create_and_connect_socket(Socket& socket, httplib::Error& error) override {
    if (!is_valid() || !name_is_set_) return false;  // never a handshake that verifies less than it should
    return LibraryConnection::create_and_connect_socket(socket, error);
  }
  [[nodiscard]] bool needs_handshake() const override { return true; }
  SSL* tls_of(const Socket& socket) const override { return socket.ssl; }
  [[nodiscard]] Failure tls_failure(httplib::Error error) const override {
    if (error == httplib::Error::SSLServerVerification) {
      const long result = get_openssl_verify_result();
      return TlsFailed{
          where(), result == X509_V_OK ? "its certificate is for another name" : X509_verify_cert_error_string(result)};
    }
    if (error == httplib::Error::SSLLoadingCerts)
      return TlsFailed{where(), ca_file_.empty() ? "the system's certificates cannot be read"
                                                 : "the file of certificates to trust, " + ca_file_ +
                                                       ", cannot be read or holds none"};
    return TlsFailed{where(), "the TLS handshake failed"};
  }

  const std::string ca_file_;
  bool name_is_set_ = false;
};

}  // namespace

std::unique_ptr<HttpConnection> make_http_connection(const Uri& uri, const Proxy* proxy, const std::string& ca_file,
                                                     const Clock& clock) {
  if (uri.scheme == "https") return std::make_unique<TlsConnection>(uri, proxy, ca_file, clock);
  return std::make_unique<PlainConnection>(uri, proxy, clock);
}

}  // namespace postern
