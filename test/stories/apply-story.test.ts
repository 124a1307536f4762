import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startProgram } from '../world/programs.js';
import type { RealtimeListener } from '../world/realtime-listener.js';
import { TEST_SITE } from '../world/site.js';
import { waitUntil } from '../../scripts/sim/wait-until.js';
import { createWorld, type World } from '../world/world.js';

const MEMBER = '      - {name: Noa, license_plate: ZG7000NN, groups: [Residents]}\n    groups:';
const KEY = `    key_logs:
      - {name: Plumber, product: ${TEST_SITE.barrier}, receiver_identifier: ST 55-ABC, receiver_identifier_type: license_plate, start_time: 2020-01-01T00:00:00Z}
`;

describe('apply story: what is applied beside a running cloud is in force within seconds', () => {
  let world: World;
  let stream: RealtimeListener;
  /** The site without a tariff, so that strangers stay outside, and with every read decided. */
  let strictSite: string;

  beforeAll(async () => {
    world = await createWorld();
    stream = await world.listen();
    strictSite = readFileSync(join(world.dataDir, 'site.yaml'), 'utf8')
      .replace('tariffs: [Public]', 'tariffs: []')
      .replace('lpr_position: in,', 'lpr_position: in, debounce_time: 0,');
    await apply(strictSite);
    let strangers = 0;
    await waitUntil('a stranger to be kept outside', async () => (await decide(`ZG${strangers++}XX`)) === 'no_tariff');
  });

  afterAll(async () => {
    await stream?.close();
    await world?.close();
  });

  async function apply(site: string, ...flags: string[]): Promise<string> {
    const file = join(world.dataDir, 'next-site.yaml');
    writeFileSync(file, site);
    const program = startProgram('cloud/main.js', ['apply', file, ...flags], {
      DATA_DIR: join(world.dataDir, 'cloud'),
    });
    const { code } = await program.ended;
    expect(code, program.output()).toBe(0);
    return program.output();
  }

  /** Why the plate is admitted or not, at the entry, now. */
  async function decide(plate: string): Promise<unknown> {
    const decisions = () => stream.of('plate_reading_update').filter((heard) => heard.payload.plate === plate);
    const before = decisions().length;
    await world.arrive(plate);
    const [decided] = await waitUntil(`a decision on ${plate}`, () => {
      const since = decisions().slice(before);
      return since.length > 0 && since;
    });
    return decided?.payload.access_decision_reason;
  }

  const untilDecided = (plate: string, reason: string) =>
    waitUntil(`${plate} to be decided on with ${reason}`, async () => (await decide(plate)) === reason);

  it('admits a new member', async () => {
    expect(await decide('ZG7000NN')).toBe('no_tariff');
    const printed = await apply(strictSite.replace('    groups:', MEMBER));
    expect(printed).toContain('created    member Noa\n');
    expect(printed).toContain('notices it by itself and sends it to its gateways within 5 s');
    await untilDecided('ZG7000NN', 'whitelist');
  });

  it('admits a plate with a key, until the key is removed', async () => {
    expect(await decide('ST55ABC')).toBe('no_tariff');
    await apply(strictSite.replace('    members:', `${KEY}    members:`));
    await untilDecided('ST55ABC', 'whitelist');
    const removed = await apply(strictSite, '--prune');
    expect(removed).toContain('removed    key Plumber\n');
    await untilDecided('ST55ABC', 'no_tariff');
    // The member went with the key: the file does not have her either.
    await untilDecided('ZG7000NN', 'no_tariff');
  });
});
