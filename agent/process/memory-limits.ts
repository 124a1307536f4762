/** All limits on the memory of the gateway's processes and threads, sized for a Raspberry Pi. */

export interface MemoryLimits {
  /** Options of Node.js; they take effect when a process starts. */
  readonly nodeOptions: readonly string[];
  /** Variables of the C library; it reads them when a process starts. */
  readonly environment: Readonly<Record<string, string>>;
}

/** glibc shall use one arena, and return a big buffer (a picture, a batch) to the system at once. */
const ALLOCATOR = { MALLOC_ARENA_MAX: '1', MALLOC_MMAP_THRESHOLD_: '65536', MALLOC_TRIM_THRESHOLD_: '65536' };

export const GATEWAY_LIMITS: MemoryLimits = {
  nodeOptions: ['--max-semi-space-size=1', '--max-old-space-size=256', '--optimize-for-size'],
  environment: ALLOCATOR,
};

/** The processes of the radio and of the pictures handle little at a time. */
export const CHILD_LIMITS: MemoryLimits = {
  nodeOptions: ['--max-old-space-size=64', '--max-semi-space-size=1'],
  environment: ALLOCATOR,
};

/** The thread that owns the SQLite file. */
export const STORE_THREAD_LIMITS = { maxOldGenerationSizeMb: 128, maxYoungGenerationSizeMb: 4 };

/**
 * Options of V8 that take effect in a process that already runs. The heap is nearly as small as with `GATEWAY_LIMITS`, but it has no
 * upper limit of its own.
 */
export const LATE_HEAP_OPTIONS = ['--semi-space-growth-factor=1', '--optimize-for-size'] as const;
