/** What processes have taken of the processor. */
import { readdirSync, readFileSync } from 'node:fs';

/** Linux counts in hundredths of a second. */
const MS_PER_TICK = 10;

/** The fields of /proc/PID/stat behind the name, which may hold anything; null: the process is gone. */
function statOf(pid: number | string): string[] | null {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return text.slice(text.lastIndexOf(')') + 2).split(' ');
  } catch {
    return null;
  }
}

/** Processor time of a process with all its threads, in milliseconds; 0 when it is gone. */
export function processorMs(pid: number): number {
  const fields = statOf(pid);
  return (Number(fields?.[11] ?? 0) + Number(fields?.[12] ?? 0)) * MS_PER_TICK;
}

/** The processes that a process started and that still run. */
export function childrenOf(pid: number): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && statOf(name)?.[1] === String(pid))
    .map(Number);
}
