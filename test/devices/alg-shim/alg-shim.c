/*
 * Lets btvirt run where the kernel has no AF_ALG: it opens a cipher for each controller, and uses it for encrypted links only, which the
 * products do not have. Preload it with LD_PRELOAD.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <linux/if_alg.h>
#include <sys/socket.h>

int socket(int domain, int type, int protocol) {
  int (*next)(int, int, int) = dlsym(RTLD_NEXT, "socket");
  return next(domain == AF_ALG ? AF_UNIX : domain, type, protocol);
}

int bind(int descriptor, const struct sockaddr *address, socklen_t length) {
  int (*next)(int, const struct sockaddr *, socklen_t) = dlsym(RTLD_NEXT, "bind");
  return address->sa_family == AF_ALG ? 0 : next(descriptor, address, length);
}
