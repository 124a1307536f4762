/**
 * What guesses of the device's password cost the cameras: how long pushes take that open a barrier, with 100 guesses in each phase and with
 * none. The phases take turns, so that changes of the machine affect both. Guesses come from many addresses, so that as many as possible are
 * checked.
 */
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { createVehiclePictures } from '../../scripts/sim/cameras/vehicle-pictures.js';
import { hikvisionCamera } from '../../scripts/sim/cameras/hikvision-camera.js';
import { entryCamera } from '../world/entry-camera.js';
import { printFigure, quantile } from './figure.js';
import { KNOWN_PLATES, knownPlate } from './known-plates.js';
import { endConnections, milliseconds, send, startServer } from './plate-servers.js';

const WARM_UP = 200;
const PHASES = 8;
const PUSHES = 200;
const GUESSES = 100;
/** Between two pushes: twenty a second. */
const PAUSE_MS = 50;
const REACH = 1.2;

/** Runs the benchmark. */
export async function benchLocalConsoleGuesses(): Promise<void> {
  const dataDir = mkdtempSync(join(tmpdir(), 'parking-bench-'));
  const gateway = await startServer('./plate-agent.js', { args: [dataDir, 'apart', 'console'] });
  const camera = entryCamera({ device_id: 'cam' });
  const pictures = await createVehiclePictures()('ZG00000K', undefined);
  let pushed = 0;

  async function push(): Promise<number> {
    const plate = knownPlate(((pushed += 1) * 7_919) % KNOWN_PLATES);
    const vehicle = { uuid: randomUUID(), wallMs: Date.now(), read: { plate }, pictures };
    const encoded = hikvisionCamera.encode(camera, vehicle, false);
    const pushedNs = process.hrtime.bigint();
    const status = await send({ port: gateway.port, method: 'POST', path: '/lpr/hikvision/cam/key', ...encoded });
    if (status !== 200) throw new Error(`the gateway answered ${status}`);
    return milliseconds(process.hrtime.bigint() - pushedNs);
  }

  const times = { quiet: [] as number[], guessed: [] as number[] };
  const statuses = new Map<number, number>();
  try {
    for (let run = 0; run < WARM_UP; run++) await push();
    for (let phase = 0; phase < PHASES; phase++) {
      const kind = phase % 2 === 0 ? 'quiet' : 'guessed';
      const guesses: Promise<number>[] = [];
      for (let run = 0; run < PUSHES; run++) {
        if (kind === 'guessed' && run % (PUSHES / GUESSES) === 0) guesses.push(guess(gateway.port, run));
        times[kind].push(await push());
        await pause(PAUSE_MS);
      }
      for (const status of await Promise.all(guesses)) statuses.set(status, (statuses.get(status) ?? 0) + 1);
    }
  } finally {
    gateway.end();
    endConnections();
    rmSync(dataDir, { recursive: true, force: true });
  }
  const seen = [...statuses].map(([status, count]) => `${count} with ${status}`).join(', ');
  console.log(`guesses were answered: ${seen}`);
  const unexpected = [...statuses.keys()].filter((status) => status !== 401 && status !== 429);
  if (unexpected.length > 0 || (statuses.get(401) ?? 0) === 0) throw new Error('the guesses were no guesses');
  const [measured, reference] = [quantile(times.guessed, 0.99), quantile(times.quiet, 0.99)];
  printFigure({
    what: `plate push answered beside ${GUESSES} guesses of the password, p99`,
    measured: `${measured.toFixed(2)} ms`,
    reference: `none ${reference.toFixed(2)} ms`,
    ratio: measured / reference,
    reach: REACH,
  });
}

/** Returns the status of the answer. */
function guess(port: number, number: number): Promise<number> {
  const body = JSON.stringify({ password: randomUUID() });
  return new Promise((resolve, reject) => {
    const sent = request({
      host: '127.0.0.1',
      port,
      method: 'POST',
      path: '/api/session',
      localAddress: `127.0.0.${2 + (number % 200)}`,
      headers: { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) },
      agent: false,
    });
    sent.once('error', reject);
    sent.once('response', (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    });
    sent.end(body);
  });
}
