/** Decides which parts of the gateways a process takes and gives away, so that all are heard and each process has its share. */

/** In how many parts gateways are shared out. It never changes. */
export const PARTS = 64;

export interface Lease {
  part: number;
  /** The name of a process. */
  owner: string;
}

export interface LeaseFacts {
  /** The name of the process that decides. */
  me: string;
  /** The processes that live and can hear gateways. */
  hearing: readonly string[];
  leases: readonly Lease[];
}

export interface LeaseDecision {
  acquire: number[];
  give: number[];
}

/** A process that cannot hear gives away what it has; one that has more than its share gives the rest away; free parts are acquired. */
export function decideLeases({ me, hearing, leases }: LeaseFacts): LeaseDecision {
  const mine = leases.filter(({ owner }) => owner === me).map(({ part }) => part);
  // Who has it is better than nobody.
  if (hearing.length === 0) return { acquire: [], give: [] };
  const fairCount = hearing.includes(me) ? Math.ceil(PARTS / hearing.length) : 0;
  const held = new Set(leases.filter(({ owner }) => hearing.includes(owner)).map(({ part }) => part));
  const free = Array.from({ length: PARTS }, (_, part) => part).filter((part) => !held.has(part));
  const own = new Set(mine);
  const missing = Math.max(0, fairCount - mine.length);
  return { acquire: free.filter((part) => !own.has(part)).slice(0, missing), give: mine.slice(fairCount) };
}
