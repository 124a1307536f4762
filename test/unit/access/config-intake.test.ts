import { describe, expect, it } from 'vitest';
import { createAccessRules } from '../../../agent/access/access-rules.js';
import { createConfigIntake } from '../../../agent/access/config-intake.js';
import { createOpenSessions } from '../../../agent/access/open-sessions.js';
import { StoreError } from '../../../agent/store/agent-store.js';
import { revisionOf } from '../../../shared/config-revision.js';
import type { ConfigMessage } from '../../../shared/gateway-config.js';
import { silentLogger } from '../../../shared/logger.js';
import { openMemoryAgentStore } from '../../../scripts/fleet/memory-agent-store.js';
import { createMemoryDisk } from '../../../scripts/fleet/memory-disk.js';

const ITEM = { zone_ids: [5], product_ids: [] };
const ALL = { ZG1: ITEM, ZG2: ITEM, ZG3: ITEM };

/** Plates from nothing, or one more on those before it. */
function plates(count: 1 | 2 | 3, how: 'snapshot' | 'delta'): ConfigMessage {
  const entries = Object.entries(ALL).slice(0, count);
  const base = how === 'snapshot' ? null : revisionOf(entries.slice(0, -1));
  const upsert = Object.fromEntries(how === 'snapshot' ? entries : entries.slice(-1));
  return { section: 'plates', base, revision: revisionOf(entries), upsert, remove: [], applied: null };
}

async function createIntake() {
  const disk = createMemoryDisk();
  const store = await openMemoryAgentStore({ disk });
  const rules = createAccessRules({ boot: store.boot, sessions: createOpenSessions(), logger: silentLogger });
  const intake = createConfigIntake({ rules, store, logger: silentLogger, onChange() {} });
  return {
    disk,
    rules,
    apply: async (message: ConfigMessage) => {
      const accepted = intake.apply(message);
      // Calls of the store are done in their order.
      await store.outboxState().catch(() => undefined);
      return accepted;
    },
    revisions: intake.revisions,
    kept: async () => (await openMemoryAgentStore({ disk })).boot.config,
  };
}

describe('configuration', () => {
  it('is taken over in memory and on disk', async () => {
    const { rules, apply, revisions, kept } = await createIntake();
    expect([await apply(plates(1, 'snapshot')), await apply(plates(2, 'delta'))]).toEqual(['applied', 'applied']);
    expect(rules.isWhitelisted('ZG2', { zone_id: 5, product_id: null, event_ms: 0 })).toBe(true);
    expect(revisions()).toEqual({ plates: plates(2, 'delta').revision });
    expect(await kept()).toEqual([
      { section: 'plates', revision: plates(2, 'delta').revision, items: { ZG1: ITEM, ZG2: ITEM } },
    ]);
  });

  it('changes nothing when it does not fit', async () => {
    const { apply, revisions, kept } = await createIntake();
    expect(await apply(plates(2, 'delta'))).toBe('mismatch');
    expect(await apply({ ...plates(1, 'snapshot'), revision: plates(2, 'snapshot').revision })).toBe('mismatch');
    expect([revisions(), await kept()]).toEqual([{}, []]);
  });

  it('is never taken for kept when the disk could not keep it, and comes whole again', async () => {
    const { disk, rules, apply, revisions, kept } = await createIntake();
    await apply(plates(1, 'snapshot'));
    disk.refuseWith = new StoreError('full', 'the disk is full');
    await apply(plates(2, 'delta'));
    disk.refuseWith = null;
    await apply(plates(3, 'delta'));
    expect(
      Object.keys(ALL).map((plate) => rules.isWhitelisted(plate, { zone_id: 5, product_id: null, event_ms: 0 })),
    ).toEqual([true, true, true]);
    expect(await kept()).toEqual([
      { section: 'plates', revision: plates(1, 'snapshot').revision, items: { ZG1: ITEM } },
    ]);
    expect(revisions()).toEqual({});

    await apply(plates(3, 'snapshot'));
    expect(revisions()).toEqual({ plates: plates(3, 'snapshot').revision });
    expect((await kept())[0]?.items).toEqual(ALL);
  });
});
