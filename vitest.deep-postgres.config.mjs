import { join } from 'node:path';
import postgres from './vitest.postgres.config.mjs';

/**
 * What of the tests that have a database the deep tier repeats on PostgreSQL: the rooms that write in a way of their own, by locks, queues,
 * cursors or statements that differ between databases, and what every answer is held to. Only in `npm run test:postgres` are
 *
 * - of the rooms: api-token, audit, broker, cli, client, console, demo, double, peers and tls, which reach the database through the rooms here,
 *   or not at all;
 * - of `http` what is not named below: what is the same on every database, such as headers, forms and documents;
 * - what starts programs or a browser (`browser`, `deep`, `generated-client`), faults of a database, and all that is `.deep`;
 * - `unit`: what reads a site file or a command line, and asks the database nothing that the rooms do not.
 *
 * The stories are in `npm test`, on both.
 */
const ROOMS = [
  'store',
  'list',
  'session',
  'zone',
  'lot',
  'account',
  'key',
  'alert',
  'mail',
  'webhook',
  'weblink',
  'realtime',
  'ingest',
  'gateway',
  'configuration',
  'command',
  'product',
  'terminal',
  'auth',
  'access',
  'camera',
  'display',
  'pairing',
  'plan',
  'reading',
  'sensor',
];
/** Requests that race each other for the same rows. */
const RACES = ['http/races', 'http/record-versions'];
const PARTS = [...ROOMS.map((room) => join(room, '/')), ...RACES.map((name) => `${name}.test.js`)];
const INTEGRATION = join('dist', 'test', 'integration');
const CONTRACT = join('dist', 'test', 'contract', '/');
const isPart = (path) => path.startsWith(CONTRACT) || PARTS.some((part) => path.startsWith(join(INTEGRATION, part)));

postgres.test.include = postgres.test.include.filter((path) => isPart(path) && !path.endsWith('.deep.test.js'));

export default postgres;
