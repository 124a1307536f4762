/** Three honest users of one world, who go on all the time: a command, a camera's push, a list. Each answer is timed. */
import { randomUUID } from 'node:crypto';
import { WebSocket } from 'ws';
import { createRealtimeClient } from '../../shared/client/realtime-client.js';
import { systemClock } from '../../shared/system-clock.js';
import { pushUrl } from '../../scripts/sim/cameras/post-event.js';
import { entryCamera } from '../world/entry-camera.js';
import { hikvisionCamera } from '../../scripts/sim/cameras/hikvision-camera.js';
import { createVehiclePictures } from '../../scripts/sim/cameras/vehicle-pictures.js';
import { TEST_SITE } from '../world/site.js';
import { waitUntil } from '../../scripts/sim/wait-until.js';
import type { World } from '../world/world.js';
import { atRate } from '../attack/attack.js';
import { ask } from './harness.js';

export const HONEST_KINDS = ['command', 'push', 'list'] as const;
export type HonestKind = (typeof HONEST_KINDS)[number];

/** The duration of each answer, in milliseconds; `ANSWER_MAX_MS` if it did not come, or was no success. */
export type Samples = Record<HonestKind, number[]>;

export interface HonestUsers {
  /** All three go on until `until` is true. @returns the answers of this time, and why some of them were no success */
  work(until: (samples: Samples) => boolean): Promise<{ samples: Samples; failures: Map<string, number> }>;
  close(): void;
}

/** Nobody waits longer. */
export const ANSWER_MAX_MS = 10_000;
const LISTS_PER_S = 50;
const PUSHES_PER_S = 10;
/** So that the command's token keeps to the service's limit of 600 a minute. */
const COMMANDS_PER_S = 8;
/** Tokens that share the lists, for the same reason. */
const LIST_TOKENS = 8;
/** Of the world, which is made new for each run. */
const BARRIER_ID = 1;

export async function startHonestUsers(world: World): Promise<HonestUsers> {
  const tokens = await createTokens(world);
  const heard = new Map<string, () => void>();
  const realtime = createRealtimeClient({
    url: new URL('/v2/realtime', world.cloudUrl.replace(/^http/, 'ws')).href,
    token: TEST_SITE.apiToken,
    WebSocket,
    clock: systemClock,
    random: () => 0.02,
    onEvent({ event, payload }) {
      if (event === 'lot_change' || event === 'gateway_error') heard.get(String(payload.event_id))?.();
    },
    onResync() {},
    onState() {},
  });
  const camera = entryCamera({ device_id: TEST_SITE.exitCamera, push_key: 'exit-push-key', lpr_position: 'out' });
  const pictures = await createVehiclePictures()('RI100AA', undefined);

  async function command(signal: AbortSignal): Promise<string> {
    const body = JSON.stringify({ operation: 'open' });
    const answer = await ask(`${world.cloudUrl}/v2/products/${BARRIER_ID}/state`, {
      bearer: TEST_SITE.apiToken,
      body,
      signal,
    });
    const { event_id } = (answer.status === 200 ? JSON.parse(answer.text).data : {}) as { event_id?: string };
    if (event_id === undefined) return `answered ${answer.status}`;
    await new Promise<void>((resolve) => {
      heard.set(event_id, resolve);
      signal.addEventListener('abort', () => resolve());
    });
    heard.delete(event_id);
    return signal.aborted ? 'no result' : 'ok';
  }
  async function push(signal: AbortSignal): Promise<string> {
    const event = { uuid: randomUUID(), wallMs: Date.now(), read: { plate: `H${randomUUID().slice(0, 7)}` }, pictures };
    const { contentType, body } = hikvisionCamera.encode(camera, event, false);
    // The camera is answered when its read is stored.
    const answer = await ask(pushUrl(world.agentUrl, camera), { contentType, body, signal });
    return answer.status === 200 ? 'ok' : `answered ${answer.status}`;
  }
  let lists = 0;
  async function list(signal: AbortSignal): Promise<string> {
    const token = tokens[lists++ % tokens.length] ?? '';
    const answer = await ask(`${world.cloudUrl}/v2/lots`, { bearer: token, signal });
    return answer.status === 200 ? 'ok' : `answered ${answer.status}`;
  }

  await waitUntil('an honest command', async () => (await command(AbortSignal.timeout(ANSWER_MAX_MS))) === 'ok');
  return {
    async work(until) {
      const samples: Samples = { command: [], push: [], list: [] };
      const failures = new Map<string, number>();
      const over = new AbortController();
      const order = { from: '127.0.0.1', signal: over.signal };
      const timed = async (kind: HonestKind, run: (signal: AbortSignal) => Promise<string>) => {
        const startedMs = performance.now();
        const outcome = await run(AbortSignal.timeout(ANSWER_MAX_MS)).catch((error: Error) => error.name);
        const tookMs = performance.now() - startedMs;
        samples[kind].push(outcome === 'ok' ? tookMs : ANSWER_MAX_MS);
        if (outcome !== 'ok') failures.set(`${kind} ${outcome}`, (failures.get(`${kind} ${outcome}`) ?? 0) + 1);
        if (until(samples)) over.abort();
      };
      await Promise.all([
        // The next command would wait for the product, which does one thing at a time.
        atRate({ perSecond: COMMANDS_PER_S, inFlightMax: 1 }, order, () => timed('command', command)),
        atRate({ perSecond: PUSHES_PER_S }, order, () => timed('push', push)),
        atRate({ perSecond: LISTS_PER_S }, order, () => timed('list', list)),
      ]);
      return { samples, failures };
    },
    close: () => realtime.close(),
  };
}

/** A Super Admin makes a token for each of so many programs. */
async function createTokens(world: World): Promise<string[]> {
  const credentials = { email: TEST_SITE.ownerEmail, password: TEST_SITE.ownerPassword };
  const login = await world.call<{ data: { token: string } }>('POST', '/v2/auth/login', { body: credentials });
  const tokens: string[] = [];
  for (let number = 0; number < LIST_TOKENS; number++) {
    const made = await world.call<{ data: { token: string } }>('POST', '/v2/api-tokens', {
      token: login.body.data.token,
      body: { name: `list ${number}` },
    });
    tokens.push(made.body.data.token);
  }
  return tokens;
}
