/** What every driver's fixtures become when they are cut, flipped, doubled, put in another order, blown up or written in another charset. */
import { existsSync, readdirSync } from 'node:fs';
import * as fc from '../property.js';
import { SEED } from '../seed.js';
import { describe, expect, it } from 'vitest';
import { createCameraDrivers } from '../../agent/lpr/camera-drivers.js';
import type { CameraRead } from '../../agent/lpr/camera.js';
import { parseMissedPlates } from '../../agent/lpr/hikvision/hikvision-catch-up.js';
import { parseDahuaPart } from '../../agent/lpr/dahua/dahua-stream.js';
import { parseJson } from '../../agent/lpr/formats/document-parser.js';
import { createStreamSplitter } from '../../agent/lpr/formats/stream-splitter.js';
import { createFrigateReader } from '../../agent/lpr/frigate/frigate-parser.js';
import { parseAlarmPart, parseKeptPlates } from '../../agent/lpr/mapping/lilin/lilin-parser.js';
import { parsePulledMessages } from '../../agent/lpr/onvif/onvif-parser.js';
import { parseZhenshiPlate } from '../../agent/lpr/zhenshi/zhenshi-parser.js';
import { valueAt } from '../../agent/lpr/formats/path-parser.js';
import { CAMERA_DRIVER_NAMES } from '../../shared/drivers/camera-driver-list.js';
import { canonicalCameraPlate, normalisePlate } from '../../shared/plate/normalise-plate.js';
import { systemClock } from '../../shared/system-clock.js';
import { runs, runsTimeoutMs } from '../depth.js';
import { FakeClock } from '../world/fake-clock.js';
import { cameraFixture } from '../unit/lpr/camera-fixture.js';
import { jpegLike, multipartBody, part, STRICT } from '../unit/lpr/multipart-builder.js';
import {
  camera as cameraItem,
  plateWorld,
  type PlateWorld,
  type WorldOptions,
  ZONE_ID,
} from '../unit/lpr/plate-world.js';
import { MUTATIONS, mutate } from '../attack/mutated-bytes.js';
import { cameraDriverDeps } from '../world/camera-driver-deps.js';

const MUTATED_PER_FIXTURE = runs(30, 12, 10);
/** The longest that one push may take, even here: a parser that goes back over its input again and again takes minutes. */
const PARSE_MAX_MS = 10_000;
const ZONE = 'Europe/Zagreb';

/** In most fixtures, and a member: what is still read with it opens. */
const MEMBER = 'ZG4821AB';
/** A member too, and in no fixture: it stands beside what is mutated. */
const NEIGHBOUR = 'NB1234NB';
const MEMBERS = [MEMBER, '0048215', 'DU777AA', 'ZG1111AA', 'ČK123AB', '皖A7XG66', NEIGHBOUR];

interface Target {
  driver: string;
  fixture: string;
  bytes: Buffer;
  read(bytes: Buffer): CameraRead[];
  /** Whatever it holds is of the past. */
  isPast?: true;
}

// By this clock the fixtures are of now.
const drivers = createCameraDrivers(cameraDriverDeps(new FakeClock()));
const MAPPING = {
  list: 'evt.cars',
  plate: 'nr',
  event_id: 'evt.no',
  time: { at: 'evt.when', format: 'DD.MM.YYYY HH:mm:ss' },
};
const text = (bytes: Buffer): string => bytes.toString('utf8');

/** Reads what a camera posts, as its driver does. */
function pushed(driver: string, contentType: string, body: Buffer): CameraRead[] {
  const camera = cameraItem('cam', { driver, mapping: driver === 'mapping' ? MAPPING : null });
  const parsed = drivers.get(driver)?.push?.parse({ contentType, body, camera });
  return parsed?.kind === 'read' ? [parsed.read, ...(parsed.more ?? [])] : [];
}

