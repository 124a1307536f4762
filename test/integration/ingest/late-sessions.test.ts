/** Sessions are put together from records that come in any order, from gateways that do not know of each other. */
import { describe, expect, it } from 'vitest';
import { countsOfLot } from '../../../cloud/site/zone/occupancy-queries.js';
import type { Uid } from '../../../shared/ids.js';
import type { PlateReadRecord } from '../../../shared/uplink.js';
import { deniedRead, entryRead, exitRead, LATE, newUid, NOON_MS, sessionOf } from './gateway-records.js';
import { insertId, SECOND_GATEWAY } from '../gateway/link-site.js';
import { senderOf, storeWorld } from '../gateway/store-world.js';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

/**
 * What becomes of a vehicle. A title; the reads in the order in which they come (`GATEWAY MINUTE-FROM-NOON VERB WORDS: SESSION EVENTS`); the
 * sessions that there are in the end, oldest first, and which of them each reading belongs to. A session that the gateway names is a letter;
 * `alike`: the read is of a plate that looks like the vehicle's.
 */
const TIMELINES = `
let in by one gateway and out by another has one session
  north -180 comes a: create
  south -60 leaves: update
  = -180..-60 (1 1)
has the same session when the exit is heard of first
  south -60 leaves: none
  north -180 comes a: create update
  = -180..-60 (1 1)
has an open session when the exit that is heard of first was before its entry
  south -181 leaves: none
  north -180 comes a: create
  = -180.. (- 1)
has the same session when the exit was whitelisted
  north -180 comes a: create
  south -60 leaves whitelisted: update
  = -180..-60 (1 1)
has the same session when the exit was accounted late
  north -180 comes a: create
  south -60 leaves late: update
  = -180..-60 (1 1)
has one session for each day, in whatever order the records of several days come
  south -4200 leaves: none
  south -2760 leaves: none
  south -1320 leaves: none
  north -2880 comes b: create update
  north -1440 comes c: create update
  north -4320 comes a: create update
  = -4320..-4200, -2880..-2760, -1440..-1320 (1 2 3 2 3 1)
keeps its session when it was not let out, had left before, or another one left
  north -180 comes a: create
  south -60 leaves denied: none
  south -180-1ms leaves: none
  south -60 leaves alike: none
  = -180.. (1 - - -)
that came again within five minutes, by another gateway, keeps its session
  north -10 comes a: create
  south -5 comes b: none
  north -5+1ms comes c: update create
  = -10..-5+1ms at the entry, -5+1ms.. (1 1 2)
that came again is let out by the gateway whose session was not made
  north -10 comes a: create
  south -8 comes b: none
  south -7 stays b: none
  south -1 leaves b: update
  = -10..-1 (1 1 1 1)
that came again without an exit has another session, though the gateway knew of none
  north -60 comes a: create
  north -1 comes b: update create
  = -60..-1 at the entry, -1.. (1 2)
whose earlier entry is heard of late has a session until the later one began
  north -1 comes b: create
  north -60 comes a: create update
  = -60..-1 at the entry, -1.. (2 1)
whose earlier entry is heard of late has that session though the later one has ended
  north -60 comes b: create
  south -30 leaves b: update
  north -180 comes a: create update
  = -180..-60 at the entry, -60..-30 (2 2 1)
that its gateway keeps has one session, of which nothing is told
  north -60 comes a: create
  north -59 stays a: none
  = -60.. (1 1)
that was read within a session that has ended by then begins no second one
  north -180 comes a: create
  south -60 leaves a: update
  north -120 comes b late: none
  = -180..-60 (1 1 1)
leaves by the exit that knew its first session only
  north -180 comes a: create
  north -120 comes b: update create
  south -60 leaves a: update
  = -180..-120 at the entry, -120..-60 (1 2 2)
ends the only session that looks like its own
  north -120 comes a alike: create
  south -60 looks-like a: update
  = -120..-60 by a look-alike (1 1)
ends its own session before that of a look-alike, though the gateway did not know it
  north -120 comes a alike: create
  north -119 comes b: create
  south -60 looks-like a: update
  = -120.., -119..-60 (1 2 2)
leaves without a session when a look-alike ended it
  north -120 comes a: create
  south -60 looks-like a alike: update
  south -30 leaves: none
  = -120..-60 by a look-alike (1 1 -)
`;

