/** The cloud's REST interface over the benchmark's database, in its own process. It answers with its memory when asked. */
import { startCloudWorld } from '../integration/http/http-world.js';
import { BENCH_NOW_MS } from './session-rows.js';

const cloud = await startCloudWorld({ directory: process.argv[2] ?? '' });
cloud.clock.jumpWall(BENCH_NOW_MS - cloud.clock.now());
process.send?.({ port: cloud.server.port });
process.on('message', () => process.send?.({ rssMb: process.memoryUsage().rss / 1024 / 1024 }));
process.once('disconnect', () => void cloud.close().then(() => process.exit(0)));
