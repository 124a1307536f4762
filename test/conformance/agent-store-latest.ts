/** Every implementation of the agent's store gives back what it recorded of vehicles, so that a restart forgets no let-in. */
import { expect, it } from 'vitest';
import {
  imageEntry,
  letInCommit,
  placeCommit,
  readCommit,
  sessionChange,
  sightingEntry,
} from '../world/agent-records.js';
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

  it(`agent store: ${name} knows after a restart which vehicles were being let through, and whose stays that ended`, async () => {
    const harness = await createHarness();
    let store = await harness.open();
    const [done, broken] = [readCommit(), readCommit()];
    for (const read of [done, broken]) {
      await store.recordRead(read);
      await store.keepIntent({ reading_uid: read.uid, event_id: '0000000a' as never, product_id: 7 });
    }
    // The second try of a person is the one that counts.
    const again = { reading_uid: broken.uid, event_id: '0000000b' as never, product_id: 7 };
    await store.keepIntent(again);
    const session = sessionChange('ZG1234AB', { ended_ms: 5 });
    const letIn = letInCommit(done.uid, [session]);
    expect(await store.recordLetIn(letIn)).toBe(3);
    await store.close();
    store = await harness.open();
    expect(store.boot.intents).toEqual([again]);
    expect(store.boot.sessions).toEqual([{ ...session, seq: 3 }]);
    expect(store.boot.latest.at(-1)).toMatchObject({ uid: letIn.uid, payload: letIn.record });
    await store.close();
    await harness.remove();
  });
}
