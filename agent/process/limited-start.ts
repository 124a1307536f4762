/**
 * Keeps the gateway's memory small, in whatever way the program was started. Import it before everything else. The heap limits of
 * node and the variables of the C library take effect only when a process starts, so the process replaces itself with the limits set.
 * A supervisor notices nothing: process id, parent, standard streams and exit code remain.
 */
import { GATEWAY_LIMITS, LATE_HEAP_OPTIONS } from './memory-limits.js';

/** Why not all limits are in force; null when they are, or when the subcommand needs none. */
export const limitsFailure: unknown = process.argv.includes('run') ? await startLimited() : null;

async function startLimited(): Promise<unknown> {
  const { nodeOptions, environment } = GATEWAY_LIMITS;
  if (nodeOptions.every((option) => process.execArgv.includes(option))) return null;
  try {
    // The new program would not know of the channel.
    if (process.channel !== undefined) throw new Error('the program was started with a channel to its parent');
    const { replaceProcess } = await import('./koffi-replace-process.cjs');
    return replaceProcess({
      file: process.execPath,
      // Options from the command line come last and so override our limits.
      args: [...nodeOptions, ...process.execArgv, ...process.argv.slice(1)],
      environment,
    });
  } catch (error) {
    const { setFlagsFromString } = await import('node:v8');
    for (const option of LATE_HEAP_OPTIONS) setFlagsFromString(option);
    return error;
  }
}
