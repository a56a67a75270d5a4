// Preloaded into user-mode-linux: Linux 6.1's writes the processor's extended state in the size that it was built with, and
// the host's kernel refuses any size but its own, which is larger on processors with AMX. Fills in the rest.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <elf.h>
#include <stdarg.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/types.h>
#include <sys/uio.h>

long ptrace(enum __ptrace_request request, ...) {
  static long (*next)(enum __ptrace_request, ...);
  static char whole[65536] __attribute__((aligned(64)));
  if (!next) next = dlsym(RTLD_NEXT, "ptrace");
  va_list rest;
  va_start(rest, request);
  pid_t pid = va_arg(rest, pid_t);
  void *type = va_arg(rest, void *);
  struct iovec *part = va_arg(rest, void *);
  va_end(rest);
  if (request == PTRACE_SETREGSET && (long)type == NT_X86_XSTATE) {
    struct iovec area = {whole, sizeof whole};
    if (next(PTRACE_GETREGSET, pid, type, &area) == 0 && area.iov_len > part->iov_len) {
      memcpy(whole, part->iov_base, part->iov_len);
      return next(request, pid, type, &area);
    }
  }
  return next(request, pid, type, part);
}
