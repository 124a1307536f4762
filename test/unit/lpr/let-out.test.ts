/** A vehicle that a person let out at an exit tries again. */
import { expect, it } from 'vitest';
import { plateWorld, type PlateWorld, type WorldOptions } from './plate-world.js';

const MINUTE_MS = 60_000;

/** Reads the plate at the exit. @returns what was decided */
async function leave(world: PlateWorld, plate = 'ZG1') {
  await world.reads.handle('cam-out', world.read(plate));
  const read = world.store.reads.at(-1);
  if (read === undefined) throw new Error('nothing was read');
  const { access_decision_reason: reason, session, trace } = read.record;
  return { uid: read.uid, reason, session, trace };
}

/** A vehicle that was refused, and that a person let out at once. */
async function letOut(options: WorldOptions = {}): Promise<PlateWorld> {
  const world = plateWorld(options);
  const refused = await leave(world);
  expect(refused.reason).toBe('no_active_session');
  world.link.letOut.set(refused.uid, world.clock.now());
  return world;
}

it('it is no repeat of the read that was refused: the gate opens again', async () => {
  const world = await letOut();
  await world.clock.advance(3_000);
  expect(await leave(world)).toMatchObject({ reason: 'session_exit', session: null, trace: { let_out: true } });
  expect(world.commander.commands).toHaveLength(1);
  // From there on a camera that goes on reading it repeats itself.
  await world.clock.advance(3_000);
  expect(await leave(world)).toMatchObject({ reason: 'debounce' });
});

it('it ends nobody else’s stay', async () => {
  const zone_id = 5;
  const other = { uid: '00000000-0000-7000-8000-0000000000aa', plate: 'ZG2', zone_id, began_ms: 0, ended_ms: null };
  const world = plateWorld();
  const refused = await leave(world);
  world.link.letOut.set(refused.uid, world.clock.now());
  world.sessions.change({ ...other, uid: other.uid as never, ended_by_look_alike: false });
  await world.clock.advance(MINUTE_MS);
  expect(await leave(world)).toMatchObject({ reason: 'session_exit', session: null });
  expect(world.sessions.size).toBe(1);
});

it('it is refused as ever ten minutes later, and others at once', async () => {
  const world = await letOut();
  expect(await leave(world, 'RI9')).toMatchObject({ reason: 'no_active_session' });
  await world.clock.advance(10 * MINUTE_MS);
  expect(await leave(world)).toMatchObject({ reason: 'no_active_session', trace: { previous_read: null } });
});
