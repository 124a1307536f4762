/** The cloud's REST interface over the benchmark's database, a process of its own; tells its memory when asked. */
import { createAuthenticator } from '../../cloud/auth/authenticator.js';
import { createHttpApp } from '../../cloud/http/app.js';
import { startHttpServer } from '../../cloud/http/http-server.js';
import { createFileImageStore } from '../../cloud/images/file-image-store.js';
import { createImageLinks } from '../../cloud/images/image-links.js';
import { createRealtimeHub } from '../../cloud/realtime/realtime-hub.js';
import { CONNECTION_LIMITS } from '../../cloud/realtime/connection.js';
import { createRealtimeServer } from '../../cloud/realtime/ws-realtime-server.js';
import { createSecrets, hashToken } from '../../cloud/secrets/secrets.js';
import { createCloudStore } from '../../cloud/store/sqlite-store.js';
import { FakeClock } from '../sim/world/fake-clock.js';
import { BENCH_NOW_MS } from './session-rows.js';

const directory = process.argv[2] ?? '';
const clock = new FakeClock(BENCH_NOW_MS);
const logger = { debug() {}, info() {}, warn: console.warn, error: console.error };
const store = await createCloudStore({ url: `sqlite:${directory}/cloud.db`, clock, logger });
const secrets = createSecrets(new Uint8Array(32));
const BASE_URL = 'http://bench';
const imageLinks = createImageLinks({ derive: secrets.derive, baseUrl: () => BASE_URL, clock });
const authenticate = createAuthenticator({ store, hashToken });
const refuse = () => Promise.reject(new Error('not part of the benchmark'));
const app = createHttpApp({
  store,
  broker: { ready: true },
  images: createFileImageStore({ directory: `${directory}/images` }),
  imageLinks,
  authenticate,
  login: refuse,
  claimGateway: refuse,
  gateways: { configChanged() {}, disconnectGateway: refuse },
  secrets,
  baseUrl: () => BASE_URL,
  commands: { submit: refuse, releaseLot: refuse, clearRelease: refuse },
  productSeenWithinMs: 0,
  sessionChanges: { begin: refuse, update: refuse, close: refuse, pay: refuse },
  clock,
  logger,
  limits: { loginFailuresPerMin: 0, publicPerMin: 0 },
});
const hub = createRealtimeHub({ store, imageLinks, clock, logger, limits: CONNECTION_LIMITS });
const realtime = createRealtimeServer({ hub, authenticate, clock, logger });
const server = await startHttpServer({ app, realtime, host: '127.0.0.1', port: 0, clock });
process.send?.({ port: server.port });
process.on('message', () => process.send?.({ rssMb: process.memoryUsage().rss / 1024 / 1024 }));
process.once(
  'disconnect',
  () =>
    void server
      .close()
      .then(() => store.close())
      .then(() => process.exit(0)),
);
