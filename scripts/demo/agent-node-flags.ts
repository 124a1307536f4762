/** How the gateway's Node.js is run: small, as on a Pi. The unit in `systemd/` has the same; a test compares them. */
export const AGENT_NODE_FLAGS = ['--max-semi-space-size=1', '--max-old-space-size=256', '--optimize-for-size'];

/** Fewer arenas of the C library: native modules' memory is given back. */
export const AGENT_MEMORY_ENVIRONMENT = { MALLOC_ARENA_MAX: '2' };
