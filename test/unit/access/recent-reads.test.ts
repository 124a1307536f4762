import { describe, expect, it } from 'vitest';
import {
  createRecentReads,
  type DebounceRead,
  type RecentReads,
  type VendorEvent,
} from '../../../agent/access/recent-reads.js';
import { uidOf } from '../lpr/plate-world.js';
import { DAY_MS } from '../../../shared/durations.js';

const NOW = Date.UTC(2026, 0, 15, 12);

const NOBODY_LET_OUT = () => null;

function read(number: number, change: Partial<DebounceRead> = {}): DebounceRead {
  return {
    uid: uidOf(number),
    camera_device_id: 'cam-in',
    plate: 'ZG1',
    direction: 'in',
    event_ms: NOW,
    received_mono_ms: 1_000,
    by_position: false,
    admitted: false,
    ...change,
  };
}

function heardAt(mono_ms: number): VendorEvent {
  const message = { camera_ms: null, mono_ms };
  return { read: null, heard: { first: message, last: message } };
}

const among = (sees: (camera: string) => boolean) => ({ sees, within_ms: 15_000 });
const anywhere = among(() => true);
const previous = (recent: RecentReads, ...asked: Parameters<RecentReads['before']>) => recent.before(...asked).previous;

describe('recent reads', () => {
  it('find the nearest read of the plate and direction at the cameras asked for', () => {
    const recent = createRecentReads([], new Set(), NOBODY_LET_OUT);
    recent.add(read(1));
    recent.add(read(2, { camera_device_id: 'cam-2', event_ms: NOW + 4_000, received_mono_ms: 5_000 }));
    const now = read(3, { event_ms: NOW + 6_000, received_mono_ms: 7_000 });
    expect(previous(recent, now, anywhere)).toEqual({ elapsed_ms: 2_000, opening_failed: false });
    expect(
      previous(
        recent,
        now,
        among((camera) => camera === 'cam-in'),
      ),
    ).toEqual({ elapsed_ms: 6_000, opening_failed: false });
    expect(
      previous(
        recent,
        now,
        among(() => false),
      ),
    ).toBeNull();
    expect(previous(recent, { ...now, direction: 'out' }, anywhere)).toBeNull();
    recent.add(read(4, { direction: 'out', event_ms: NOW + 5_000, received_mono_ms: 6_000 }));
    // It turned round: what it did before that is not repeated.
    expect(previous(recent, now, anywhere)).toBeNull();
    expect(previous(recent, { ...now, plate: 'DU777' }, anywhere)).toBeNull();
  });

  it('find the passage that another camera saw, when neither knows directions and the vehicle was let through', () => {
    const passage = (earlier: Partial<DebounceRead>, later: Partial<DebounceRead> = {}) => {
      const recent = createRecentReads([], new Set(), NOBODY_LET_OUT);
      recent.add(read(1, { by_position: true, admitted: true, ...earlier }));
      const tail = { camera_device_id: 'cam-out', direction: 'out' as const, by_position: true, ...later };
      return previous(recent, read(2, { received_mono_ms: 5_000, event_ms: NOW + 4_000, ...tail }), anywhere);
    };
    const seen = { elapsed_ms: 4_000, opening_failed: false, admitted: true, other_direction: true };
    expect(passage({})).toEqual(seen);
    expect(passage({ plate: 'ZG1234AB' }, { plate: 'ZG1234A8' })).toEqual({ ...seen, other_plate: true });
    expect(passage({ by_position: false })).toBeNull();
    expect(passage({}, { by_position: false })).toBeNull();
    expect(passage({ admitted: false })).toBeNull();
    expect(passage({}, { camera_device_id: 'cam-in' })).toBeNull();
  });

  it('find a plate that looks like this one at another camera, unless this plate itself was read just now', () => {
    const recent = createRecentReads([], new Set(), NOBODY_LET_OUT);
    recent.add(read(1, { plate: 'RI220AB' }));
    const other = read(2, {
      camera_device_id: 'cam-2',
      plate: 'RI220A8',
      event_ms: NOW + 1_000,
      received_mono_ms: 2_000,
    });
    expect(previous(recent, other, anywhere)).toEqual({ elapsed_ms: 1_000, opening_failed: false, other_plate: true });
    expect(previous(recent, { ...other, camera_device_id: 'cam-in' }, anywhere)).toBeNull();
    expect(previous(recent, { ...other, direction: 'out' }, anywhere)).toBeNull();
    expect(previous(recent, { ...other, received_mono_ms: null }, anywhere)).toBeNull();
    for (const plate of ['RI999ZZ', 'RI221AB', 'RI2201AB'])
      expect(previous(recent, { ...other, plate }, anywhere)).toBeNull();
    recent.add({ ...other, event_ms: NOW - 4_000, received_mono_ms: 500 });
    expect(previous(recent, other, anywhere)).toEqual({ elapsed_ms: 1_500, opening_failed: false });
    recent.forget(uidOf(1));
    recent.forget(uidOf(2));
    expect(previous(recent, other, anywhere)).toBeNull();
  });

  it('measure by arrival where that is shorter, and by event alone where a report came late', () => {
    const recent = createRecentReads([], new Set(), NOBODY_LET_OUT);
    recent.add(read(1));
    expect(previous(recent, read(2, { event_ms: NOW + 50_000, received_mono_ms: 2_000 }), anywhere)?.elapsed_ms).toBe(
      1_000,
    );
    expect(previous(recent, read(2, { event_ms: NOW - 50_000, received_mono_ms: null }), anywhere)?.elapsed_ms).toBe(
      50_000,
    );
  });

  it('tell whether the opening failed, as it is known by now', () => {
    const recent = createRecentReads([], new Set(), NOBODY_LET_OUT);
    recent.add(read(1));
    recent.setOpeningFailed(uidOf(1), true);
    expect(previous(recent, read(2), anywhere)?.opening_failed).toBe(true);
    recent.setOpeningFailed(uidOf(1), false);
    expect(previous(recent, read(2), anywhere)?.opening_failed).toBe(false);
    recent.setOpeningFailed(uidOf(9), true);
  });

  it('begin with what the store kept: plates however written, without the debounced, openings of unknown outcome as failed', () => {
    const stored = { ...read(1), vendor_event_id: 'a', debounced: false, allowed: true, states: [], plate: 'zg-1' };
    const recent = createRecentReads(
      [
        stored,
        { ...stored, uid: uidOf(2), vendor_event_id: 'b', plate: 'ZG2', debounced: true },
        { ...stored, uid: uidOf(3), vendor_event_id: null, plate: 'ZG3', direction: 'undefined' },
        { ...stored, uid: uidOf(4), vendor_event_id: 'd', plate: 'ZG4' },
      ],
      new Set([uidOf(4)]),
      NOBODY_LET_OUT,
    );
    const failed = ['ZG1', 'ZG2', 'ZG3', 'ZG4'].map(
      (plate) => previous(recent, read(9, { plate }), anywhere)?.opening_failed,
    );
    expect(failed).toEqual([false, undefined, undefined, true]);
    const known = ['a', 'b', 'c', 'd'].map((id) => recent.vendorEvents('cam-in', id).length);
    expect(known).toEqual([1, 1, 0, 1]);
    expect(recent.vendorEvents('cam-2', 'a')).toEqual([]);
  });

  it('keep vendor ids for 24 h, 10,000 of a camera', () => {
    const recent = createRecentReads([], new Set(), NOBODY_LET_OUT);
    const known = (id: string) => recent.vendorEvents('cam-in', id).length === 1;
    for (let number = 0; number < 10_002; number++) recent.addVendorEvent('cam-in', `id-${number}`, heardAt(0));
    expect(['id-1', 'id-2', 'id-10001'].map(known)).toEqual([false, true, true]);
    recent.addVendorEvent('cam-in', 'much later', heardAt(DAY_MS + 1));
    expect(['id-10001', 'id-5', 'much later'].map(known)).toEqual([false, false, true]);
  });

  it('keep vehicles with one vendor id apart, the newest first, however late they are stored, and no more than 8', () => {
    const recent = createRecentReads([], new Set(), NOBODY_LET_OUT);
    const events = [3, 1, 2].map(heardAt);
    for (const event of events) recent.addVendorEvent('cam-in', '88', event);
    expect(recent.vendorEvents('cam-in', '88')).toEqual([events[0], events[2], events[1]]);
    for (let at = 4; at < 20; at++) recent.addVendorEvent('cam-in', '88', heardAt(at));
    expect(recent.vendorEvents('cam-in', '88')).toHaveLength(8);
  });

  it('forget the plate not seen for the longest time', () => {
    const recent = createRecentReads([], new Set(), NOBODY_LET_OUT);
    for (let number = 0; number <= 20_000; number++) recent.add(read(number, { plate: `P${number}` }));
    expect(previous(recent, read(1, { plate: 'P0' }), anywhere)).toBeNull();
    expect(previous(recent, read(1, { plate: 'P1' }), anywhere)).not.toBeNull();
  });
});
