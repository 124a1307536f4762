/*
 * A disk for tests that fails on command and traces the calls it gets: preloaded into a program, it looks at calls on files
 * below SHIM_DIR only.
 *
 * SHIM_CONTROL names a file with lines "sync_errno 5", "write_errno 28", "sync_hold 1"; it is read at each call. A sync that
 * finds "sync_hold 1" waits until the line is gone.
 * SHIM_TRACE names a file that gets one entry per call: four 64-bit words (kind, offset, path bytes, data bytes), the path,
 * the data. Kinds: 1 write, 2 sync, 3 truncate (offset is the new length), 4 rename (data is the new path), 5 unlink, 6 a sync
 * that begins to wait.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int trace_fd = -2;

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

static int is_watched(const char *path) {
  const char *dir = getenv("SHIM_DIR");
  return dir != NULL && path != NULL && strncmp(path, dir, strlen(dir)) == 0;
}

/* The path of a descriptor, or NULL when it is not watched. */
static const char *path_of(int fd, char *path) {
  char link[64];
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  ssize_t length = readlink(link, path, PATH_MAX - 1);
  if (length <= 0) return NULL;
  path[length] = 0;
  return is_watched(path) ? path : NULL;
}

static long control(const char *key) {
  const char *file = getenv("SHIM_CONTROL");
  char text[512];
  if (file == NULL) return 0;
  int fd = open(file, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return 0;
  ssize_t length = read(fd, text, sizeof text - 1);
  close(fd);
  if (length <= 0) return 0;
  text[length] = 0;
  const char *at = strstr(text, key);
  return at == NULL ? 0 : strtol(at + strlen(key), NULL, 10);
}

static void trace(int64_t kind, int64_t offset, const char *path, const void *data, int64_t bytes) {
  const char *file = getenv("SHIM_TRACE");
  if (file == NULL) return;
  int64_t head[4] = {kind, offset, (int64_t)strlen(path), bytes};
  pthread_mutex_lock(&lock);
  if (trace_fd == -2) trace_fd = open(file, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  if (REAL(write)(trace_fd, head, sizeof head) < 0 || REAL(write)(trace_fd, path, head[2]) < 0) abort();
  if (bytes > 0 && REAL(write)(trace_fd, data, bytes) < 0) abort();
  pthread_mutex_unlock(&lock);
}

static int fails(const char *key) {
  long error = control(key);
  if (error == 0) return 0;
  errno = (int)error;
  return 1;
}

ssize_t pwrite(int fd, const void *data, size_t bytes, off_t offset) {
  char buffer[PATH_MAX];
  const char *path = path_of(fd, buffer);
  if (path != NULL && fails("write_errno ")) return -1;
  ssize_t written = REAL(pwrite)(fd, data, bytes, offset);
  if (path != NULL && written > 0) trace(1, offset, path, data, written);
  return written;
}

ssize_t pwrite64(int fd, const void *data, size_t bytes, off64_t offset) {
  return pwrite(fd, data, bytes, offset);
}

ssize_t write(int fd, const void *data, size_t bytes) {
  char buffer[PATH_MAX];
  const char *path = path_of(fd, buffer);
  if (path == NULL) return REAL(write)(fd, data, bytes);
  off_t offset = lseek(fd, 0, SEEK_CUR);
  if (fails("write_errno ")) return -1;
  ssize_t written = REAL(write)(fd, data, bytes);
  if (written > 0) trace(1, offset, path, data, written);
  return written;
}

static int sync_with(int fd, int (*real)(int)) {
  char buffer[PATH_MAX];
  const char *path = path_of(fd, buffer);
  if (path == NULL) return real(fd);
  if (control("sync_hold ") != 0) {
    trace(6, 0, path, NULL, 0);
    struct timespec between_looks = {0, 5000000};
    while (control("sync_hold ") != 0) nanosleep(&between_looks, NULL);
  }
  if (fails("sync_errno ")) return -1;
  int result = real(fd);
  if (result == 0) trace(2, 0, path, NULL, 0);
  return result;
}

int fsync(int fd) { return sync_with(fd, REAL(fsync)); }
int fdatasync(int fd) { return sync_with(fd, REAL(fdatasync)); }

int ftruncate(int fd, off_t length) {
  char buffer[PATH_MAX];
  const char *path = path_of(fd, buffer);
  int result = REAL(ftruncate)(fd, length);
  if (path != NULL && result == 0) trace(3, length, path, NULL, 0);
  return result;
}

int ftruncate64(int fd, off64_t length) { return ftruncate(fd, length); }

int rename(const char *from, const char *to) {
  int result = REAL(rename)(from, to);
  if (result == 0 && is_watched(from)) trace(4, 0, from, to, (int64_t)strlen(to));
  return result;
}

int unlink(const char *path) {
  int result = REAL(unlink)(path);
  if (result == 0 && is_watched(path)) trace(5, 0, path, NULL, 0);
  return result;
}
