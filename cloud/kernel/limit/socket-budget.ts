import { readFileSync } from 'node:fs';

/** The number of connections that each listener may hold at once. */
export interface SocketBudget {
  /** Of the REST listener, before they become realtime connections. */
  http: number;
  realtime: number;
  mqtt: number;
}

const MOST: SocketBudget = { http: 10_000, realtime: 20_000, mqtt: 20_000 };
/** The rest is for the database, pictures, webhooks and whatever else the process opens. */
const SHARE_OF_SOCKETS = 0.9;

/**
 * Divides the files that the process may have open between its listeners: without a bound, idle connections would use up those that the
 * database needs.
 * @param openFilesMax null: there is no limit
 */
export function socketBudget(openFilesMax: number | null): SocketBudget {
  const wanted = MOST.http + MOST.realtime + MOST.mqtt;
  const factor = Math.min(1, ((openFilesMax ?? Number.POSITIVE_INFINITY) * SHARE_OF_SOCKETS) / wanted);
  const part = (most: number) => Math.max(1, Math.floor(most * factor));
  return { http: part(MOST.http), realtime: part(MOST.realtime), mqtt: part(MOST.mqtt) };
}

/** How many files this process may have open; null where the system does not say. */
export function readOpenFilesMax(): number | null {
  try {
    const [, soft] = /^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8')) ?? [];
    return soft === undefined ? null : Number(soft);
  } catch {
    return null;
  }
}
