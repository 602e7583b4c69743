// Checks the ports of connections: a port given to a connection never keeps a process from listening there,
// and no socket connects to itself.
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

// Rank 0 may be told a port that the system has given to a connection of another process, which may have
// ended: TCP reserves the port for a minute.
static void test_port_of_a_connection(void) {
  int listener, here, there, port = 0;
  REQUIRE(cp_listen(HOST, &port, &listener) == CP_OK);
  REQUIRE(cp_connect(HOST, port, (cp_deadline){cp_clock() + 5, NULL}, &here) == CP_OK);
  REQUIRE(cp_accept(listener, (cp_deadline){cp_clock() + 5, NULL}, &there) == CP_OK);
  int taken = own_port(here);
  CHECK(taken != port);
  CHECK(can_listen(taken));
  cp_close_socket(here); // first, so that this end has to wait
  cp_close_socket(there);
  CHECK(can_listen(taken));
  CHECK(!can_listen(port)); // a connection has it
  cp_close_socket(listener);
}

// A free port among those given to connections: Linux gives them even ports, and odd ones to listeners.
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

// The system assigns ports to connections in turn. A connection to exactly the port assigned to it succeeds
// by TCP's rules, with itself.
static void test_nobody_there(void) {
  int fd, port = free_port();
  for (int k = 0; k < 30000; k++) {
    bool met = cp_connect(HOST, port, (cp_deadline){cp_clock() + 1e-4, NULL}, &fd) == CP_OK;
    CHECK(!met);
    if (met) return cp_close_socket(fd);
  }
  CHECK(strstr(cp_error_text(), "no answer from 127.0.0.1 port ") != NULL);
}

int main(void) {
  test_port_of_a_connection();
  test_nobody_there();
  return verdict("sockets");
}
