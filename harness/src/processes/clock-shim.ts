import { execFile } from 'node:child_process';
import { closeSync, openSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';

/**
 * Loaded before libc by LD_PRELOAD. It adds the microseconds in a file to the kernel's clocks: the first eight bytes to
 * every wall clock, the next eight to the monotonic clock.
 */
const SOURCE = `
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static volatile int64_t *offset_us;
static int64_t none[2];

__attribute__((constructor)) static void open_offset(void) {
  const char *path = getenv("HOLDFAST_CLOCK_FILE");
  int file = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
  void *page = file < 0 ? MAP_FAILED : mmap(0, 16, PROT_READ, MAP_SHARED, file, 0);
  offset_us = page == MAP_FAILED ? none : page;
}

static void shifted(clockid_t id, int which, struct timespec *at) {
  syscall(SYS_clock_gettime, id, at);
  if (!offset_us) return;
  int64_t us = offset_us[which];
  int64_t ns = at->tv_nsec + (us % 1000000) * 1000;
  at->tv_sec += us / 1000000;
  if (ns >= 1000000000) { at->tv_sec++; ns -= 1000000000; }
  if (ns < 0) { at->tv_sec--; ns += 1000000000; }
  at->tv_nsec = ns;
}

int clock_gettime(clockid_t id, struct timespec *at) {
  if (id == CLOCK_REALTIME || id == CLOCK_REALTIME_COARSE) shifted(CLOCK_REALTIME, 0, at);
  else if (id == CLOCK_MONOTONIC || id == CLOCK_MONOTONIC_COARSE) shifted(CLOCK_MONOTONIC, 1, at);
  else return syscall(SYS_clock_gettime, id, at);
  return 0;
}

int gettimeofday(struct timeval *restrict at, void *restrict zone) {
  struct timespec now;
  (void)zone;
  shifted(CLOCK_REALTIME, 0, &now);
  at->tv_sec = now.tv_sec;
  at->tv_usec = now.tv_nsec / 1000;
  return 0;
}

time_t time(time_t *at) {
  struct timespec now;
  shifted(CLOCK_REALTIME, 0, &now);
  if (at) *at = now.tv_sec;
  return now.tv_sec;
}
`;

const COMPILERS = ['cc', 'gcc', 'clang'];
const run = promisify(execFile);

/** Compiles a library that shifts the clocks of a process; undefined without a C compiler or LD_PRELOAD. */
export async function compileShim(folder: string): Promise<string | undefined> {
  if (process.platform !== 'linux') return undefined;
  const source = join(folder, 'clock.c');
  const library = join(folder, 'clock.so');
  writeFileSync(source, SOURCE);
  for (const compiler of COMPILERS) {
    try {
      await run(compiler, ['-O2', '-shared', '-fPIC', '-o', library, source]);
      return library;
    } catch {
      // The next compiler may exist.
    }
  }
  return undefined;
}

/** The clocks of one process, as a file that its shim reads. */
export class ShiftedClock {
  /** For `env`, before the command. */
  readonly environment: readonly string[];
  /** The same variables, for `fork`. */
  readonly variables: Readonly<Record<string, string>>;
  readonly #file: string;
  #sleptMs = 0;

  constructor(library: string, folder: string, name: string) {
    this.#file = join(folder, `${name}.clock`);
    writeFileSync(this.#file, Buffer.alloc(16));
    this.variables = { LD_PRELOAD: library, HOLDFAST_CLOCK_FILE: this.#file };
    this.environment = Object.entries(this.variables).map(([key, value]) => `${key}=${value}`);
  }

  /** Sets its wall clock ahead of the host's from now on. */
  set(aheadMs: number): void {
    this.#write(aheadMs, 0);
  }

  /** Sets its monotonic clock back, as if it had stopped while the machine slept. */
  sleep(forMs: number): void {
    this.#sleptMs += forMs;
    this.#write(-this.#sleptMs, 8);
  }

  /** Writes in one call, so that no half of the number is ever read. */
  #write(ms: number, at: number): void {
    const bytes = Buffer.alloc(8);
    bytes.writeBigInt64LE(BigInt(Math.round(ms * 1_000)));
    const file = openSync(this.#file, 'r+');
    writeSync(file, bytes, 0, 8, at);
    closeSync(file);
  }
}
