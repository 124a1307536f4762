/** Two clouds behind the load balancer as it is shipped, restarted in turn: who asks, sends and listens notices nothing. */
import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { findProgram } from '../../scripts/machines/find-programs.js';
import { sleep } from '../../shared/clock.js';
import { systemClock } from '../../shared/system-clock.js';
import { printsFaults } from '../faults/fault-table.js';
import { type CloudProcess, createProcessesWorld, type ProcessesWorld, sharesOf } from '../world/cloud-processes.js';
import { freePorts } from '../world/free-ports.js';
import { hasMosquitto } from '../world/mosquitto-server.js';
import { hasPostgres } from '../world/postgres-databases.js';
import { listenRealtime } from '../world/realtime-listener.js';
import { endServer } from '../world/server-program.js';
import { TEST_SITE } from '../world/site.js';
import { waitUntil } from '../../scripts/sim/wait-until.js';

/** Of the project, from dist/test/deep/. */
const MACHINES = fileURLToPath(new URL('../../../scripts/machines/', import.meta.url));
const READERS = 3;
/** Between two requests of one caller: the machine is to do more than answer. */
const PAUSE_MS = 50;
const haproxy = findProgram('haproxy');

/** What the recipe for containers gives each cloud; a test of the recipes says that the others give the same. */
function shippedStopDelay(): string {
  const compose = parse(readFileSync(`${MACHINES}compose.yaml`, 'utf8'), { merge: true }) as {
    services: Record<string, { environment: Record<string, string> }>;
  };
  return compose.services['cloud-1']?.environment['STOP_DELAY_MS'] ?? '';
}

/** Asks all the time, and notes what went wrong. */
function startLoad(url: string) {
  const life = new AbortController();
  const failures: string[] = [];
  const made: string[] = [];
  let answers = 0;

  async function ask(method: 'GET' | 'POST', path: string, posted?: { key: string; json: unknown }) {
    const headers = { authorization: `Bearer ${TEST_SITE.apiToken}` };
    const sent =
      posted === undefined
        ? { headers }
        : {
            headers: { ...headers, 'content-type': 'application/json', 'idempotency-key': posted.key },
            body: JSON.stringify(posted.json),
          };
    try {
      const response = await fetch(`${url}${path}`, { method, ...sent });
      const text = await response.text();
      answers += 1;
      if (!response.ok) failures.push(`${method} ${path}: ${response.status} ${text.slice(0, 300)}`);
      return response.ok;
    } catch (error) {
      failures.push(`${method} ${path}: ${String(error)} ${String((error as { cause?: unknown }).cause)}`);
      return false;
    } finally {
      await sleep(systemClock, PAUSE_MS);
    }
  }
  async function read(): Promise<void> {
    while (!life.signal.aborted) await ask('GET', '/v2/lots');
  }
  async function write(): Promise<void> {
    for (let number = 1; !life.signal.aborted; number++) {
      const name = `Member ${number}`;
      const json = { name, license_plate: `ZG${String(number).padStart(5, '0')}` };
      if (await ask('POST', '/v2/members', { key: `rolling-${number}`, json })) made.push(name);
    }
  }
  const loops = [...Array.from({ length: READERS }, read), write()];
  return {
    failures,
    made,
    answers: () => answers,
    async stop() {
      life.abort();
      await Promise.all(loops);
    },
  };
}

describe.runIf(hasPostgres() && hasMosquitto() && haproxy !== null)('two clouds behind a load balancer', () => {
  const faults = printsFaults('Faults of a load balancer’s clouds');
  let processes: ProcessesWorld;
  let second: CloudProcess;
  let balancer: ChildProcess | undefined;
  let url: string;
  let load: ReturnType<typeof startLoad> | undefined;
  beforeAll(async () => {
    processes = await createProcessesWorld({ cloudEnv: { STOP_DELAY_MS: shippedStopDelay() } });
    second = await processes.start();
    await processes.world.settled();
    const [http, mqtt, terminals] = await freePorts(3);
    url = `http://127.0.0.1:${http}`;
    const broker = `127.0.0.1:${processes.mosquitto.port}`;
    const env = {
      HTTP_LISTEN: `127.0.0.1:${http}`,
      MQTT_LISTEN: `127.0.0.1:${mqtt}`,
      TERMINAL_LISTEN: `127.0.0.1:${terminals}`,
      CLOUD_1: new URL(processes.world.cloudUrl).host,
      CLOUD_2: new URL(second.url).host,
      CLOUD_TERMINALS_1: broker,
      CLOUD_TERMINALS_2: broker,
      ...Object.fromEntries([1, 2, 3].map((number) => [`NATS_${number}`, broker])),
    };
    balancer = spawn(haproxy ?? '', ['-db', '-f', `${MACHINES}haproxy.cfg`], { env, stdio: 'ignore' });
    await waitUntil('the load balancer', async () => (await fetch(`${url}/readyz`)).ok);
  });
  afterAll(async () => {
    await load?.stop();
    await endServer(balancer, 'SIGTERM');
    await processes?.close();
  });

  it('are restarted in turn: no request fails, none is done twice, and no event is missed', async () => {
    const saw = faults.row('two clouds restarted in turn', 'no request fails, no event is lost or heard twice');
    const cursor = async () => {
      const [row] = await processes.ask<{ seq: number }>('select max(seq)::int as seq from journal_heads');
      return row?.seq ?? 0;
    };
    const listener = await listenRealtime(url, TEST_SITE.apiToken);
    const from = await cursor();
    const asking = (load = startLoad(url));
    const answered = async (count: number) => {
      const before = asking.answers();
      await waitUntil('answers', () => asking.answers() >= before + count);
    };
    const plates: string[] = [];
    const read = async () => {
      const plate = `ZG${String(plates.length).padStart(3, '0')}RR`;
      plates.push(plate);
      await processes.world.arrive(plate);
    };
    const shared = () => waitUntil('each to have its share', async () => `${await sharesOf(processes)}` === '32,32');

    await answered(20);
    await read();
    const firstStops = processes.world.stopCloud();
    await read();
    await firstStops;
    await read();
    await processes.world.startCloud();
    await shared();
    await answered(20);
    const port = new URL(second.url).port;
    const secondStops = second.program.end();
    await read();
    await secondStops;
    await read();
    second = await processes.start({ PORT: port });
    await shared();
    await read();
    await answered(20);
    await asking.stop();

    expect(asking.failures).toEqual([]);
    await processes.world.settled();
    const readPlates = await processes.ask<{ plate: string }>('select plate from plate_readings order by plate');
    expect(readPlates.map(({ plate }) => plate)).toEqual(plates);
    const members = await processes.ask<{ name: string }>("select name from members where name like 'Member %'");
    expect(members.map(({ name }) => name).toSorted()).toEqual(asking.made.toSorted());
    const to = await cursor();
    const ids = () => listener.heard.flatMap(({ id }) => (id === null || Number(id) <= from ? [] : [Number(id)]));
    await waitUntil('the last event', () => ids().includes(to));
    const wanted = Array.from({ length: to - from }, (_, index) => from + 1 + index);
    expect(ids().filter((id) => id <= to)).toEqual(wanted);
    const connections = listener.of('authorized').length;
    await listener.close();
    saw(
      `${asking.answers()} requests answered, ${asking.made.length} of them creations; ${wanted.length} events heard once each over ${connections} connections`,
    );
  });
});
