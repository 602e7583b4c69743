// The ports of connections: those that a connection was given never keep anybody from listening, and nobody meets himself.
#include "host/sockets.h"
#include "device/context.h"

#include "check.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>

static const char *const HOST = "127.0.0.1";

static int own_port(int fd) {
  struct sockaddr_in a = {0};
  socklen_t size = sizeof a;
  REQUIRE(getsockname(fd, (struct sockaddr *)&a, &size) == 0);
  return ntohs(a.sin_port);
}

static bool can_listen(int port) {
  int fd;
  bool can = cp_listen(HOST, &port, &fd) == CP_OK;
  if (can) cp_close_socket(fd);
  return can;
}

// Rank 0 may be told a port that the system gave a connection of another process, which may be over already: TCP keeps the port for a minute.
static void test_port_of_a_connection(void) {
  int listener, here, there, port = 0;
  REQUIRE(cp_listen(HOST, &port, &listener) == CP_OK);
  REQUIRE(cp_connect(HOST, port, (cp_deadline){cp_clock() + 5, NULL}, &here) == CP_OK);
  REQUIRE(cp_accept(listener, (cp_deadline){cp_clock() + 5, NULL}, &there) == CP_OK);
  int taken = own_port(here);
  CHECK(taken != port);
  CHECK(can_listen(taken));
  cp_close_socket(here); // first, so that this end waits
  cp_close_socket(there);
  CHECK(can_listen(taken));
  CHECK(!can_listen(port)); // which somebody does
  cp_close_socket(listener);
}

// One that nobody has, among those that connections get: Linux gives even ones to these, and odd ones to those who listen.
static int free_port(void) {
  int port = 0;
  for (int tries = 0; tries < 100; tries++) {
    int fd, odd = 0;
    REQUIRE(cp_listen(HOST, &odd, &fd) == CP_OK);
    cp_close_socket(fd);
    port = odd ^ 1;
    if (can_listen(port)) break;
  }
  REQUIRE(can_listen(port));
  return port;
}

// The system gives connections ports in turn. One that is told to go to the very port it was given succeeds by TCP's rules, with itself.
static void test_nobody_there(void) {
  int fd, port = free_port();
  for (int k = 0; k < 30000; k++) {
    bool met = cp_connect(HOST, port, (cp_deadline){cp_clock() + 1e-4, NULL}, &fd) == CP_OK;
    CHECK(!met);
    if (met) return cp_close_socket(fd);
  }
  CHECK(strstr(cp_error_text(), "nobody answers at 127.0.0.1 port ") != NULL);
}

int main(void) {
  test_port_of_a_connection();
  test_nobody_there();
  return verdict("sockets");
}
