import { readdirSync, readFileSync } from 'node:fs';

/** Ids of the processes whose parent is `parent`, zombies left out. */
export function childrenOf(parent: number): number[] {
  return readdirSync('/proc')
    .filter((entry) => /^\d+$/.test(entry))
    .map(Number)
    .filter((pid) => {
      const stat = statOf(pid);
      return stat !== undefined && stat.parent === parent && stat.state !== 'Z';
    });
}

export function isAlive(pid: number): boolean {
  const stat = statOf(pid);
  return stat !== undefined && stat.state !== 'Z';
}

function statOf(pid: number): { state: string; parent: number } | undefined {
  try {
    // pid (name) state parent ...; the name may hold anything.
    const [state = '', parent = ''] = readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /s, '')
      .split(' ');
    return { state, parent: Number(parent) };
  } catch {
    return undefined;
  }
}
