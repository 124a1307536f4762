/** The log of the cloud names no plate, whatever a gateway sends that holds one, and whatever becomes of it. */
import { pino } from 'pino';
import * as fc from '../../property.js';
import { describe, expect, it } from 'vitest';
import { createIngest } from '../../../cloud/traffic/ingest/ingest.js';
import { runs } from '../../depth.js';
import { NORTH_GATEWAY } from '../gateway/link-site.js';
import { storeWorld } from '../gateway/store-world.js';
import { entryRead, newOutboxEpoch, newUid, recordOf, wireBatch } from './gateway-records.js';
import { ingestDeps } from './ingest-deps.js';

const PLATE = 'ZG7777XX';

const world = storeWorld('for all tests');

/** Of one gateway only so many lines come in a minute. */
async function beginAnew(): Promise<void> {
  await world.clock.advance(61_000);
  world.log.length = 0;
}

/** All that the log above `debug` has since then, as the program writes it. */
function written(): string {
  const lines: string[] = [];
  const logger = pino({ level: 'info' }, { write: (line: string) => void lines.push(line) });
  for (const { level, fields, message } of world.log) logger[level](fields, message);
  return lines.join('');
}

/** The ways to every value within, the whole one first. */
function pathsIn(value: unknown): string[][] {
  if (typeof value !== 'object' || value === null) return [[]];
  return [[], ...Object.entries(value).flatMap(([key, inner]) => pathsIn(inner).map((path) => [key, ...path]))];
}

function changed(value: unknown, [key, ...rest]: readonly string[], change: (value: unknown) => unknown): unknown {
  if (key === undefined) return change(value);
  const held = value as Record<string, unknown>;
  const entries = Object.entries(held).map(([each, inner]) => [
    each,
    each === key ? changed(inner, rest, change) : inner,
  ]);
  return Array.isArray(value) ? entries.map(([, inner]) => inner) : Object.fromEntries(entries);
}

/** What may stand in place of any value of a record. */
const CHANGES: Record<string, (value: unknown) => unknown> = {
  'the plate': () => PLATE,
  'a long text with the plate': () => PLATE.repeat(2_000),
  'a key that is the plate': (value) =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? { ...value, [PLATE]: PLATE }
      : { [PLATE]: PLATE },
  'a list of the plate': () => [PLATE],
  nothing: () => undefined,
};

describe('the log of the cloud', () => {
  it('names no plate of a record that is applied or refused, whatever is wrong with it', async () => {
    const whole = () => recordOf(1, entryRead(world.site, { reading: { plate: PLATE, raw_plate: PLATE } }));
    const ends = { applied: 0, refused: 0 };
    const mutation = fc.tuple(fc.nat(), fc.constantFrom(...Object.keys(CHANGES)));
    await fc.assert(
      fc.asyncProperty(mutation, async ([place, kind]) => {
        const record = whole();
        const paths = pathsIn(record);
        const path = paths[place % paths.length] ?? [];
        const mutated = changed(record, path, CHANGES[kind] ?? String);
        await beginAnew();
        await world.ingest.apply(NORTH_GATEWAY, wireBatch(newOutboxEpoch(), 0, [mutated, { ...whole(), seq: 2 }]));
        const text = written();
        ends[text === '' ? 'applied' : 'refused'] += 1;
        expect([path, kind, text]).toEqual([path, kind, expect.not.stringContaining(PLATE)]);
      }),
      { numRuns: runs(200) },
    );
    process.stdout.write(`plates in the log: ${JSON.stringify(ends)}\n`);
    expect(Math.min(ends.applied, ends.refused)).toBeGreaterThan(0);
  });

  it('names none when the database refuses what comes of it', async () => {
    const ingest = createIngest(ingestDeps(world, { generatePublicId: () => 'TWICE77777' }));
    const reads = [`A${PLATE}`, `B${PLATE}`].map((plate, index) =>
      recordOf(index + 1, entryRead(world.site, { reading: { plate, raw_plate: plate } }), { uid: newUid() }),
    );
    await beginAnew();
    await ingest.apply(NORTH_GATEWAY, wireBatch(newOutboxEpoch(), 0, reads));
    const text = written();
    expect(text).toContain('a record was given up');
    expect(text).not.toContain(PLATE);
  });

  it('names none of a batch that is no JSON', async () => {
    await beginAnew();
    const batch = Buffer.from(`{"epoch":"${newOutboxEpoch()}","lane":0,"records":[{"plate":"${PLATE}"`);
    await world.ingest.apply(NORTH_GATEWAY, batch);
    const text = written();
    expect(text).toContain('cannot be read');
    expect(text).not.toContain(PLATE);
  });
});
