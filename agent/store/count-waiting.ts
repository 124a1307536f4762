/** Counts what waits for the cloud. */
import type { AgentStore, OutboxState } from './agent-store.js';

/** Counts the records that wait for the cloud. */
export const recordsIn = ({ lanes }: Pick<OutboxState, 'lanes'>): number =>
  lanes.reduce((sum, { rows }) => sum + rows, 0);

/** Counts the records that wait for the cloud. 0 when the store cannot say: that may be why somebody asks. */
export async function countWaiting(store: Pick<AgentStore, 'outboxState'>): Promise<number> {
  const state = await store.outboxState().catch(() => null);
  return state === null ? 0 : recordsIn(state);
}
