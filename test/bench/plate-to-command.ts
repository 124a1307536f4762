/**
 * From a camera's push to the command to the product, against a bare HTTP look-up of the same plate among 50,000. Camera, gateway
 * and look-up are separate processes; gateway and look-up run in turn, so that changes of the machine affect both.
 */
import { fork } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createVehiclePictures } from '../sim/cameras/vehicle-pictures.js';
import { entryCamera } from '../sim/cameras/entry-camera.js';
import { hikvisionCamera } from '../sim/cameras/hikvision-camera.js';
import { printFigure, quantile } from './figure.js';
import { KNOWN_PLATES, knownPlate } from './known-plates.js';

const WARM_UP = 300;
const PAIRS = 2_000;
const keepAlive = new Agent({ keepAlive: true, maxSockets: 1 });

interface Server {
  port: number;
  /** The moment at which the next command is issued, in nanoseconds of the machine's monotonic clock. */
  nextIssued(): Promise<bigint>;
  end(): void;
}

function startServer(file: string, args: string[] = []): Promise<Server> {
  const child = fork(new URL(file, import.meta.url), args, { execArgv: ['--max-old-space-size=256'] });
  let onIssued: (issuedNs: bigint) => void = () => {};
  return new Promise((resolve, reject) => {
    child.once('exit', (code) => reject(new Error(`${file} ended with ${code}`)));
    child.on('message', (message: { port?: number; issuedNs?: string }) => {
      if (message.issuedNs !== undefined) onIssued(BigInt(message.issuedNs));
      if (message.port === undefined) return;
      resolve({
        port: message.port,
        nextIssued: () => new Promise((resolveIssued) => (onIssued = resolveIssued)),
        end: () => child.disconnect(),
      });
    });
  });
}

function send(options: {
  port: number;
  method: string;
  path: string;
  body?: Buffer;
  contentType?: string;
}): Promise<number> {
  const { port, method, path, body, contentType } = options;
  return new Promise((resolve, reject) => {
    const headers = body === undefined ? {} : { 'content-type': contentType ?? '', 'content-length': body.length };
    const outgoing = request({ host: '127.0.0.1', port, method, path, headers, agent: keepAlive }, (response) => {
      response.resume();
      response.once('end', () => resolve(response.statusCode ?? 0));
    });
    outgoing.once('error', reject);
    outgoing.end(body);
  });
}

const milliseconds = (ns: bigint): number => Number(ns) / 1e6;

/** Runs the benchmark. */
export async function benchPlateToCommand(): Promise<void> {
  const dataDir = mkdtempSync(join(tmpdir(), 'parking-bench-'));
  const [gateway, lookup] = await Promise.all([
    startServer('./plate-agent.js', [dataDir]),
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
    keepAlive.destroy();
    rmSync(dataDir, { recursive: true, force: true });
  }
  for (const [name, share, reach] of [
    ['p50', 0.5, 1.5],
    ['p99', 0.99, 3],
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
