/** The package as users get it: small, typed, without anything that only Node has. */
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { runInNewContext } from 'node:vm';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { generateWebhookSecret, signWebhook } from '../../../cloud/doors/webhook/signature.js';
import type * as client from '../../../shared/client/index.js';
import { OWNER_TOKEN } from '../http/rest-world.js';
import { type ClientWorld, startClientWorld } from './client-world.js';

const root = fileURLToPath(new URL('../../../..', import.meta.url));
const PACKAGE = join(root, 'dist/client');
const GZIPPED_MAX = 10 * 1024;

const bundle = () => readFileSync(join(PACKAGE, 'index.js'), 'utf8');

describe('the package', () => {
  let world: ClientWorld;
  const directory = mkdtempSync(join(root, 'dist', 'client-snippets-'));
  beforeAll(async () => {
    world = await startClientWorld();
  });
  afterAll(async () => {
    rmSync(directory, { recursive: true });
    await world.cloud.close();
  });

  it('is small, and names nothing that it would have to load', () => {
    expect(gzipSync(bundle(), { level: 9 }).length).toBeLessThan(GZIPPED_MAX);
    expect(bundle()).not.toMatch(/\bimport\b|\brequire\b|\bprocess\b|\bBuffer\b|node:/);
    const { dependencies, version, files } = JSON.parse(readFileSync(join(PACKAGE, 'package.json'), 'utf8')) as Record<
      string,
      unknown
    >;
    const project = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as Record<string, unknown>;
    expect({ dependencies, version, files }).toEqual({
      dependencies: undefined,
      version: project.version,
      files: ['index.js', 'types'],
    });
  });

  it('works where there are only the interfaces of the web', async () => {
    const { createClient, verifyWebhook } = loadWithGlobals(WEB_GLOBALS);
    const service = createClient({ baseUrl: world.cloud.base, token: OWNER_TOKEN });
    const names: unknown[] = [];
    for await (const lot of service.list('/v2/lots', { query: { size: 1 } }))
      names.push((lot as { name: string }).name);
    expect(names).toContain('East');
    await expect(service.get('/v2/lots/{id}', { path: { id: 999_999 } })).rejects.toMatchObject({ status: 404 });

    const opened = service.openAndWait(world.product);
    await expect.poll(() => world.cloud.commandParts.sent).toHaveLength(1);
    await world.answerCommand(null);
    expect(await opened).toMatchObject({ eventId: world.cloud.commandParts.sent[0]?.message.event_id });

    const secret = generateWebhookSecret();
    const body = '{"type":"gateway_status","timestamp":"2026-03-02T08:15:30.000Z","data":{}}';
    const timestampS = Math.floor(Date.now() / 1000);
    const signature = signWebhook(secret, { id: '1', timestampS, body });
    const headers = { 'webhook-id': '1', 'webhook-timestamp': String(timestampS), 'webhook-signature': signature };
    expect(await verifyWebhook({ secret, headers, body })).toMatchObject({ type: 'gateway_status' });
    await expect(verifyWebhook({ secret, headers, body: '{}' })).rejects.toThrow('No signature');
  });

  it('says in every snippet of its README what compiles strictly, with its own types alone', async () => {
    writeFileSync(join(directory, 'snippets.ts'), snippetsOfReadme());
    const compilerOptions = {
      target: 'ES2023',
      module: 'NodeNext',
      lib: ['ES2023', 'DOM', 'DOM.Iterable', 'DOM.AsyncIterable'],
      types: [],
      strict: true,
      exactOptionalPropertyTypes: true,
      noUncheckedIndexedAccess: true,
      skipLibCheck: false,
      paths: { '@parking-gateway/client': ['../client/types/client/index.d.ts'], ws: ['./ws.d.ts'] },
    };
    // The types of `ws` need those of Node.
    writeFileSync(
      join(directory, 'ws.d.ts'),
      'declare const Implementation: typeof WebSocket; export { Implementation as WebSocket };',
    );
    writeFileSync(join(directory, 'package.json'), '{"type":"module"}');
    writeFileSync(join(directory, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['snippets.ts'] }));
    const tsc = promisify(execFile)(join(root, 'node_modules/.bin/tsc'), ['-p', directory]);
    expect((await tsc.catch((error: { stdout: string }) => error)).stdout).toBe('');
  });
});

/** What browsers, Node and other runtimes have alike. */
const WEB_GLOBALS = {
  fetch,
  Headers,
  URL,
  URLSearchParams,
  AbortController,
  AbortSignal,
  TextEncoder,
  WebSocket,
  atob,
  crypto,
  performance,
  setTimeout,
  clearTimeout,
};

/** Runs the bundle where nothing else is known, and gives what it exports. */
function loadWithGlobals(globals: object): typeof client {
  const script = bundle().replace(/export\s*\{([^}]*)\};?\s*$/, (_all, names: string) => {
    const pairs = names.split(',').map((each) => each.trim().split(' as '));
    return `;({${pairs.map(([own, name = own]) => `${name}:${own}`).join(',')}})`;
  });
  return runInNewContext(script, globals) as typeof client;
}

/** One program of all snippets of TypeScript, each in a block of its own behind the first one, which makes the client. */
function snippetsOfReadme(): string {
  const readme = readFileSync(join(PACKAGE, 'README.md'), 'utf8');
  const snippets = [...readme.matchAll(/```ts\n(.*?)```/gs)].map(([, text = '']) => text);
  expect(snippets.length).toBeGreaterThan(6);
  const isImport = (line: string) => line.startsWith('import ');
  const imports = new Set(snippets.flatMap((text) => text.split('\n').filter(isImport)));
  const [first = '', ...others] = snippets.map((text) =>
    text
      .split('\n')
      .filter((line) => !isImport(line))
      .join('\n')
      .replaceAll('export async', 'async'),
  );
  return [...imports, first, ...others.map((text) => `{${text}}`)].join('\n');
}
