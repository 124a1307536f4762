/** A client that a public generator makes of the served document compiles under strict TypeScript and works against the service. */
import { execFile } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { fetchChecked } from '../contract/checked-fetch.js';
import { fetchDocument } from '../contract/openapi-document.js';
import { PASSWORD } from '../integration/http/http-site.js';
import { createEverything, seeProduct, type Things, sendAs, servedIn } from '../integration/http/rest-everything.js';
import { OWNER_TOKEN, type RestWorld, startRestWorld } from '../integration/http/rest-world.js';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const run = (command: string, ...args: string[]) =>
  promisify(execFile)(join(root, 'node_modules/.bin', command), args, { cwd: root });

/** In the project, where the generated client finds the packages that it uses. */
const directory = mkdtempSync(join(root, 'dist', 'generated-client-'));
let world: RestWorld;
let things: Things;

beforeAll(async () => {
  world = await startRestWorld();
  const { paths } = await fetchDocument(world.cloud.base);
  things = await createEverything(sendAs(world.cloud, OWNER_TOKEN), servedIn(paths));
  await seeProduct(world, things);
});
afterAll(async () => {
  await world.cloud.close();
  rmSync(directory, { recursive: true });
});

it('creates, lists, misses, opens and is refused by the words of the document', async () => {
  const document = join(directory, 'openapi.json');
  writeFileSync(document, await (await fetch(`${world.cloud.base}/openapi.json`)).text());
  cpSync(join(root, 'test/generated-client/program'), directory, { recursive: true });
  await run('oazapfts', document, join(directory, 'client.ts'), '--argumentStyle=object', '--useUnknown');
  const compiled = await run('tsc', '-p', join(directory, 'tsconfig.json')).catch((error: { stdout: string }) => error);
  expect(compiled.stdout).toBe('');

  const { runProgram } = (await import(pathToFileURL(join(directory, 'program.js')).href)) as {
    runProgram: (service: object, about: object) => Promise<unknown>;
  };
  const outcome = await runProgram(
    { baseUrl: world.cloud.base, fetch: fetchChecked },
    {
      email: 'owner@harbour.example',
      password: PASSWORD,
      productId: things.get('/v2/products'),
      sessionId: things.get('/v2/sessions'),
    },
  );
  expect(outcome).toEqual({
    lotNames: ['Generated'],
    total: 1,
    missing: { status: 404, codes: [6] },
    refusedFields: ['name'],
    command: { operation: 'open', status: 'pending' },
    weblinkUrl: expect.stringContaining(world.cloud.base),
    plates: ['KA 100'],
  });
});
