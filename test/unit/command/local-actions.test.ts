import { beforeEach, describe, expect, it } from 'vitest';
import { createLocalActions, type LocalActions } from '../../../agent/command/local-actions.js';
import type { OutboxEntry } from '../../../agent/store/agent-store.js';
import { silentLogger } from '../../../shared/logger.js';
import { recordPayloadSchema } from '../../../shared/uplink.js';
import { FakeClock, settle } from '../../world/fake-clock.js';
import { uidOf } from '../lpr/plate-world.js';

const MINUTE_MS = 60_000;

let clock: FakeClock;
let kept: OutboxEntry[];
let committed: number[];
let stored: unknown[];
let isBroken: boolean;
let isConnected: boolean;

beforeEach(() => {
  clock = new FakeClock();
  kept = [];
  committed = [];
  stored = [];
  isBroken = false;
  isConnected = true;
});

function actionsOf(isClaimed = true): LocalActions {
  return createLocalActions({
    store: {
      async append(entry) {
        if (isBroken) throw new Error('the disk is full');
        return kept.push(entry);
      },
      async recordLetIn({ record, ...entry }) {
        return kept.push({ ...entry, lane: 0, payload: record });
      },
    },
    sessions: { committed: (changes, seq) => void stored.push([changes, seq]) },
    stamp: () => ({ uid: uidOf(kept.length + 1), mono_ms: 1, wall_ms: clock.now(), clock_ok: true }),
    isClaimed,
    isConnected: () => isConnected,
    onCommitted: (lane) => void committed.push(lane),
    clock,
    logger: silentLogger,
  });
}

const ASKING = { by: 'console', address: '192.168.1.20' } as const;
const payloads = () => kept.map(({ payload }) => recordPayloadSchema.parse(payload));

describe('what people do at the gateway', () => {
  it('is kept in lane 0 for the cloud, in a form that it reads', async () => {
    actionsOf().note('sign_in', ASKING);
    await settle();
    expect(payloads()).toEqual([
      {
        kind: 'local_action',
        action: 'sign_in',
        ...ASKING,
        at_ms: clock.now(),
        plate: null,
        product_id: null,
        operation: null,
        event_id: null,
        sighting_uid: null,
        reading_uid: null,
        outcome: null,
        gateway_error_type: null,
        was_cut_off: false,
        count: 1,
      },
    ]);
    expect([kept[0]?.lane, committed]).toEqual([0, [0]]);
  });

  it('is told together where a stranger guesses: the first at once, a thousand in two more records', async () => {
    const actions = actionsOf();
    for (let guess = 0; guess < 1_000; guess++) {
      actions.noteRefusedSignIn({ by: 'console', address: `10.0.0.${guess % 250}` });
      await clock.advance(MINUTE_MS / 60);
    }
    await clock.advance(10 * MINUTE_MS);
    const counts = payloads().map((payload) => payload.kind === 'local_action' && payload.count);
    expect(counts).toEqual([1, 599, 400]);
    await clock.advance(10 * MINUTE_MS);
    expect(clock.pending).toBe(0);
    actions.noteRefusedSignIn(ASKING);
    await settle();
    expect(kept).toHaveLength(4);
  });

  it('is told before the gateway stops', async () => {
    const actions = actionsOf();
    actions.noteRefusedSignIn(ASKING);
    actions.noteRefusedSignIn(ASKING);
    await actions.close();
    expect(kept).toHaveLength(2);
    expect(clock.pending).toBe(0);
  });

  it('is told to nobody before the gateway belongs to a cloud: the next one is not concerned', async () => {
    const actions = actionsOf(false);
    actions.note('release', ASKING);
    actions.noteRefusedSignIn(ASKING);
    await actions.close();
    expect(kept).toEqual([]);
  });

  it('goes on where the disk does not keep it', async () => {
    isBroken = true;
    const actions = actionsOf();
    actions.note('release', ASKING);
    await actions.close();
    expect(committed).toEqual([]);
  });
});
