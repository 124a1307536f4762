import { Hono } from 'hono';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createLogsRoute, createQueueRoute } from '../../../agent/console/local-routes.js';
import { type LocalServer, startLocalServer } from '../../../agent/console/local-server.js';
import { type LogsOptions, showLogs } from '../../../agent/console/logs-command.js';
import { createLogRing, type LogRing } from '../../../agent/health/log-ring.js';
import type { QueueChoice, QueueView } from '../../../agent/health/queue.js';
import { waitUntil } from '../../../scripts/sim/wait-until.js';
import { systemClock } from '../../../shared/system-clock.js';

const NOW = Date.UTC(2026, 0, 15, 12);
const EMPTY: QueueView = {
  cloud: { url: null, connected: false, since: null },
  acknowledged_ago_s: null,
  fault: null,
  lanes: [],
};

let ring: LogRing;
let asked: QueueChoice[];
let server: LocalServer;
let stop: AbortController;
let written: string[];

const log = (message: string, level = 30, at = NOW) =>
  ring.write(`${JSON.stringify({ level, time: at, msg: message })}\n`);

beforeEach(async () => {
  ring = createLogRing({ id: 'first' });
  asked = [];
  stop = new AbortController();
  written = [];
  const app = new Hono();
  // As if the program were started anew, another ring takes its place.
  app.all('/logs', (context) => createLogsRoute(ring).fetch(context.req.raw, context.env));
  app.route(
    '/',
    createQueueRoute(async (choice) => {
      asked.push(choice);
      return EMPTY;
    }),
  );
  server = await startLocalServer({ app, host: '127.0.0.1', port: 0 });
});
afterEach(async () => {
  stop.abort();
  await server.close();
});

const show = (options: Partial<LogsOptions>) =>
  showLogs(
    { httpHost: '127.0.0.1', httpPort: server.port },
    { lines: '100', ...options },
    {
      output: {
        isTerminal: false,
        width: Infinity,
        height: Infinity,
        write: (text) => void written.push(text),
        note: () => {},
        isRead: async () => true,
      },
      clock: { ...systemClock, now: () => NOW },
      signal: stop.signal,
    },
  );

describe('parking-agent logs', () => {
  it('prints the newest lines, by level, count and time', async () => {
    log('old', 30, NOW - 3_600_000);
    log('one');
    log('two', 40);
    await show({});
    expect(written.splice(0)).toEqual([
      '2026-01-15T11:00:00.000Z INFO  old\n',
      '2026-01-15T12:00:00.000Z INFO  one\n',
      '2026-01-15T12:00:00.000Z WARN  two\n',
    ]);
    await show({ level: 'warn' });
    expect(written.splice(0)).toEqual(['2026-01-15T12:00:00.000Z WARN  two\n']);
    await show({ since: '10m', lines: '1', json: true });
    expect(JSON.parse(written.splice(0).join(''))).toMatchObject([{ seq: 3, level: 'warn', message: 'two' }]);
    await show({ since: '2026-01-15T11:30:00Z' });
    expect(written).toHaveLength(2);
  });

  it.each([
    [{ level: 'loud' }, '--level: loud; allowed: debug, info, warn, error'],
    [{ lines: 'many' }, '--lines: many; allowed: a whole number, at most 10000'],
    [{ lines: '10001' }, '--lines: 10001; allowed: a whole number, at most 10000'],
    [{ since: 'yesterday' }, '--since: yesterday; allowed: 30s, 10m, 2h, 1d, or a time like 2026-01-31T06:00:00Z'],
    [{ since: '10' }, '--since: 10; allowed: 30s, 10m, 2h, 1d, or a time like 2026-01-31T06:00:00Z'],
  ])('refuses %j', async (options, message) => {
    await expect(show(options)).rejects.toThrow(message);
  });

  it('follows the log, each line once, also over a new start of the gateway', async () => {
    log('one');
    const running = show({ follow: true, json: true });
    const messages = () => written.map((text) => (JSON.parse(text) as { message: string }).message);
    await waitUntil('the first line', () => messages().length === 1);
    log('two');
    await waitUntil('the next line', () => messages().length === 2);
    ring = createLogRing({ id: 'second' });
    log('three');
    await waitUntil('the line of the next start', () => messages().length === 3);
    stop.abort();
    await running;
    expect(messages()).toEqual(['one', 'two', 'three']);
  });
});

describe('the routes of logs and queue', () => {
  it.each(['/logs', '/queue'])('%s is nothing at all to the network, and to a proxy on the device', async (path) => {
    const app = new Hono();
    app.route('/', createLogsRoute(ring));
    app.route(
      '/',
      createQueueRoute(async () => EMPTY),
    );
    const statusFor = async (remoteAddress: string, headers: Record<string, string> = {}) =>
      (await app.request(path, { headers }, { incoming: { socket: { remoteAddress } } })).status;
    expect(await statusFor('127.0.0.1')).toBe(200);
    expect(await statusFor('192.168.1.20')).toBe(404);
    expect(await statusFor('127.0.0.1', { 'x-forwarded-for': '203.0.113.7' })).toBe(404);
    expect(await statusFor('127.0.0.1', { host: 'evil.example' })).toBe(404);
  });

  it('name what is wrong with a query', async () => {
    const ask = async (path: string) => {
      const response = await fetch(`http://127.0.0.1:${server.port}${path}`);
      return [response.status, ((await response.json()) as { fault?: string }).fault ?? null];
    };
    expect(await ask('/queue?list=20&plates=true')).toEqual([200, null]);
    expect(asked).toEqual([{ listed: 20, plates: true }]);
    expect(await ask('/queue?list=1001')).toEqual([422, expect.stringContaining('list')]);
    expect(await ask('/logs?lines=10001')).toEqual([422, expect.stringContaining('lines')]);
    expect(await ask('/logs?level=loud')).toEqual([422, expect.stringContaining('level')]);
  });
});
