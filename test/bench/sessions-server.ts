/** The cloud's REST interface over the benchmark's database, in its own process. It answers with its memory when asked. */
import { startCloudWorld } from '../integration/http/http-world.js';
import { serveParent } from './harness.js';
import { BENCH_NOW_MS } from './session-rows.js';

const cloud = await startCloudWorld({ directory: process.argv[2] ?? '' });
cloud.clock.jumpWall(BENCH_NOW_MS - cloud.clock.now());
serveParent(
  { port: cloud.server.port },
  { answer: () => process.memoryUsage().rss / 1024 / 1024, end: () => cloud.close() },
);
