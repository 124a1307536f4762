/** What public generators make of the served document compiles under strict TypeScript, and has names that people can read. */
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startCloudWorld } from '../integration/http/http-world.js';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const run = (command: string, ...args: string[]) =>
  promisify(execFile)(join(root, 'node_modules/.bin', command), args, { cwd: root });

const directory = mkdtempSync(join(root, 'dist', 'generated-clients-'));
const document = join(directory, 'openapi.json');

beforeAll(async () => {
  const cloud = await startCloudWorld();
  writeFileSync(document, await (await fetch(`${cloud.base}/openapi.json`)).text());
  await cloud.close();
});
afterAll(() => rmSync(directory, { recursive: true }));

/** Each with a program that uses what it generates by the names of the document. */
const GENERATORS = [
  {
    name: 'openapi-typescript',
    generate: () => run('openapi-typescript', document, '--output', join(directory, 'openapi-typescript.ts')),
    program: `
      import type { components, operations, paths } from './openapi-typescript.js';
      export const lot = (made: components['schemas']['Lot']): number => made.id;
      export const asked: operations['operateProduct']['requestBody']['content']['application/json'] = { operation: 'open' };
      type Listed = paths['/v2/sessions']['get']['responses'][200]['content']['application/json'];
      export const plates = ({ data }: Listed) => data.map(({ entry_license_plate }) => entry_license_plate?.plate);
      const kind: components['schemas']['BarrierBlock']['is_autoclose'] = 1;
      export const flag: 0 | 1 = kind;`,
  },
  {
    name: 'swagger-typescript-api',
    generate: () =>
      run('swagger-typescript-api', 'generate', '--path', document, '--output', directory, '--name', 'swagger.ts'),
    program: `
      import { Api, type Lot } from './swagger.js';
      const service = new Api({ baseUrl: 'https://parking.example' });
      export const open = async (id: string): Promise<string> =>
        (await service.v2.operateProduct(id, { operation: 'open' })).data.data.event_id;
      export const lots = async (): Promise<Lot[]> => (await service.v2.listLots({ size: 50 })).data.data;`,
  },
];

it.each(GENERATORS)('$name', async ({ name, generate, program }) => {
  await generate();
  writeFileSync(join(directory, `${name}-program.ts`), program);
  const config = join(directory, `${name}.json`);
  const extended = { extends: join(root, 'test/generated-client/program/tsconfig.json') };
  const compilerOptions = { noEmit: true, noUnusedLocals: false, noUnusedParameters: false };
  writeFileSync(config, JSON.stringify({ ...extended, compilerOptions, include: [`${name}-program.ts`] }));
  const compiled = await run('tsc', '-p', config).catch((error: { stdout: string }) => error);
  expect(compiled.stdout).toBe('');
});
