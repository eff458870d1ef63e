#pragma once

#include <netdb.h>
#include <sys/socket.h>

#include <functional>
#include <string>
#include <vector>

namespace transcoder {

/// Finds the addresses of a name. Returns 0 or an error of getaddrinfo(3).
using LookUp = std::function<int(const std::string& host, std::vector<sockaddr_storage>&)>;

/// getaddrinfo(3) with another source of names. Services are numbers. `found` is to be freed by
/// free_addresses().
int find_addresses(const char* host, const char* service, const addrinfo* hints, addrinfo** found,
                   const LookUp& look_up);

/// freeaddrinfo(3)
void free_addresses(addrinfo* list);

}  // namespace transcoder
