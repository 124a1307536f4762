/**
 * From a camera's push to the command to the product, against a bare HTTP look-up of the same plate among 50,000. Camera, gateway
 * and look-up are separate processes; gateway and look-up run in turn, so that changes of the machine affect both.
 */
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createVehiclePictures } from '../../scripts/sim/cameras/vehicle-pictures.js';
import { entryCamera } from '../world/entry-camera.js';
import { hikvisionCamera } from '../../scripts/sim/cameras/hikvision-camera.js';
import { printFigure, quantile } from './figure.js';
import { KNOWN_PLATES, knownPlate } from './known-plates.js';
import { endConnections, milliseconds, send, startServer } from './plate-servers.js';

const WARM_UP = 300;
const PAIRS = 2_000;
/** Runs the benchmark. */
export async function benchPlateToCommand(): Promise<void> {
  const dataDir = mkdtempSync(join(tmpdir(), 'parking-bench-'));
  const [gateway, lookup] = await Promise.all([
    startServer('./plate-agent.js', { args: [dataDir, 'apart'] }),
    startServer('./lookup-server.js'),
  ]);
  const camera = entryCamera({ device_id: 'cam' });
  const pictures = await createVehiclePictures()('ZG00000K', undefined);
  const issued: number[] = [];
  const looked: number[] = [];
  try {
    for (let run = 0; run < WARM_UP + PAIRS; run++) {
      const plate = knownPlate((run * 7_919) % KNOWN_PLATES);
      const push = hikvisionCamera.encode(
        camera,
        { uuid: randomUUID(), wallMs: Date.now(), read: { plate }, pictures },
        false,
      );
      const nextIssued = gateway.nextIssued();
      const pushedNs = process.hrtime.bigint();
      const answered = send({ port: gateway.port, method: 'POST', path: '/lpr/hikvision/cam/key', ...push });
      const issuedMs = milliseconds((await nextIssued) - pushedNs);
      const status = await answered;
      if (status !== 200) throw new Error(`the gateway answered ${status}`);

      const askedNs = process.hrtime.bigint();
      await send({ port: lookup.port, method: 'GET', path: `/plates/${plate}` });
      const lookedMs = milliseconds(process.hrtime.bigint() - askedNs);
      if (run < WARM_UP) continue;
      issued.push(issuedMs);
      looked.push(lookedMs);
    }
  } finally {
    gateway.end();
    lookup.end();
    endConnections();
    rmSync(dataDir, { recursive: true, force: true });
  }
  for (const [name, share, reach] of [
    ['p50', 0.5, 1.3],
    ['p99', 0.99, 1.5],
  ] as const) {
    const measured = quantile(issued, share);
    const reference = quantile(looked, share);
    printFigure({
      what: `plate push received to product command issued, ${name}`,
      measured: `${measured.toFixed(2)} ms`,
      reference: `bare HTTP look-up ${reference.toFixed(2)} ms`,
      ratio: measured / reference,
      reach,
    });
  }
}
