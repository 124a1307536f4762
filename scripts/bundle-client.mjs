// Makes the npm package of shared/client in dist/client: one file without dependencies, and its types. Those of paths and events are
// generated from the documents that the compiled cloud serves, so that nobody keeps a list of them by hand.
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { spawnSync } from 'node:child_process';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import openapiTypescript from 'openapi-typescript';
import { build } from 'rolldown';
import { startCloud } from '../dist/cloud/cloud-process.js';
import { loadCloudConfig } from '../dist/cloud/config.js';
import { silentLogger } from '../dist/shared/logger.js';

const TARGET = 'dist/client';
const TYPES = join(TARGET, 'types');

rmSync(TARGET, { recursive: true, force: true });
mkdirSync(TYPES, { recursive: true });
await build({
  input: 'dist/shared/client/index.js',
  platform: 'neutral',
  logLevel: 'warn',
  output: { file: join(TARGET, 'index.js'), format: 'esm', minify: true, codeSplitting: false },
});
emitTypes();
const { openApi, asyncApi } = await fetchDocuments();
writeFileSync(join(TYPES, 'client/paths.d.ts'), await openapiTypescript(openApi));
writeFileSync(join(TYPES, 'events/event-schemas.d.ts'), await eventTypes(asyncApi));
removeUnreached();
cpSync('shared/client/README.md', join(TARGET, 'README.md'));
writePackage();

function emitTypes() {
  const config = join(TARGET, 'tsconfig.json');
  const compilerOptions = {
    declaration: true,
    emitDeclarationOnly: true,
    sourceMap: false,
    rootDir: '../../shared',
    outDir: 'types',
  };
  const files = ['../../shared/client/index.ts'];
  writeFileSync(config, JSON.stringify({ extends: '../../tsconfig.json', compilerOptions, include: [], files }));
  const { status, stdout } = spawnSync('node_modules/.bin/tsc', ['-p', config], { encoding: 'utf8' });
  rmSync(config);
  if (status !== 0) throw new Error(`the client's types: ${stdout}`);
}

/** From a cloud without any data, which listens on free ports of this machine. */
async function fetchDocuments() {
  const workingDirectory = mkdtempSync(join(tmpdir(), 'bundle-client-'));
  const listeners = { HOST: '127.0.0.1', PORT: '0', MQTT_HOST: '127.0.0.1', MQTT_PORT: '0' };
  const config = loadCloudConfig({ environment: { ...listeners, DATA_DIR: workingDirectory }, workingDirectory });
  const cloud = await startCloud(config, { logger: silentLogger });
  try {
    const read = async (path) => (await fetch(`http://127.0.0.1:${cloud.port}${path}`)).json();
    return { openApi: await read('/openapi.json'), asyncApi: await read('/asyncapi.json') };
  } finally {
    await cloud.close();
    rmSync(workingDirectory, { recursive: true, force: true });
  }
}

/** In the place of the schemas, which need zod: the same names, with the types of the AsyncAPI document. */
async function eventTypes({ components: { messages, schemas } }) {
  const info = { title: 'events', version: '1' };
  const generated = await openapiTypescript({ openapi: '3.1.0', info, paths: {}, components: { schemas } });
  const schemaOf = ({ payload }) => payload.properties.data.contentSchema?.$ref?.split('/').pop();
  const events = Object.entries(messages).flatMap(([name, message]) =>
    name.startsWith('webhook_') || schemaOf(message) === undefined
      ? []
      : [`  ${name}: components['schemas']['${schemaOf(message)}'];`],
  );
  return [
    generated,
    'export interface Events {',
    ...events,
    '}',
    'export type EventName = keyof Events;',
    'export type EventPayload<Name extends EventName> = Events[Name];',
    '',
  ].join('\n');
}

/** The compiler writes the types of everything that the sources import; users need what the package's own types name. */
function removeUnreached() {
  const reached = new Set([join(TYPES, 'client/index.d.ts')]);
  for (const file of reached) {
    const text = readFileSync(file, 'utf8');
    for (const [, target] of text.matchAll(/from '([^']+)'/g)) {
      if (!target.startsWith('.')) throw new Error(`${file} names the package ${target}: users do not have it`);
      reached.add(join(dirname(file), target.replace(/\.js$/, '.d.ts')));
    }
  }
  for (const name of readdirSync(TYPES, { recursive: true })) {
    const file = join(TYPES, name);
    if (file.endsWith('.d.ts') && !reached.has(file)) rmSync(file);
  }
  for (const name of readdirSync(TYPES)) {
    const folder = join(TYPES, name);
    if (existsSync(folder) && !name.endsWith('.d.ts') && readdirSync(folder).length === 0)
      rmSync(folder, { recursive: true });
  }
}

function writePackage() {
  const { version, license, engines } = JSON.parse(readFileSync('package.json', 'utf8'));
  const content = {
    name: '@parking-gateway/client',
    version,
    description: 'REST, realtime events and webhooks of the parking service, for browsers, Node and other runtimes.',
    license,
    type: 'module',
    engines,
    sideEffects: false,
    exports: { '.': { types: './types/client/index.d.ts', default: './index.js' } },
    types: './types/client/index.d.ts',
    files: ['index.js', 'types'],
  };
  writeFileSync(join(TARGET, 'package.json'), `${JSON.stringify(content, null, 2)}\n`);
}
