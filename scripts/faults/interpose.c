/* Fails or kills the process at the N-th call that changes a folder.

   Preloaded before the C library; `faults_arm` begins to count. Calls outside the folder pass. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum fault { NONE, FULL, BROKEN, KILLED };

static char root[PATH_MAX];
static size_t root_length;
static int fault, fail_at, n_calls, log_handle = -1;

int faults_arm(const char *folder, int how, int at, const char *log) {
    root_length = (size_t)snprintf(root, sizeof root, "%s", folder);
    fault = how, fail_at = at, n_calls = 0;
    int (*really_open)(const char *, int, ...) = dlsym(RTLD_NEXT, "open");
    log_handle = really_open(log, O_WRONLY | O_CREAT | O_APPEND, 0666);
    return log_handle < 0 ? -1 : 0;
}

static int is_inside(const char *path) {
    return root_length && !strncmp(path, root, root_length)
        && (path[root_length] == '/' || !path[root_length]);
}

static const char *path_of(int handle, char *buffer) {
    char link[64];
    snprintf(link, sizeof link, "/proc/self/fd/%d", handle);
    ssize_t size = readlink(link, buffer, PATH_MAX - 1);
    buffer[size < 0 ? 0 : size] = 0;
    return buffer;
}

/* A path beside the folder that a handle stands for, as `shutil.rmtree` names its files. */
static const char *path_at(int folder, const char *path, char *buffer) {
    if (*path == '/' || folder == AT_FDCWD)
        return path;
    path_of(folder, buffer);
    size_t length = strlen(buffer);
    snprintf(buffer + length, PATH_MAX - length, "/%s", path);
    return buffer;
}

/* Count a call; nonzero if it must fail, with `errno` set. A killed process does not return,
   but for the first half of a write. */
static int must_fail(const char *call, const char *path, int takes_space) {
    if (!is_inside(path))
        return 0;
    n_calls++;
    dprintf(log_handle, "%s %s\n", call, path);
    if (fault == FULL && n_calls >= fail_at && takes_space) { /* a full disk stays full */
        errno = ENOSPC;
        return 1;
    }
    if (n_calls != fail_at)
        return 0;
    if (fault == BROKEN) {
        errno = EIO;
        return 1;
    }
    if (fault == KILLED && strcmp(call, "write"))
        kill(getpid(), SIGKILL);
    return fault == KILLED;
}

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

ssize_t write(int handle, const void *content, size_t size) {
    char buffer[PATH_MAX];
    if (root_length && must_fail("write", path_of(handle, buffer), 1)) {
        if (n_calls == fail_at && fault != BROKEN && size > 1) { /* only half fits */
            ssize_t written = REAL(write)(handle, content, size / 2);
            if (fault == KILLED)
                kill(getpid(), SIGKILL);
            return written;
        }
        if (fault == KILLED)
            kill(getpid(), SIGKILL);
        return -1;
    }
    return REAL(write)(handle, content, size);
}

#define BY_HANDLE(name, takes_space, parameters, ...)                                  \
    int name parameters {                                                             \
        char buffer[PATH_MAX];                                                        \
        if (root_length && must_fail(#name, path_of(handle, buffer), takes_space))    \
            return -1;                                                                \
        return REAL(name)(__VA_ARGS__);                                               \
    }
#define BY_PATH(name, takes_space, parameters, ...)                                    \
    int name parameters { return must_fail(#name, path, takes_space) ? -1 : REAL(name)(__VA_ARGS__); }

BY_HANDLE(fsync, 1, (int handle), handle)
BY_HANDLE(fdatasync, 1, (int handle), handle)
BY_HANDLE(ftruncate64, 0, (int handle, off64_t size), handle, size)
BY_PATH(rename, 1, (const char *path, const char *target), path, target)
BY_PATH(mkdir, 1, (const char *path, mode_t mode), path, mode)
BY_PATH(rmdir, 0, (const char *path), path)
BY_PATH(unlink, 0, (const char *path), path)
BY_PATH(chmod, 0, (const char *path, mode_t mode), path, mode)

int unlinkat(int folder, const char *name, int flags) {
    char buffer[PATH_MAX];
    if (root_length && must_fail("unlinkat", path_at(folder, name, buffer), 0))
        return -1;
    return REAL(unlinkat)(folder, name, flags);
}

int open64(const char *path, int flags, ...) {
    mode_t mode = 0;
    if (flags & O_CREAT) {
        va_list more;
        va_start(more, flags);
        mode = va_arg(more, mode_t);
        va_end(more);
        if (must_fail("create", path, 1))
            return -1;
    }
    return REAL(open64)(path, flags, mode);
}