function onvifReads(bytes: Buffer): CameraRead[] {
  try {
    return parsePulledMessages(text(bytes)).reads;
  } catch (error) {
    // The source makes its subscription again after what is no XML.
    expect(error).toMatchObject({ name: 'XmlError' });
    return [];
  }
}

function dahuaReads(bytes: Buffer): CameraRead[] {
  const heard = parseDahuaPart(text(bytes), ZONE);
  return heard.kind === 'read' ? [heard.read] : [];
}

const frigateReads =
  (topic: string) =>
  (bytes: Buffer): CameraRead[] => {
    const plate = createFrigateReader()(topic, parseJson(text(bytes)));
    return plate === null ? [] : [plate.read];
  };

function brokerReads(bytes: Buffer): CameraRead[] {
  const plate = parseZhenshiPlate(valueAt(parseJson(text(bytes)), 'payload.AlarmInfoPlate'), { isBase64: true });
  return plate === null ? [] : [plate.read];
}

type Reader = Pick<Target, 'driver' | 'read' | 'isPast'>;

/** Fixtures that come another way than by a push. */
const OTHER_WAYS: readonly [RegExp, Reader][] = [
  [
    /^hikvision\/missed-/,
    {
      driver: 'hikvision catch-up',
      read: (bytes) => parseMissedPlates(text(bytes), { zone: ZONE, since_ms: 0 }),
      isPast: true,
    },
  ],
  [/^onvif\//, { driver: 'onvif', read: onvifReads }],
  [/^dahua\/.*\.txt$/, { driver: 'dahua stream', read: dahuaReads }],
  [/^frigate\/event-/, { driver: 'frigate', read: frigateReads('events') }],
  [/^frigate\//, { driver: 'frigate', read: frigateReads('tracked_object_update') }],
  [/^zhenshi\/mqtt-/, { driver: 'zhenshi broker', read: brokerReads }],
  [/^lilin\/.*\.txt$/, { driver: 'lilin stream', read: (bytes) => parseAlarmPart(text(bytes)) }],
  [/^lilin\/log/, { driver: 'lilin catch-up', read: (bytes) => parseKeptPlates(text(bytes), 0), isPast: true }],
];

function readerOf(driver: string, name: string): Reader {
  const [, other] = OTHER_WAYS.find(([form]) => form.test(`${driver}/${name}`)) ?? [];
  const contentType = name.endsWith('.xml') ? 'application/xml' : 'application/json';
  return other ?? { driver, read: (bytes) => pushed(driver, contentType, bytes) };
}

const placeOf = (folder: string): URL => new URL(`../../../agent/lpr/${folder}`, import.meta.url);
const filesIn = (folder: string): string[] => readdirSync(placeOf(folder)).toSorted();

/** Every fixture there is, so that a new one is mutated too. */
const FIXTURES: Target[] = [
  ...filesIn('.')
    .filter((folder) => folder !== 'mapping' && existsSync(placeOf(`${folder}/fixtures`)))
    .flatMap((driver) => filesIn(`${driver}/fixtures`).map((name): [string, string, string] => [driver, driver, name])),
  ...filesIn('mapping/fixtures').flatMap((driver) =>
    filesIn(`mapping/fixtures/${driver}`).map((name): [string, string, string] => [driver, 'mapping', name]),
  ),
].map(([driver, folder, name]) => {
  const path = folder === 'mapping' ? `${driver}/${name}` : name;
  return { ...readerOf(driver, name), fixture: name, bytes: Buffer.from(cameraFixture(folder, path)) };
});

/** Vendors that post a document and its picture as parts. */
const MULTIPART: Target[] = (
  [
    ['axis', 'axis', 'new.json', 'event', 'image'],
    ['dahua', 'dahua', 'junction-lines.txt', 'event', 'image.jpg'],
    ['hikvision', 'hikvision', 'anpr-forward.xml', 'anpr.xml', 'detectionPicture.jpg'],
    ['platerecognizer', 'mapping', 'platerecognizer/stream.json', 'json', 'upload'],
    ['uniview', 'uniview', 'structure.json', 'structure', 'picture'],
  ] as const
).map(([driver, folder, name, document, picture]) => ({
  driver: `${driver} parts`,
  fixture: name,
  bytes: multipartBody(
    [
      part(document, 'text/plain', cameraFixture(folder, name)),
      part(picture, 'image/jpeg', jpegLike('the whole scene')),
    ],
    STRICT,
  ),
  read: (bytes) => pushed(driver, 'multipart/form-data; boundary=MIME_boundary', bytes),
}));

const TARGETS = [...FIXTURES, ...MULTIPART];

/** A car park whose members are the plates of the fixtures, and which admits nobody else. */
const membersOnly = (boot: WorldOptions['boot'] = {}): PlateWorld =>
  plateWorld({
    boot,
    cameras: [cameraItem('cam', { lpr_position: 'in', direction_source: 'position' })],
    zone: { has_tariff: false },
    plates: Object.fromEntries(
      MEMBERS.map((plate) => [normalisePlate(plate), { zone_ids: [ZONE_ID], product_ids: [] }]),
    ),
  });

/** Takes reads in, and returns how many opened. Each that did is of a member, and of the present. */
async function openings(world: PlateWorld, reads: readonly CameraRead[], said: string): Promise<number> {
  const before = world.commander.commands.length;
  for (const read of reads) {
    const count = world.commander.commands.length;
    await world.reads.handle('cam', read);
    if (world.commander.commands.length === count) continue;
    const plates = [read, ...(read.candidates ?? [])].map(({ raw_plate }) => canonicalCameraPlate(raw_plate) ?? '');
    expect(
      plates.some((plate) => MEMBERS.includes(normalisePlate(plate))),
      `${said}: ${plates.join()} opened`,
    ).toBe(true);
    expect([read.history, read.retransmission], `${said}: the past opened`).toEqual([undefined, false]);
  }
  return world.commander.commands.length - before;
}

const neighbourOf = ({ history: _history, ...read }: CameraRead): CameraRead => ({
  ...read,
  raw_plate: NEIGHBOUR,
  candidates: [],
  vendor_event_id: 'neighbour',
  camera_time: null,
  retransmission: false,
});

describe('the fixtures of all drivers', () => {
  /** The reads that open at their capture: those that tell a time which can be. */
  const timed = TARGETS.filter(({ isPast }) => isPast !== true).flatMap(({ driver, fixture, read, bytes }) =>
    read(bytes)
      .filter(({ camera_time, history }) => camera_time !== null && history !== true)
      .map((each) => ({ name: `${driver} ${fixture}`, read: each, stated_ms: each.camera_time?.epoch_ms ?? 0 })),
  );
  const names = new Set(timed.map(({ name }) => name.replace(/ .*/, '')));

  it('open within 30 s of their capture and never later, whatever the clock of the camera shows', async () => {
    expect([...names].toSorted()).toEqual([...CAMERA_DRIVER_NAMES].toSorted());
    const errors = fc.oneof(fc.integer({ min: -20_000, max: 20_000 }), fc.integer({ min: -9e7, max: 9e7 }));
    const ages = fc.oneof(fc.integer({ min: 0, max: 30_000 }), fc.integer({ min: 30_001, max: 9e7 }));
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...timed),
        errors,
        ages,
        async ({ name, read, stated_ms }, behind_ms, age_ms) => {
          const confirmed_ms = stated_ms + behind_ms;
          const world = membersOnly({ camera_clocks: [{ device_id: 'cam', behind_ms, confirmed_ms }] });
          const opens = async (late_ms: number): Promise<boolean> => {
            world.clock.jumpWall(stated_ms + behind_ms + late_ms - world.clock.now());
            const before = world.commander.commands.length;
            const id = `at ${late_ms}`;
            await world.reads.handle('cam', { ...read, raw_plate: NEIGHBOUR, candidates: [], vendor_event_id: id });
            return world.commander.commands.length > before;
          };
          const isMarked = read.retransmission && age_ms > 30_000;
          expect(await opens(age_ms), `${name} ${age_ms} ms after its capture`).toBe(age_ms <= 30_000 && !isMarked);
          if (age_ms <= 30_000) return;
          const [{ record } = { record: undefined }] = world.store.reads;
          expect(record, name).toMatchObject({ access_decision: null, opening: null });
        },
      ),
      { numRuns: runs(400, 2, 5) },
    );
  });
});

