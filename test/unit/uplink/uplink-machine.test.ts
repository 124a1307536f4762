import { describe, expect, it } from 'vitest';
import {
  INITIAL_UPLINK_STATE,
  nextUplink,
  type OutboxLanes,
  type UplinkEffect,
  type UplinkInput,
  type UplinkState,
} from '../../../agent/uplink/uplink-machine.js';
import type { LinkEnd } from '../../../shared/reconnect-ladder.js';
import type { Ack, Lane, OutboxEpoch } from '../../../shared/uplink.js';

const EPOCH = 'a'.repeat(32) as OutboxEpoch;
const OTHER_EPOCH = 'b'.repeat(32) as OutboxEpoch;

/** Drives the machine by hand. */
function createMachine() {
  let state: UplinkState = INITIAL_UPLINK_STATE;
  const machine = {
    now_ms: 0,
    get kind() {
      return state.kind;
    },
    feed(input: UplinkInput): UplinkEffect[] {
      const step = nextUplink(state, input, machine.now_ms);
      state = step.state;
      return step.effects;
    },
    tickAfter(ms: number): UplinkEffect[] {
      machine.now_ms += ms;
      return machine.feed({ type: 'tick' });
    },
    /** Up to the hello. */
    greet(outbox = outboxOf({})): UplinkEffect[] {
      machine.feed({ type: 'connect' });
      machine.feed({ type: 'opened' });
      return machine.feed({ type: 'outbox', outbox });
    },
    welcome(cursors: Partial<Record<Lane, number>> = {}, epoch = EPOCH): UplinkEffect[] {
      const notified = Object.entries(cursors).map(([lane, seq]) => ({ lane: Number(lane) as Lane, seq }));
      return machine.feed({ type: 'welcome', welcome: { epoch, cursors: notified, cloud_ms: 0 } });
    },
    batch(first_seq: number, last_seq: number, how: { bytes?: number; epoch?: OutboxEpoch } = {}): UplinkEffect[] {
      const { bytes = 1_000, epoch = EPOCH } = how;
      return machine.feed({ type: 'batch', batch: { epoch, first_seq, last_seq, bytes } });
    },
    nothing: () => machine.feed({ type: 'batch', batch: null }),
    ack: (ack: Partial<Ack>) =>
      machine.feed({ type: 'ack', ack: { epoch: EPOCH, lane: 0, seq: 0, gap: false, diverged: false, ...ack } }),
  };
  return machine;
}

/** first_seq and last_seq per lane. */
function outboxOf(lanes: Partial<Record<Lane, [number, number]>>, epoch = EPOCH): OutboxLanes {
  return {
    epoch,
    lanes: ([0, 1, 2] as const).map((lane) => {
      const [first_seq, last_seq] = lanes[lane] ?? [1, 0];
      return { lane, first_seq, last_seq };
    }),
  };
}

/** A machine whose lane 0 holds rows 1 to 10,000 and is being read. */
function draining() {
  const machine = createMachine();
  machine.greet(outboxOf({ 0: [1, 10_000] }));
  expect(machine.welcome()).toEqual([read(0, 0)]);
  return machine;
}

const read = (lane: Lane, after_seq: number): UplinkEffect => ({ type: 'read', lane, after_seq });
const publish: UplinkEffect = { type: 'publish' };
const acknowledge = (lane: Lane, seq: number): UplinkEffect => ({ type: 'acknowledge', epoch: EPOCH, lane, seq });
const wait = (after: LinkEnd | 'return'): UplinkEffect => ({ type: 'wait', after });

describe('connecting', () => {
  it('announces the gateway, asks what waits, and says hello with it', () => {
    const machine = createMachine();
    expect(machine.feed({ type: 'connect' })).toEqual([{ type: 'connect' }]);
    expect(machine.feed({ type: 'opened' })).toEqual([{ type: 'announce' }, { type: 'askOutbox' }]);
    const outbox = outboxOf({ 1: [4, 9] });
    expect(machine.feed({ type: 'outbox', outbox })).toEqual([{ type: 'hello', outbox }]);
  });

  it('repeats the hello ever less often while the cloud does not answer', () => {
    const machine = createMachine();
    machine.greet();
    const repeated: number[] = [];
    for (; machine.now_ms < 300_000; ) {
      if (machine.tickAfter(1_000).length > 0) repeated.push(machine.now_ms / 1000);
    }
    expect(repeated).toEqual([5, 15, 35, 75, 135, 195, 255]);
  });

  it.each<LinkEnd>(['absent', 'closed', 'refused', 'broken'])('waits after each end, whenever it comes: %s', (end) => {
    const machine = draining();
    expect(machine.feed({ type: 'ended', end })).toEqual([wait(end)]);
    machine.feed({ type: 'connect' });
    expect(machine.feed({ type: 'ended', end })).toEqual([wait(end)]);
    machine.greet();
    expect(machine.feed({ type: 'ended', end })).toEqual([wait(end)]);
  });

  it('tries anew when the network is back, also in place of a try that may hang, and leaves a link that stands', () => {
    const machine = createMachine();
    expect(machine.feed({ type: 'returned' })).toEqual([wait('return')]);
    machine.feed({ type: 'connect' });
    expect(machine.feed({ type: 'returned' })).toEqual([
      { type: 'disconnect', because: 'network returned' },
      wait('return'),
    ]);
    machine.greet();
    expect(machine.feed({ type: 'returned' })).toEqual([]);
    machine.welcome();
    expect(machine.feed({ type: 'returned' })).toEqual([]);
  });

  it('throws at what only a wrong shell can cause', () => {
    expect(() => createMachine().feed({ type: 'ended', end: 'broken' })).toThrow(/disconnected/);
    expect(() => draining().feed({ type: 'opened' })).toThrow(/"opened" while it is draining/);
    const machine = draining();
    machine.nothing();
    machine.nothing();
    machine.nothing();
    expect(() => machine.nothing()).toThrow(/did not ask/);
  });
});

