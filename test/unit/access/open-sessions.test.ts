import { describe, expect, it } from 'vitest';
import { createOpenSessions, type OwnChange } from '../../../agent/access/open-sessions.js';
import type { SessionItem } from '../../../shared/gateway-config.js';
import type { OutboxEpoch } from '../../../shared/uplink.js';
import { EPOCH, uidOf } from '../lpr/plate-world.js';
import { HOUR_MS } from '../../../shared/durations.js';

const NEXT_EPOCH = '1'.repeat(32) as OutboxEpoch;
const BEGAN = Date.UTC(2026, 0, 15, 8);

function item(number: number, change: Partial<SessionItem> = {}): SessionItem {
  return { uid: uidOf(number), plate: `ZG${number}`, zone_id: 5, began_ms: BEGAN, ended_ms: null, ...change };
}

function own(number: number, change: Partial<OwnChange> = {}): OwnChange {
  return { ...item(number), ended_by_look_alike: false, ...change };
}

function sessionsOf(...items: SessionItem[]) {
  const sessions = createOpenSessions();
  sessions.setOutboxEpoch(EPOCH, 0);
  sessions.update({ snapshot: true, upsert: items, remove: [], applied: null });
  return sessions;
}

describe('open sessions', () => {
  it('are those of the section, by plate and by zone', () => {
    const sessions = sessionsOf(item(1), item(2, { zone_id: 6 }), item(3, { began_ms: BEGAN - HOUR_MS }));
    expect(sessions.size).toBe(3);
    expect(sessions.own('ZG1')?.uid).toBe(uidOf(1));
    expect(sessions.own('ZG9')).toBeNull();
    expect(sessions.occupied(5, 0)).toBe(2);
    expect(sessions.occupied(5, BEGAN - 1)).toBe(1);
    expect(sessions.occupied(7, 0)).toBe(0);
  });

  it('change with deltas and are replaced by snapshots', () => {
    const sessions = sessionsOf(item(1), item(2));
    sessions.update({
      snapshot: false,
      upsert: [item(3), item(2, { plate: 'OTHER' })],
      remove: [uidOf(1)],
      applied: null,
    });
    expect([sessions.own('ZG1'), sessions.own('ZG2')]).toEqual([null, null]);
    expect([sessions.own('ZG3')?.uid, sessions.own('OTHER')?.uid]).toEqual([uidOf(3), uidOf(2)]);
    sessions.update({ snapshot: true, upsert: [item(4)], remove: [], applied: null });
    expect(sessions.size).toBe(1);
    expect(sessions.occupied(5, 0)).toBe(1);
  });

  it('are found by the only look-alike', () => {
    const sessions = sessionsOf(item(1, { plate: 'ZG100AB' }), item(2, { plate: 'ST1' }));
    expect(sessions.lookAlike('ZGI00AB')?.uid).toBe(uidOf(1));
    expect(sessions.lookAlike('ZG100AB')).toBeNull();
    sessions.change(own(3, { plate: 'ZG100AX' }));
    expect(sessions.lookAlike('ZGI00AB')?.uid).toBe(uidOf(1));
    expect(sessions.lookAlike('ZG100A')).toBeNull();
  });

  it('stand by the own decision until the cloud has applied its record', () => {
    const sessions = sessionsOf(item(1));
    const ended = own(1, { ended_ms: BEGAN + 1 });
    const begun = own(2);
    sessions.change(ended);
    sessions.change(begun);
    expect([sessions.own('ZG1'), sessions.own('ZG2')?.uid]).toEqual([null, uidOf(2)]);
    sessions.committed([ended], 7);
    sessions.committed([begun], 8);
    // An older state of the section changes nothing.
    sessions.update({ snapshot: true, upsert: [item(1)], remove: [], applied: { epoch: EPOCH, seq: 6 } });
    expect([sessions.own('ZG1'), sessions.own('ZG2')?.uid]).toEqual([null, uidOf(2)]);
    // Nor does one of another outbox epoch.
    sessions.update({ snapshot: true, upsert: [item(1)], remove: [], applied: { epoch: NEXT_EPOCH, seq: 99 } });
    expect(sessions.own('ZG2')?.uid).toBe(uidOf(2));
    // What is applied is in the section: someone else ended the second session meanwhile, the first was begun anew.
    sessions.update({ snapshot: true, upsert: [item(1)], remove: [], applied: { epoch: EPOCH, seq: 8 } });
    expect([sessions.own('ZG1')?.uid, sessions.own('ZG2')]).toEqual([uidOf(1), null]);
  });

  it('wait for their own record when they changed again', () => {
    const sessions = sessionsOf();
    const begun = own(1);
    sessions.change(begun);
    sessions.change(own(1, { ended_ms: BEGAN + 1 }));
    sessions.committed([begun], 1);
    sessions.update({ snapshot: true, upsert: [item(1)], remove: [], applied: { epoch: EPOCH, seq: 1 } });
    expect(sessions.own('ZG1')).toBeNull();
  });

  it('outlive a restart', () => {
    const sessions = sessionsOf(item(1));
    sessions.load([
      { ...item(1), ended_ms: BEGAN + 1, seq: 3 },
      { ...item(2), seq: 4 },
    ]);
    expect([sessions.own('ZG1'), sessions.own('ZG2')?.uid]).toEqual([null, uidOf(2)]);
    // Who ended it is not kept: its plate is let out again rather than kept inside.
    expect(sessions.endedByLookAlike('ZG1', BEGAN + 2)).toBe(true);
    sessions.update({ snapshot: true, upsert: [item(2)], remove: [], applied: { epoch: EPOCH, seq: 4 } });
    expect([sessions.own('ZG1'), sessions.own('ZG2')?.uid]).toEqual([null, uidOf(2)]);
  });

  it('are numbered anew with a new outbox epoch', () => {
    const sessions = sessionsOf();
    const [acknowledged, waiting] = [own(1), own(2)];
    sessions.change(acknowledged);
    sessions.change(waiting);
    sessions.committed([acknowledged], 10);
    sessions.committed([waiting], 12);
    sessions.setOutboxEpoch(NEXT_EPOCH, 10);
    sessions.update({ snapshot: true, upsert: [], remove: [], applied: { epoch: NEXT_EPOCH, seq: 1 } });
    expect([sessions.own('ZG1'), sessions.own('ZG2')?.uid]).toEqual([null, uidOf(2)]);
    sessions.update({ snapshot: true, upsert: [], remove: [], applied: { epoch: NEXT_EPOCH, seq: 2 } });
    expect(sessions.size).toBe(0);
  });

  it('remember for 24 h whom a look-alike ended, by the section and by the own decision', () => {
    const sessions = sessionsOf(item(1, { ended_ms: BEGAN }));
    sessions.change(own(2, { ended_ms: BEGAN, ended_by_look_alike: true }));
    sessions.change(own(3, { ended_ms: BEGAN }));
    const remembered = (nowMs: number) => ['ZG1', 'ZG2', 'ZG3'].map((plate) => sessions.endedByLookAlike(plate, nowMs));
    expect(remembered(BEGAN + 24 * HOUR_MS)).toEqual([true, true, false]);
    expect(remembered(BEGAN + 24 * HOUR_MS + 1)).toEqual([false, false, false]);
    expect(sessions.size).toBe(0);
  });

  it('count by the newest when one plate has several', () => {
    const sessions = sessionsOf(item(1, { plate: 'ZG1' }), item(2, { plate: 'ZG1', began_ms: BEGAN + 1 }));
    expect(sessions.own('ZG1')?.uid).toBe(uidOf(2));
  });
});
