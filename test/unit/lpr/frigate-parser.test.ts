import { describe, expect, it } from 'vitest';
import { createFrigateReader } from '../../../agent/lpr/frigate/frigate-parser.js';
import { cameraFixture } from './camera-fixture.js';

/** One Frigate; what its messages are read as, in their order. */
function frigate() {
  const read = createFrigateReader();
  const plateOf = (topic: string, message: unknown) => read(topic, message)?.read.raw_plate ?? null;
  return {
    event: (id: string, said: object, plate = 'ZG1234AB') =>
      plateOf('events', { type: 'update', after: { id, camera: 'lane', recognized_license_plate: plate, ...said } }),
    lpr: (id: string, plate = 'ZG1234AB') =>
      plateOf('tracked_object_update', { type: 'lpr', id, camera: 'lane', plate, score: 0.9 }),
  };
}
const PARKED = { stationary: true, motionless_count: 900, position_changes: 0 };

describe('what Frigate sees', () => {
  it.each([
    ['has been parked since before Frigate was started', PARKED],
    ['was parked, seconds after the start', { stationary: false, motionless_count: 12, position_changes: 0 }],
    ['stands, of which no move is known', { stationary: true }],
    ['is a false positive', { stationary: false, position_changes: 3, false_positive: true }],
  ])('is no read when it %s, whichever message names its plate', (_, said) => {
    const { event, lpr } = frigate();
    expect([event('1', said), lpr('1'), event('1', said), event('', said)]).toEqual([null, null, null, null]);
    // Another object is judged by itself.
    expect([event('2', { stationary: false, position_changes: 1 }), lpr('3')]).toEqual(['ZG1234AB', 'ZG1234AB']);
  });

  it.each([
    ['drives', { stationary: false, motionless_count: 0, position_changes: 3 }],
    ['has just come into the picture', { stationary: false, motionless_count: 0, position_changes: 0 }],
    ['stands at the barrier after it moved', { stationary: true, motionless_count: 900, position_changes: 1 }],
    ['is seen by an older Frigate, which says nothing of it', {}],
  ])('is a read when it %s', (_, said) => {
    const { event, lpr } = frigate();
    expect([event('1', said), lpr('1')]).toEqual(['ZG1234AB', 'ZG1234AB']);
  });

  it('is a read when it was seen to move under the same id, and when it moves at last', () => {
    const { event, lpr } = frigate();
    expect(event('came', { stationary: false, position_changes: 0 }, 'ZG1234A')).toBe('ZG1234A');
    expect([event('came', PARKED), lpr('came')]).toEqual(['ZG1234AB', 'ZG1234AB']);
    expect([event('leaves', PARKED), lpr('leaves')]).toEqual([null, null]);
    expect([event('leaves', { ...PARKED, stationary: false, position_changes: 1 }), lpr('leaves')]).toEqual([
      'ZG1234AB',
      'ZG1234AB',
    ]);
    expect([event('came', { ...PARKED, false_positive: true }), lpr('came'), event('came', PARKED)]).toEqual([
      null,
      null,
      null,
    ]);
  });

  it.each([
    ['tracked_object_update', 'lpr-update.json', 'ZG4821AB'],
    ['events', 'event-update.json', 'ZG4821AB'],
    ['events', 'event-end.json', null],
    ['tracked_object_update', 'description.json', null],
  ])('is read from %s %s', (topic, fixture, plate) => {
    const read = createFrigateReader()(topic, JSON.parse(cameraFixture('frigate', fixture)));
    expect(read?.read.raw_plate ?? null).toBe(plate);
  });

  it('is forgotten beyond a thousand vehicles', () => {
    const { event, lpr } = frigate();
    for (let number = 0; number <= 1_000; number++) event(`${number}`, PARKED);
    expect([lpr('0'), lpr('1'), lpr('1000')]).toEqual(['ZG1234AB', null, null]);
  });
});
