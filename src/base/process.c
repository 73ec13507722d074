#define _GNU_SOURCE
#include "base/process.h"

#include "base/clock.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

// A group of its own, so that what it starts ends with it; signals as in a fresh program.
static bool prepare(posix_spawn_file_actions_t *files, posix_spawnattr_t *how, int out)
{
  sigset_t none, pipe;
  sigemptyset(&none);
  sigemptyset(&pipe);
  sigaddset(&pipe, SIGPIPE);
  bool fine = posix_spawn_file_actions_addopen(files, 0, "/dev/null", O_RDONLY, 0) == 0;
  fine = fine &&
         (out >= 0 ? posix_spawn_file_actions_adddup2(files, out, 1)
                   : posix_spawn_file_actions_addopen(files, 1, "/dev/null", O_WRONLY, 0)) == 0;
  fine = fine && posix_spawn_file_actions_addopen(files, 2, "/dev/null", O_WRONLY, 0) == 0;
  fine = fine && posix_spawnattr_setpgroup(how, 0) == 0;
  fine = fine && posix_spawnattr_setsigmask(how, &none) == 0;
  fine = fine && posix_spawnattr_setsigdefault(how, &pipe) == 0;
  return fine && posix_spawnattr_setflags(how, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK |
                                                   POSIX_SPAWN_SETSIGDEF) == 0;
}

static bool start(const char *const argv[], int out, pid_t *process)
{
  posix_spawn_file_actions_t files;
  posix_spawnattr_t how;
  if (posix_spawn_file_actions_init(&files) != 0) return false;
  bool fine = posix_spawnattr_init(&how) == 0;
  if (fine) {
    // posix_spawn does not write to its words: they lack const for reasons of history
    fine = prepare(&files, &how, out) &&
           posix_spawn(process, argv[0], &files, &how, (char *const *)argv, environ) == 0;
    posix_spawnattr_destroy(&how);
  }
  posix_spawn_file_actions_destroy(&files);
  return fine;
}

// All that is written until the end of time or of the stream; what has no room is dropped.
static void listen(int in, double end, char *output, size_t size)
{
  size_t length = 0;
  for (double left; (left = end - dls_clock()) > 0;) {
    char dropped[256];
    const bool full = length + 1 >= size;
    struct pollfd wait = {.fd = in, .events = POLLIN};
    const int ready = poll(&wait, 1, left < 1 ? 1 + (int)(1000 * left) : 1000);
    if (ready < 0 && errno != EINTR) break;
    if (ready <= 0) continue;
    const ssize_t got =
        full ? read(in, dropped, sizeof dropped) : read(in, output + length, size - 1 - length);
    if (got == 0 || (got < 0 && errno != EINTR)) break;
    if (got > 0 && !full) length += (size_t)got;
  }
  output[length] = '\0';
}

// True when the process ended with status 0 before that time; it has ended in any case.
static bool finish(pid_t process, double end)
{
  int status = 0;
  pid_t ended;
  while ((ended = waitpid(process, &status, WNOHANG)) == 0 && dls_clock() < end)
    nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
  if (ended == 0) {
    kill(-process, SIGKILL);
    while (waitpid(process, &status, 0) < 0 && errno == EINTR) continue;
    return false;
  }
  return ended == process && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

bool dls_process_run(const char *const argv[], double seconds, char *output, size_t size)
{
  const double end = dls_clock() + seconds;
  int ends[2] = {-1, -1};
  if (output && pipe2(ends, O_CLOEXEC) != 0) return false;
  pid_t process;
  const bool started = start(argv, ends[1], &process);
  if (ends[1] >= 0) close(ends[1]);
  if (started && output) listen(ends[0], end, output, size);
  if (ends[0] >= 0) close(ends[0]);
  return started && finish(process, end);
}