describe('cursors', () => {
  const renewed: UplinkEffect[] = [{ type: 'startOutboxEpoch', goBackTo: [] }];

  it('sends again what the cloud seems to have, as only the uids tell, and lets go of it when it is acknowledged', () => {
    const machine = createMachine();
    machine.greet(outboxOf({ 0: [5, 9], 1: [3, 3], 2: [7, 6] }));
    expect(machine.welcome({ 0: 7, 1: 2, 2: 6 })).toEqual([read(0, 4)]);
    machine.batch(5, 9);
    expect(machine.ack({ seq: 9 })).toContainEqual(acknowledge(0, 9));
  });

  it('begins a new outbox epoch when the cloud knows the rows under other uids', () => {
    const machine = createMachine();
    machine.greet(outboxOf({ 0: [1, 1] }));
    machine.welcome({ 0: 1 });
    machine.batch(1, 1);
    expect(machine.ack({ seq: 1, diverged: true })).toEqual(renewed);
  });

  it.each<[string, [number, number], number, number[]]>([
    ['the cloud misses rows that it had acknowledged', [5, 9], 3, [0, 3, 0]],
    ['the cloud is ahead of the outbox', [5, 9], 10, []],
    ['the cloud is ahead of an empty outbox', [5, 4], 5, []],
    ['the cloud knows nothing of an outbox epoch that was drained', [5, 4], 0, [0, 0, 0]],
  ])('begins a new outbox epoch when %s, and goes back to what the cloud has', (_name, lane, cursor, seqs) => {
    const machine = createMachine();
    machine.greet(outboxOf({ 1: lane }));
    const goBackTo = seqs.map((seq, at) => ({ lane: at, seq }));
    expect(machine.welcome({ 1: cursor })).toEqual([{ type: 'startOutboxEpoch', goBackTo }]);
    const outbox = outboxOf({ 1: [1, 5] }, OTHER_EPOCH);
    expect(machine.feed({ type: 'outbox', outbox })).toEqual([{ type: 'hello', outbox }]);
    expect(machine.welcome({ 1: cursor }, EPOCH)).toEqual([]);
    expect(machine.welcome({}, OTHER_EPOCH)).toEqual([read(0, 0)]);
  });

  it('leaves a cloud alone for a while that does not take the new outbox epoch either', () => {
    const machine = createMachine();
    machine.greet(outboxOf({ 1: [5, 9] }));
    expect(machine.welcome({ 1: 99 })).toEqual(renewed);
    machine.feed({ type: 'outbox', outbox: outboxOf({ 1: [1, 5] }) });
    expect(machine.welcome({ 1: 99 })).toEqual([{ type: 'disconnect', because: 'epoch refused' }, wait('refused')]);
    expect(machine.kind).toBe('disconnected');
  });

  it('counts acknowledgements that overtake the welcome', () => {
    const machine = createMachine();
    machine.greet(outboxOf({ 0: [5, 20] }));
    expect(machine.ack({ seq: 12 })).toEqual([acknowledge(0, 12)]);
    expect(machine.ack({ seq: 3 })).toEqual([]);
    expect(machine.ack({ seq: 30 })).toEqual([]);
    expect(machine.ack({ epoch: OTHER_EPOCH, seq: 13 })).toEqual([]);
    expect(machine.welcome({ 0: 8 })).toEqual([read(0, 12)]);
  });
});