const world = storeWorld('for all tests');
const send = { north: senderOf(world), south: senderOf(world, SECOND_GATEWAY) };

const timeOf = (text: string): number => {
  const [, minute, ms = '0ms'] = /^(-\d+)([+-]\dms)?$/.exec(text) ?? [];
  return NOON_MS + Number(minute) * MINUTE + Number.parseInt(ms);
};
function textOf(ms: number | null): string {
  if (ms === null) return '';
  const minute = Math.floor((ms - NOON_MS) / MINUTE);
  return ms === NOON_MS + minute * MINUTE ? `${minute}` : `${minute}+${ms - NOON_MS - minute * MINUTE}ms`;
}

/** A line of a timeline as a record; `uidOf` gives each session that the gateways name its uid. */
function readOf(said: string, plates: { own: string; alike: string }, uidOf: (name: string) => Uid): PlateReadRecord {
  const [time = '', verb, ...words] = said.split(' ');
  const has = (word: string) => words.includes(word);
  const name = words.find((word) => word.length === 1);
  const session_uid = name === undefined ? null : uidOf(name);
  const reading = { plate: has('alike') ? plates.alike : plates.own, event_ms: timeOf(time) };
  const decided = {
    ...(has('late') ? LATE : {}),
    ...(has('denied') ? deniedRead('no_active_session') : {}),
    ...(has('whitelisted') ? { access_decision_reason: 'whitelist' as const } : {}),
  };
  if (verb === 'leaves') return exitRead(world.site, session_uid, { reading, read: decided });
  if (session_uid === null) throw new Error(`no session is named: ${said}`);
  const sessions: Record<string, NonNullable<PlateReadRecord['session']>> = {
    comes: { effect: 'begin', session_uid, ended_session_uid: null },
    stays: { effect: 'keep', session_uid },
    'looks-like': { effect: 'end', session_uid, look_alike: true },
  };
  const session = sessions[verb ?? ''];
  if (session === undefined) throw new Error(`not a verb: ${said}`);
  const read = verb === 'looks-like' ? exitRead(world.site, null, { reading }) : entryRead(world.site, { reading });
  return { ...read, session, ...decided };
}

/** The last line of a timeline, as the cloud has it now. */
async function outcomeOf(plates: readonly string[]): Promise<string> {
  const { reader } = world.store;
  const [sessions, readings] = await Promise.all([
    reader.selectFrom('sessions').selectAll().where('plate_normalised', 'in', plates).orderBy('created_at').execute(),
    reader.selectFrom('plate_readings').selectAll().where('plate_normalised', 'in', plates).orderBy('id').execute(),
  ]);
  const all = sessions.map((row) => {
    const at = row.exit_source_id === world.site.entryCamera ? ' at the entry' : '';
    const by = row.ended_by_look_alike === 1 ? ' by a look-alike' : '';
    return `${textOf(row.created_at)}..${textOf(row.ended_at)}${at}${by}`;
  });
  const of = readings.map(({ session_id }) => sessions.findIndex(({ id }) => id === session_id) + 1 || '-');
  return `= ${all.join(', ')} (${of.join(' ')})`;
}

describe('a vehicle', () => {
  const timelines = TIMELINES.trim()
    .split(/\n(?=\S)/)
    .map((lines) => lines.split('\n').map((line) => line.trim()))
    .map(([title = '', ...lines]) => ({ title, lines }));

  it.each(timelines.map((each, index) => ({ ...each, index })))('$title', async ({ lines, index }) => {
    const plates = { own: `R${index}XAB`, alike: `R${index}XA8` };
    const uids: Partial<Record<string, Uid>> = {};
    for (const line of lines.slice(0, -1)) {
      const [said = '', events] = line.split(': ');
      const [gateway = ''] = said.split(' ');
      const read = readOf(said.slice(gateway.length + 1), plates, (name) => (uids[name] ??= newUid()));
      const journaled = await send[gateway as keyof typeof send](0, read);
      const changes = journaled.filter(({ event }) => event.startsWith('session_'));
      expect(changes.map(({ event }) => event.slice('session_'.length)).join(' ') || 'none', line).toBe(events);
      for (const { payload } of changes.filter(({ event }) => event === 'session_update')) {
        const { created_at, ended_at, duration } = payload as {
          created_at: string;
          ended_at: string;
          duration: number;
        };
        expect(duration, line).toBe(Math.floor((Date.parse(ended_at) - Date.parse(created_at)) / 1_000));
        expect(payload, line).toMatchObject({ possibly_exited: true, exit: { type: 'lpr_camera' } });
      }
    }
    expect(await outcomeOf(Object.values(plates))).toBe(lines.at(-1));
  });
});

