import * as fc from '../../property.js';
import { describe, expect, it } from 'vitest';
import {
  decideEnd,
  decideEntry,
  decideExit,
  ownOpenSession,
  type KnownSession,
} from '../../../cloud/traffic/ingest/plan/decide-session.js';

const MINUTE = 60_000;
/** Times in minutes. */
const session = (uid: string, from: number, to: number | null = null): KnownSession => ({
  row: { uid, created_at: from * MINUTE, ended_at: to === null ? null : to * MINUTE },
});
const read = (minute: number, isEstimated = false) => ({ at: minute * MINUTE, isEstimated });
const uids = (sessions: readonly KnownSession[]) => sessions.map(({ row }) => row.uid);

describe('an entry', () => {
  const entry = (minute: number, sessions: KnownSession[], named?: KnownSession) => {
    const decision = decideEntry(read(minute), { sessions, named });
    return 'keeps' in decision ? decision.keeps.row.uid : uids(decision.begins.ended);
  };

  it('begins a session, and ends those whose exits were missed', () => {
    expect(entry(10, [])).toEqual([]);
    expect(entry(10, [session('open', 0)])).toEqual(['open']);
    expect(entry(10, [session('ended', 0, 10)])).toEqual([]);
    expect(entry(10, [session('later', 11)])).toEqual([]);
  });

  it('ends the one that its gateway names too, whatever its plate and its time, unless it has ended', () => {
    expect(entry(10, [], session('named', 9))).toEqual(['named']);
    expect(entry(10, [session('open', 0)], session('named', 11))).toEqual(['open', 'named']);
    expect(entry(10, [], session('named', 0, 5))).toEqual([]);
    const named = session('named', 8);
    expect(entry(10, [named], named)).toEqual(['named']);
  });

  it('is part of a session that began within five minutes, or that ended after it', () => {
    expect(entry(10, [session('open', 5)])).toBe('open');
    expect(entry(10, [session('open', 4.999)])).toEqual(['open']);
    expect(entry(10, [session('around', 0, 11), session('open', 9)])).toBe('around');
  });

  it('whose time is estimated is in no order: it ends whatever is open', () => {
    const decision = decideEntry(read(10, true), {
      sessions: [session('a', 9), session('b', 20), session('c', 0, 30)],
      named: undefined,
    });
    expect('begins' in decision && uids(decision.begins.ended)).toEqual(['a', 'b']);
  });
});

describe('an exit', () => {
  const exit = (minute: number, sessions: KnownSession[], named?: KnownSession, isLookAlike = false) => {
    const decision = decideExit(read(minute), { sessions, named, isLookAlike });
    return 'ends' in decision ? [decision.ends.row.uid, decision.byLookAlike] : (decision.belongsTo?.row.uid ?? null);
  };

  it('ends what its gateway names, or else the newest of its own that had begun', () => {
    const named = session('named', 0);
    expect(exit(10, [named, session('newer', 5)], named)).toEqual(['named', false]);
    expect(exit(10, [named, session('newer', 5), session('later', 11)])).toEqual(['newer', false]);
    expect(exit(10, [session('later', 11)])).toBeNull();
    expect(exit(10, [session('ended', 0, 5)])).toBeNull();
  });

  it('goes with its own before a look-alike, and before one that has ended', () => {
    expect(exit(10, [], session('alike', 0), true)).toEqual(['alike', true]);
    expect(exit(10, [session('own', 1)], session('alike', 0), true)).toEqual(['own', false]);
    expect(exit(10, [session('own', 6)], session('named', 0, 6))).toEqual(['own', false]);
    expect(exit(10, [], session('named', 0, 6))).toBe('named');
  });
});

describe('what ended a session that is heard of late', () => {
  const end = (minute: number, sessions: KnownSession[], exits: number[], isEstimated = false) => {
    const decision = decideEnd(read(minute, isEstimated), {
      sessions,
      exits: exits.map((at) => ({ at: at * MINUTE })),
    });
    if (decision === null) return null;
    return 'left' in decision ? decision.left.at / MINUTE : decision.again.row.uid;
  };

  it('is the first of what came after', () => {
    expect(end(10, [], [])).toBeNull();
    expect(end(10, [session('before', 9)], [9, 10, 20])).toBe(10);
    expect(end(10, [session('again', 11, 12)], [12])).toBe('again');
    expect(end(10, [session('again', 12)], [11])).toBe(11);
    expect(end(10, [session('at once', 10)], [])).toBeNull();
    expect(end(10, [session('again', 12)], [11], true)).toBeNull();
  });
});

it('never ends what has ended, nor what had not begun', () => {
  const anySession = fc
    .tuple(fc.integer({ min: 0, max: 50 }), fc.option(fc.integer({ min: 0, max: 20 })))
    .map(([from, lasted]) => session(`${from}`, from, lasted === null ? null : from + lasted));
  const anySessions = fc
    .array(anySession)
    .map((sessions) => sessions.toSorted((a, b) => a.row.created_at - b.row.created_at));
  fc.assert(
    fc.property(anySessions, fc.integer({ min: 0, max: 60 }), (sessions, minute) => {
      const entry = decideEntry(read(minute), { sessions, named: undefined });
      const exit = decideExit(read(minute), { sessions, named: undefined, isLookAlike: false });
      const ended = [...('begins' in entry ? entry.begins.ended : []), ...('ends' in exit ? [exit.ends] : [])];
      for (const { row } of ended) {
        expect(row.ended_at).toBeNull();
        expect(row.created_at).toBeLessThanOrEqual(minute * MINUTE);
      }
      expect('ends' in exit ? exit.ends : undefined).toBe(ownOpenSession(sessions, read(minute)));
    }),
  );
});