describe('draining', () => {
  it('reads the critical lane first, and a lower one only while the critical one has nothing', () => {
    const machine = createMachine();
    machine.greet();
    expect(machine.welcome()).toEqual([read(0, 0)]);
    expect(machine.nothing()).toEqual([read(1, 0)]);
    expect(machine.batch(1, 100)).toEqual([publish, read(1, 100)]);
    expect(machine.feed({ type: 'rows', lane: 0 })).toEqual([]);
    expect(machine.batch(101, 200)).toEqual([publish, read(0, 0)]);
    expect(machine.batch(1, 1)).toEqual([publish, read(0, 1)]);
    expect(machine.nothing()).toEqual([read(1, 200)]);
    expect(machine.nothing()).toEqual([read(2, 0)]);
    expect(machine.nothing()).toEqual([]);
    expect(machine.feed({ type: 'rows', lane: 1 })).toEqual([read(1, 200)]);
  });

  it('reads again when rows came while a read found none', () => {
    const machine = createMachine();
    machine.greet();
    machine.welcome();
    machine.feed({ type: 'rows', lane: 0 });
    expect(machine.nothing()).toEqual([read(0, 0)]);
    expect(machine.nothing()).toEqual([read(1, 0)]);
  });

  it('keeps at most 64 batches of a lane in flight, and goes on with each acknowledgement', () => {
    const machine = draining();
    for (let sent = 0; sent < 63; sent++) {
      expect(machine.batch(sent * 100 + 1, sent * 100 + 100)).toEqual([publish, read(0, sent * 100 + 100)]);
    }
    expect(machine.batch(6_301, 6_400)).toEqual([publish, read(1, 0)]);
    expect(machine.nothing()).toEqual([read(2, 0)]);
    expect(machine.nothing()).toEqual([]);
    expect(machine.ack({ seq: 150 })).toEqual([acknowledge(0, 150), read(0, 6_400)]);
    expect(machine.ack({ seq: 150 })).toEqual([]);
  });

  it('sends pictures one by one when they are large', () => {
    const machine = createMachine();
    machine.greet(outboxOf({ 2: [1, 9] }));
    machine.welcome();
    machine.nothing();
    machine.nothing();
    expect(machine.batch(1, 1, { bytes: 400_000 })).toEqual([publish]);
    expect(machine.ack({ lane: 2, seq: 1 })).toEqual([acknowledge(2, 1), read(2, 1)]);
    expect(machine.batch(2, 2, { bytes: 100_000 })).toEqual([publish, read(2, 2)]);
  });

  it('goes back to where a gap answer points, once for all batches that were in flight', () => {
    const machine = draining();
    for (let sent = 0; sent < 4; sent++) machine.batch(sent * 100 + 1, sent * 100 + 100);
    machine.ack({ seq: 100 });
    // Batch 101-200 was lost; 201-300, 301-400 and the one being read find the gap.
    expect(machine.ack({ seq: 100, gap: true })).toEqual([]);
    expect(machine.batch(401, 500)).toEqual([read(0, 100)]);
    expect(machine.batch(101, 200)).toEqual([publish, read(0, 200)]);
    expect(machine.ack({ seq: 100, gap: true })).toEqual([]);
    expect(machine.batch(201, 300)).toEqual([publish, read(0, 300)]);
    expect(machine.ack({ seq: 100, gap: true })).toEqual([]);
    expect(machine.batch(301, 400)).toEqual([read(0, 100)]);
  });

  it('asks the cloud where it stands when nothing is acknowledged for 20 s', () => {
    const machine = draining();
    expect(machine.tickAfter(60_000)).toEqual([]);
    machine.batch(1, 100);
    expect(machine.tickAfter(19_999)).toEqual([]);
    expect(machine.tickAfter(1)).toEqual([{ type: 'askOutbox' }]);
    machine.feed({ type: 'outbox', outbox: outboxOf({ 0: [1, 100] }) });
    expect(machine.welcome({ 0: 40 })).toEqual([read(0, 0)]);
  });

  it('asks the cloud where it stands when its answers contradict what it said before', () => {
    const ahead = draining();
    ahead.batch(1, 100);
    expect(ahead.ack({ seq: 10_001 })).toEqual([{ type: 'askOutbox' }]);
    const behind = draining();
    behind.batch(1, 100);
    behind.ack({ seq: 100 });
    expect(behind.ack({ seq: 50, gap: true })).toEqual([{ type: 'askOutbox' }]);
    expect(draining().ack({ epoch: OTHER_EPOCH, seq: 99_999 })).toEqual([]);
  });

  it('begins a new outbox epoch when the next rows were given up, and says hello when the store began one itself', () => {
    expect(draining().batch(51, 60)).toEqual([{ type: 'startOutboxEpoch', goBackTo: [] }]);
    expect(draining().batch(1, 60, { epoch: OTHER_EPOCH })).toEqual([{ type: 'askOutbox' }]);
  });

  it('says hello again on doubt', () => {
    expect(draining().feed({ type: 'doubt' })).toEqual([{ type: 'askOutbox' }]);
  });
});
