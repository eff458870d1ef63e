#include "netlab/network_namespace.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <linux/if_tun.h>
#include <net/if.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include <cstring>
#include <fstream>

#include "base/system_error.h"

namespace netlab {
namespace {

base::UniqueFd open_current() {
  return base::UniqueFd{
      base::check("open network namespace", ::open("/proc/thread-self/ns/net", O_RDONLY))};
}

ifreq request_for(const std::string& name) {
  ifreq request{};
  name.copy(request.ifr_name, IFNAMSIZ - 1);
  return request;
}

void put_address(ifreq& request, const std::string& address) {
  sockaddr_in ip{};
  ip.sin_family = AF_INET;
  ::inet_pton(AF_INET, address.c_str(), &ip.sin_addr);
  std::memcpy(&request.ifr_addr, &ip, sizeof ip);
}

/// The calls that configure one interface of the current namespace.
class Interface {
 public:
  explicit Interface(std::string name)
      : name_{std::move(name)},
        socket_{base::check("socket", ::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0))} {}

  void set_address(const std::string& address) {
    ifreq request = request_for(name_);
    put_address(request, address);
    control(SIOCSIFADDR, request);
    put_address(request, "255.255.255.0");
    control(SIOCSIFNETMASK, request);
  }

  void set_mtu(int mtu) {
    ifreq request = request_for(name_);
    request.ifr_mtu = mtu;
    control(SIOCSIFMTU, request);
  }

  void up() {
    ifreq request = request_for(name_);
    control(SIOCGIFFLAGS, request);
    request.ifr_flags = static_cast<short>(request.ifr_flags | IFF_UP);
    control(SIOCSIFFLAGS, request);
  }

 private:
  void control(unsigned long what, ifreq& request) {
    base::check("configure interface " + name_, ::ioctl(socket_.get(), what, &request));
  }

  std::string name_;
  base::UniqueFd socket_;
};

void disable_ipv6(const std::string& interface) {
  // The file is missing if the kernel has no IPv6, which is fine too.
  std::ofstream{"/proc/sys/net/ipv6/conf/" + interface + "/disable_ipv6"} << "1";
}

}  // namespace

NetworkNamespace::Visit::Visit(const NetworkNamespace& target) : home_{open_current()} {
  base::check("enter network namespace", ::setns(target.fd(), CLONE_NEWNET));
}

NetworkNamespace::Visit::~Visit() { ::setns(home_.get(), CLONE_NEWNET); }

NetworkNamespace::NetworkNamespace() {
  const base::UniqueFd home = open_current();
  base::check("unshare network namespace", ::unshare(CLONE_NEWNET));
  fd_ = open_current();
  Interface{"lo"}.up();
  base::check("return from network namespace", ::setns(home.get(), CLONE_NEWNET));
}

base::UniqueFd open_tun(const NetworkNamespace& where, const std::string& name,
                        const std::string& address) {
  const NetworkNamespace::Visit visit{where};
  base::UniqueFd tun{
      base::check("open /dev/net/tun", ::open("/dev/net/tun", O_RDWR | O_NONBLOCK | O_CLOEXEC))};
  ifreq request = request_for(name);
  request.ifr_flags = IFF_TUN | IFF_NO_PI;
  base::check("create TUN device " + name, ::ioctl(tun.get(), TUNSETIFF, &request));
  disable_ipv6(name);
  Interface interface { name };
  interface.set_mtu(1500);
  interface.set_address(address);
  interface.up();
  return tun;
}

}  // namespace netlab
