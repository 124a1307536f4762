/**
 * From a sensor's change to the third of its three realtime events, with the real programs, beyond the time until the gateway asks the sensor:
 * the register tells when it was read. Its reference is what no gateway can leave out: two commits synced to the same disk, one after the
 * other, one of the gateway and one of the cloud. The two take turns.
 */
import { closeSync, fsyncSync, openSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock } from '../../shared/system-clock.js';
import { sleep } from '../../shared/clock.js';
import { serveModbus } from '../../scripts/sim/sensors/modbus-server.js';
import { freePorts } from '../world/free-ports.js';
import { TEST_SITE } from '../world/site.js';
import { createWorld } from '../world/world.js';
import { waitUntil } from '../../scripts/sim/wait-until.js';
import { amount, hearEvents, median, printFigure, quantile } from './harness.js';

const WARM_UP = 10;
const CHANGES = 200;
const REACH_MS = 50;
const POLL_MS = 100;
/** They take turns, so that no sensor flutters. */
const PLACES = 12;
const COMMIT_BYTES = 512;
const APART_MS = 150;
const LAST_EVENT = 'parking_place_change';

/** Two synced writes, one after the other. @returns milliseconds */
function twoCommits(file: number): number {
  const began = performance.now();
  for (let commit = 0; commit < 2; commit++) {
    writeSync(file, Buffer.alloc(COMMIT_BYTES, commit));
    fsyncSync(file);
  }
  return performance.now() - began;
}

/** Runs the benchmark. */
export async function benchSensorEvents(): Promise<void> {
  const occupied = new Set<number>();
  let changing = 0;
  let readAtMs: number | null = null;
  const server = await serveModbus({
    host: '127.0.0.1',
    port: 0,
    unit: 1,
    clock: systemClock,
    read(_code, address) {
      if (address === changing) readAtMs ??= performance.now();
      return Number(occupied.has(address));
    },
  });
  const places = Array.from(
    { length: PLACES },
    (_, index) => `              - {name: B${index}, parking_gateway: Bench, sensor: "${index}"}\n`,
  );
  const [simulated = 0] = await freePorts(1);
  const world = await createWorld({
    alterSite: (yaml) =>
      yaml.replace('            lpr_cameras:\n', `${places.join('')}            lpr_cameras:\n`).replace(
        '        parking_gateways:\n',
        `        parking_gateways:
          - {name: Bench, driver: modbus-tcp, address: "127.0.0.1:${simulated}", gateway: Entrance Pi, register: {function: 3, occupied: {mask: 1}}}
`,
      ),
  });
  const heard: { name: string; atMs: number }[] = [];
  const { cloudUrl } = world;
  const stopHearing = await hearEvents({ cloudUrl, token: TEST_SITE.apiToken }, (name) => {
    heard.push({ name, atMs: performance.now() });
  });
  const commits = join(world.dataDir, 'commits');
  const file = openSync(commits, 'a');
  const beyond: number[] = [];
  const whole: number[] = [];
  const reference: number[] = [];
  try {
    // The simulator serves what the site file names; from now on it is this process.
    const body = { address: `127.0.0.1:${server.port}`, poll_ms: POLL_MS };
    const { body: found } = await world.api<{ data: { id: number; name: string }[] }>('/v2/parking-gateways');
    const id = found.data.find(({ name }) => name === 'Bench')?.id ?? 0;
    const { status } = await world.call('PATCH', `/v2/parking-gateways/${id}`, { body });
    if (status !== 200) throw new Error(`the parking gateway could not be changed: ${status}`);
    await waitUntil('the gateway to read the register', () => readAtMs !== null);
    await world.settled();
    for (let run = 0; run < WARM_UP + CHANGES; run++) {
      await sleep(systemClock, APART_MS + Math.random() * POLL_MS);
      const commitMs = twoCommits(file);
      heard.length = 0;
      changing = run % PLACES;
      readAtMs = null;
      if (!occupied.delete(changing)) occupied.add(changing);
      const changedMs = performance.now();
      const pushedMs = await waitUntil(
        'the three events',
        () => heard.find(({ name }) => name === LAST_EVENT)?.atMs ?? null,
      );
      if (run < WARM_UP) continue;
      reference.push(commitMs);
      beyond.push(pushedMs - (readAtMs ?? Number.NaN));
      whole.push(pushedMs - changedMs);
    }
  } finally {
    stopHearing();
    closeSync(file);
    rmSync(commits, { force: true });
    await world.close();
    await server.close();
  }
  const shown = (samples: readonly number[], share: number) => `${quantile(samples, share).toFixed(1)} ms`;
  printFigure(
    'sensor change to three realtime events, from when the register was read, median',
    amount(
      median(beyond),
      `{} ms (p90 ${shown(beyond, 0.9)}; with the poll every ${POLL_MS} ms ${shown(whole, 0.5)})`,
      1,
    ),
    amount(REACH_MS, '{} ms'),
    1,
  );
  printFigure(
    'sensor change to three realtime events, the same',
    amount(median(beyond), '{} ms', 1),
    amount(median(reference), 'two synced commits on this disk {} ms', 1),
    null,
  );
}
