/** How the gateway's Node.js is run: small, as on a Pi. The unit in `systemd/` has the same; a test compares them. */
export const AGENT_NODE_FLAGS = ['--max-semi-space-size=1', '--max-old-space-size=256', '--optimize-for-size'];

/** Fewer arenas of the C library, and what was big (a picture, a batch) is given back at once instead of being kept for the next. */
export const AGENT_MEMORY_ENVIRONMENT = {
  MALLOC_ARENA_MAX: '2',
  MALLOC_MMAP_THRESHOLD_: '131072',
  MALLOC_TRIM_THRESHOLD_: '131072',
};
