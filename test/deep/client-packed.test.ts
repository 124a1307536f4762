/** What `npm pack` makes of the client, installed in an empty folder without a registry, works against the service. */
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type ClientWorld, startClientWorld } from '../integration/client/client-world.js';
import { OWNER_TOKEN } from '../integration/http/rest-world.js';

const PACKAGE = fileURLToPath(new URL('../../client', import.meta.url));
const directory = mkdtempSync(join(tmpdir(), 'client-packed-'));
const run = (command: string, ...args: string[]) => promisify(execFile)(command, args, { cwd: directory });

const PROGRAM = `
import { createClient, ParkingError } from '@parking-gateway/client';
const [baseUrl, token, product] = process.argv.slice(2);
const client = createClient({ baseUrl, token });
const { id } = await client.post('/v2/members', { body: { name: 'Packed' } });
const missing = await client.get('/v2/lots/{id}', { path: { id: 999999 } }).catch((error) => error);
const { heardBy } = await client.openAndWait(Number(product));
process.stdout.write(JSON.stringify({ id, isKnown: missing instanceof ParkingError, heardBy }));
`;

let world: ClientWorld;
beforeAll(async () => {
  world = await startClientWorld();
});
afterAll(async () => {
  rmSync(directory, { recursive: true });
  await world.cloud.close();
});

it('installs from its file alone, and works', async () => {
  const packed = JSON.parse((await run('npm', 'pack', PACKAGE, '--json')).stdout) as {
    filename: string;
    files: { path: string }[];
  }[];
  const [{ filename, files } = { filename: '', files: [] }] = packed;
  expect(files.map(({ path }) => path)).toEqual(
    expect.arrayContaining(['README.md', 'index.js', 'package.json', 'types/client/index.d.ts']),
  );
  writeFileSync(join(directory, 'package.json'), '{"private":true,"type":"module"}');
  await run('npm', 'install', '--offline', '--no-audit', '--no-fund', `./${filename}`);
  writeFileSync(join(directory, 'program.js'), PROGRAM);
  const done = run(process.execPath, 'program.js', world.cloud.base, OWNER_TOKEN, String(world.product));
  await expect.poll(() => world.cloud.commandParts.sent).toHaveLength(1);
  await world.answerCommand(null);
  expect(JSON.parse((await done).stdout)).toEqual({ id: expect.any(Number), isKnown: true, heardBy: 'poll' });
});