describe('the fixtures of all drivers, mutated', () => {
  it('open as they are, but for what tells of the past', async () => {
    const opened = new Map<string, number>();
    for (const target of TARGETS) {
      const count = await openings(membersOnly(), target.read(target.bytes), target.fixture);
      if (target.isPast === true) expect(count, `${target.driver} ${target.fixture}`).toBe(0);
      opened.set(target.driver, (opened.get(target.driver) ?? 0) + count);
    }
    // So that mutated ones could open, if they were believed more than these.
    const silent = [...opened].filter(([, count]) => count === 0).map(([driver]) => driver);
    expect(silent.toSorted()).toEqual(['hikvision catch-up', 'lilin catch-up']);
    const offline = TARGETS.find(({ fixture }) => fixture === 'offline.json');
    expect(await openings(membersOnly(), offline?.read(offline.bytes) ?? [], 'offline')).toBe(0);
  });

  it(
    'crash nothing, hang nothing, open for no stranger and lose no well-formed neighbour',
    async () => {
      const counts = new Map<string, number>();
      const all = { reads: 0, openings: 0 };
      const [whole] = TARGETS.flatMap((target) => target.read(target.bytes));
      if (whole === undefined) throw new Error('no fixture holds a plate');
      for (const [index, target] of TARGETS.entries()) {
        const unspoiled = target.read(target.bytes);
        const samples = fc.sample(mutate(target.bytes), { numRuns: MUTATED_PER_FIXTURE, seed: SEED + index });
        for (const { bytes, mutations } of samples) {
          const said = `${target.driver} ${target.fixture}, seed ${SEED}, ${mutations.join('+')}`;
          const started = systemClock.monotonic();
          const reads = target.read(bytes);
          expect(systemClock.monotonic() - started, said).toBeLessThan(PARSE_MAX_MS);
          for (const name of mutations)
            counts.set(`${target.driver} ${name}`, (counts.get(`${target.driver} ${name}`) ?? 0) + 1);
          const world = membersOnly();
          const opened = await openings(world, reads, said);
          if (target.isPast === true) expect(opened, said).toBe(0);
          all.reads += reads.length;
          all.openings += opened;
          // What comes next from the same camera is read and opens as ever.
          expect(target.read(target.bytes), said).toEqual(unspoiled);
          expect(await openings(world, [neighbourOf(unspoiled[0] ?? whole)], said), said).toBe(1);
        }
      }
      const rows = [...new Set(TARGETS.map(({ driver }) => driver))].map(
        (driver) =>
          `${driver.padEnd(22)} ${MUTATIONS.map((name) => `${name} ${counts.get(`${driver} ${name}`) ?? 0}`).join(', ')}`,
      );
      process.stdout.write(
        `fuzz: ${TARGETS.length * MUTATED_PER_FIXTURE} mutated fixtures of ${TARGETS.length}, ${all.reads} still reads, ` +
          `${all.openings} openings, all of plates of members that were still read, seed ${SEED}\n${rows.join('\n')}\n`,
      );
    },
    runsTimeoutMs(120_000, 80),
  );

  it('leave what stands beside them in one push: a vehicle that is anything is no harm to the next', async () => {
    const inList: readonly [string, string, string, (document: never) => unknown[]][] = [
      ['mapping', 'mapping', 'mapping/two-cars.json', ({ evt }: { evt: { cars: unknown[] } }) => evt.cars],
      [
        'platerecognizer',
        'mapping',
        'platerecognizer/two-vehicles.json',
        (document: { data?: { results: unknown[] }; results?: unknown[] }) =>
          document.data?.results ?? document.results ?? [],
      ],
      [
        'uniview',
        'uniview',
        'structure.json',
        ({ StructureInfo }: { StructureInfo: { ObjInfo: { VehicleInfoList: unknown[] } } }) =>
          StructureInfo.ObjInfo.VehicleInfoList,
      ],
    ];
    for (const [driver, folder, fixture, listOf] of inList) {
      const original = cameraFixture(folder, fixture);
      await fc.assert(
        fc.asyncProperty(fc.jsonValue({ maxDepth: 3 }), async (anything) => {
          const document = JSON.parse(original.replaceAll(/zg4821ab|zg1111aa/gi, NEIGHBOUR)) as never;
          listOf(document).unshift(anything);
          const reads = pushed(driver, 'application/json', Buffer.from(JSON.stringify(document)));
          expect(await openings(membersOnly(), reads, fixture)).toBeGreaterThanOrEqual(1);
          expect(reads.map(({ raw_plate }) => raw_plate)).toContain(NEIGHBOUR);
        }),
        { numRuns: runs(30, 3, 10), seed: SEED },
      );
    }
  });

  it('leave what follows them in a stream', async () => {
    const streams = TARGETS.filter(({ driver }) => ['dahua stream', 'lilin stream'].includes(driver));
    for (const [index, target] of streams.entries()) {
      if (!text(target.bytes).includes(MEMBER)) continue;
      const next = Buffer.from(text(target.bytes).replaceAll(MEMBER, NEIGHBOUR).replaceAll(/900\d/g, '9100'));
      const samples = fc.sample(mutate(target.bytes), { numRuns: MUTATED_PER_FIXTURE, seed: SEED + index });
      for (const { bytes, mutations } of samples) {
        const splitter = createStreamSplitter('multipart/mixed; boundary=MIME_boundary');
        const stream = multipartBody([part('a', 'text/plain', bytes), part('b', 'text/plain', next)], STRICT);
        const parts = splitter.push(stream).map(({ content }) => Buffer.from(content));
        expect(parts).toHaveLength(2);
        const world = membersOnly();
        for (const each of parts) await openings(world, target.read(each), mutations.join('+'));
        const plates = world.store.reads.map(({ record }) => record.reading.plate);
        expect(plates, `${target.fixture}, seed ${SEED}, ${mutations.join('+')}`).toContain(NEIGHBOUR);
      }
    }
  });

  it('in a stream are parts or an end of it, whatever the pieces', () => {
    const partOf = (bytes: Buffer) =>
      Buffer.concat([
        Buffer.from(`--b\r\nContent-Type: text/plain\r\nContent-Length: ${bytes.length}\r\n\r\n`),
        bytes,
        Buffer.from('\r\n'),
      ]);
    const stream = Buffer.concat([
      partOf(Buffer.from('one')),
      partOf(Buffer.from([0xff, 0xd8, 0x2d, 0x2d, 0x62, 0xff, 0xd9])),
      partOf(Buffer.from('three')),
    ]);
    fc.assert(
      fc.property(mutate(stream), fc.integer({ min: 1, max: 40 }), ({ bytes }, piece) => {
        const splitter = createStreamSplitter('multipart/mixed; boundary=b');
        try {
          for (let at = 0; at < bytes.length; at += piece) splitter.push(bytes.subarray(at, at + piece));
        } catch (error) {
          expect(error).toMatchObject({ name: 'StreamError' });
        }
      }),
      { numRuns: runs(200) },
    );
    const whole = createStreamSplitter('multipart/mixed; boundary=b');
    const contents = [...stream]
      .flatMap((byte) => whole.push(Uint8Array.of(byte)))
      .map(({ content }) => Buffer.from(content).toString('latin1'));
    expect(contents).toEqual(['one', '\u00ff\u00d8--b\u00ff\u00d9', 'three']);
  });
});