describe('how full a zone is', () => {
  const parkingGateway = {
    gateway_id: null,
    name: 'Guidance',
    driver: 'modbus-tcp',
    address: '127.0.0.1:1502',
    unit: 1,
    poll_ms: 1_000,
    heartbeat_s: 30,
    register: null,
    application: null,
    status: 'offline' as const,
    last_seen: null,
  };
  const counts = async () => {
    const { lot: lot_id, zone, lowerZone } = world.site;
    const found = await countsOfLot(world.store.reader, { lot_id, now: world.clock.now() });
    return [zone, lowerZone].map((id) => found.get(id)?.sensors ?? found.get(id)?.sessions ?? 0);
  };

  it('is how many sessions are open, as long as they may count, and what its sensors say where its places have any', async () => {
    const before = await counts();
    const more = async () => (await counts()).map((count, index) => count - (before[index] ?? 0));
    const entryAt = (event_ms: number, plate: string) => entryRead(world.site, { reading: { event_ms, plate } });
    const exitAt = (event_ms: number, plate: string) => exitRead(world.site, null, { reading: { event_ms, plate } });
    await send.north(0, entryAt(NOON_MS - HOUR, 'ZG1'));
    await send.north(0, entryAt(NOON_MS - 72 * HOUR + 1, 'ZG2'), entryAt(NOON_MS - 72 * HOUR, 'ZG3'));
    expect(await more()).toEqual([2, 0]);
    await send.south(0, exitAt(NOON_MS - MINUTE, 'ZG1'));
    expect(await more()).toEqual([1, 0]);
    // Too old to count, still open for its exit.
    expect((await send.south(0, exitAt(NOON_MS, 'ZG3'))).map(({ event }) => event)).toContain('session_update');
    const { account: account_id, lot: lot_id, zone: zone_id } = world.site;
    const place = { account_id, lot_id, zone_id, codec: null, occupied_below_mm: null, hysteresis_mm: null };
    const times = { created_at: NOON_MS, updated_at: NOON_MS };
    const parking_gateway_id = await world.store.change((tx) =>
      insertId(tx, 'parking_gateways', { ...parkingGateway, account_id, lot_id, ...times }),
    );
    const insert = (name: string, occupancy_status: 'free' | 'occupied', sensor: string | null) =>
      world.store.change((tx) => {
        const watched = { sensor, parking_gateway_id: sensor === null ? null : parking_gateway_id };
        return insertId(tx, 'parking_places', {
          ...place,
          ...watched,
          name,
          occupancy_status,
          changed_at: null,
          ...times,
        });
      });
    await insert('without', 'occupied', null);
    expect(await more()).toEqual([1, 0]);
    await insert('A', 'occupied', '1');
    await insert('B', 'occupied', '2');
    await insert('C', 'free', '3');
    expect(await counts()).toEqual([2, 0]);
  });
});

it('marks the gateways’ sessions stale, even when nothing came of a decision, and zones when a vehicle left without one', async () => {
  const staleBy = async (read: PlateReadRecord) => {
    world.staleConfig.length = 0;
    await send.south(0, read);
    return world.staleConfig;
  };
  const entry = entryRead(world.site, { reading: { plate: 'ZG5555ZZ' } });
  const session = { effect: 'end', session_uid: sessionOf(entry), look_alike: true } as const;
  expect(await staleBy(entry)).toEqual([{ lot_id: world.site.lot, sections: ['sessions'] }]);
  const lookAlike = exitRead(world.site, null, { reading: { plate: 'ZG55552Z' }, read: { session } });
  expect(await staleBy(lookAlike)).toEqual([{ lot_id: world.site.lot, sections: ['sessions'] }]);
  // Somebody may have counted that vehicle.
  const unknown = exitRead(world.site, newUid(), { reading: { plate: 'ZG9999ZZ' } });
  expect(await staleBy(unknown)).toEqual([{ lot_id: world.site.lot, sections: ['sessions', 'zones'] }]);
});
