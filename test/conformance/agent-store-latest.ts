/** Every implementation of the agent's store gives back what it recorded of vehicles, so that a restart forgets no let-in. */
import { expect, it } from 'vitest';
import { imageEntry, placeCommit, readCommit, sightingEntry } from '../world/agent-records.js';
import type { StoreHarness } from './agent-store-conformance.js';

export function latestRecordsConformance(name: string, createHarness: () => Promise<StoreHarness>): void {
  it(`agent store: ${name} begins with the newest records about vehicles, those that the cloud has too`, async () => {
    const harness = await createHarness();
    let store = await harness.open();
    const [read, other, seen] = [readCommit(), readCommit(), sightingEntry()];
    await store.recordRead(read);
    await store.append(seen);
    await store.appendImage(imageEntry(Uint8Array.of(1, 2)));
    await store.recordSensor(placeCommit(1, 'free'));
    const { epoch } = await store.outboxState();
    await store.acknowledge({ epoch, lane: 0, seq: 1 });
    await store.recordRead(other);
    await store.close();
    store = await harness.open();
    const uids = store.boot.latest.map(({ uid }) => uid);
    expect(new Set(uids)).toEqual(new Set([read.uid, seen.uid, other.uid]));
    expect(store.boot.latest.find(({ uid }) => uid === seen.uid)).toMatchObject({ payload: seen.payload });
    await store.close();
    await harness.remove();
  });
}
