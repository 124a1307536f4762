/**
 * The pages of `shared/contract` beside the code: their tables must be those that the code would write. Mend a difference in the code, or
 * in the page by `npx vitest run dist/test/contract/contract-pages.test.js -u`, which leaves every column of prose as it is.
 */
import { readdirSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AGENT_SETTINGS } from '../../agent/config.js';
import { CLOUD_SETTINGS } from '../../cloud/config.js';
import { readSiteFile } from '../../cloud/doors/site-file/read-site-file.js';
import { silentLogger } from '../../shared/logger.js';
import { type CloudWorld, startCloudWorld } from '../integration/http/http-world.js';
import { createControlApp } from '../../scripts/sim/control/control-app.js';
import { createDoubleControl, type DoubleControlDeps } from '../../scripts/sim/double/double-control.js';
import { errorTable } from './pages/error-table.js';
import { eventTables, gatewayErrorTable } from './pages/event-tables.js';
import { code, headingsOf, type Table, tableBelow, withTables } from './pages/markdown-page.js';
import { createProgramHelp, PROGRAMS, type Program, type ProgramHelp, runProgram } from './pages/program-tables.js';
import { CONTRACT, readPage } from './pages/repository-pages.js';
import { type Document, listTable, resourceTables, routesOf, routeTables } from './pages/route-tables.js';
import { settingsTable, siteFileTables } from './pages/run-tables.js';
import { uplinkTables } from './pages/uplink-tables.js';

const pageOf = (name: string) => readPage(`shared/contract/${name}`);

/** The pages that describe what is built. */
const BUILT = readdirSync(CONTRACT).filter((name) => name !== 'not-built-yet.md');

/** A route without the names of its parameters. */
const shapeOf = (route: string): string => route.replaceAll(/\{\w+\}/g, '{}');

/** Only its routes are looked at. */
const NO_DOUBLE = { logger: silentLogger } as DoubleControlDeps;

/** The text that a page must have according to the code. */
interface Expected {
  tables: ReadonlyMap<string, Table>;
  /** Every heading of this level must have a table, except `beside`: nothing may be left of what is gone. */
  only?: { level: number; beside: readonly string[] };
}

describe('the pages of the contract', () => {
  let cloud: CloudWorld;
  let document: Document;
  let directory: string;
  let helpOf: Record<Program, ProgramHelp>;

  beforeAll(async () => {
    cloud = await startCloudWorld();
    document = (await (await fetch(`${cloud.base}/openapi.json`)).json()) as Document;
    directory = await mkdtemp(join(tmpdir(), 'contract-pages-'));
    const names = Object.keys(PROGRAMS) as Program[];
    helpOf = Object.fromEntries(names.map((name) => [name, createProgramHelp(name, directory)])) as typeof helpOf;
  });
  afterAll(async () => {
    await cloud.close();
    await rm(directory, { recursive: true, force: true });
  });

  /** The tables of the programs' subcommands; those below `token` are listed as `token create` and so on. */
  const programTables = async () => {
    const tables = new Map<string, Table>();
    for (const [program, help] of Object.entries(helpOf)) {
      const rows = tableBelow(pageOf('run.md'), program)?.rows ?? [];
      const groups = rows.map(([command = '']) => /^`\S+ ([a-z-]+) [a-z]/.exec(command)?.[1] ?? '');
      tables.set(program, await help.commands(new Set(groups)));
    }
    return tables;
  };

  const pages: Record<string, () => Expected | Promise<Expected>> = {
    'routes.md': () => ({
      tables: new Map([['Filters and sorts', listTable(document)], ...routeTables(document)]),
      only: { level: 2, beside: ['Reading the tables'] },
    }),
    'resources.md': () => ({ tables: resourceTables(document), only: { level: 2, beside: [] } }),
    'rest.md': () => ({ tables: new Map([['Errors', errorTable()]]) }),
    'commands.md': () => ({ tables: new Map([['Types of gateway_error', gatewayErrorTable()]]) }),
    'events.md': () => ({ tables: eventTables(), only: { level: 3, beside: ['authorized'] } }),
    'uplink.md': () => ({ tables: uplinkTables() }),
    'run.md': async () => ({
      tables: new Map([
        ...(await programTables()),
        ['Variables of the cloud', settingsTable(CLOUD_SETTINGS)],
        ['Variables of the agent', settingsTable(AGENT_SETTINGS)],
      ]),
    }),
    'site-file.md': () => ({ tables: siteFileTables(), only: { level: 3, beside: [] } }),
  };

  it.each(Object.keys(pages))('%s says what the code says', async (name) => {
    const { tables, only } = await pages[name]!();
    const expected = withTables(pageOf(name), tables, only?.level);
    await expect(expected).toMatchFileSnapshot(join(CONTRACT, name));
    if (only === undefined) return;
    const headings = headingsOf(expected).filter(({ level }) => level === only.level);
    expect(headings.map(({ text }) => text).toSorted()).toEqual([...tables.keys(), ...only.beside].toSorted());
  });

  it.each(BUILT)('%s names no route and no variable that is not there', (name) => {
    const page = pageOf(name);
    const served = new Set(routesOf(document).map((route) => shapeOf(route.name)));
    const routes = [...page.matchAll(/`((?:GET|POST|PUT|PATCH|DELETE) \/?[^\s`?]*)/g)].map(([, route = '']) => route);
    const ours = routes.filter((route) => / \/(v2|openapi|asyncapi|docs|healthz|readyz|metrics)/.test(route));
    expect(ours.filter((route) => !served.has(shapeOf(route)))).toEqual([]);
    const variables = [...page.matchAll(/`([A-Z]+(?:_[A-Z]+)+)`/g)].map(([, variable = '']) => variable);
    expect(variables.filter((variable) => !(variable in CLOUD_SETTINGS) && !(variable in AGENT_SETTINGS))).toEqual([]);
  });

  it('rest.md names limits as they are when nobody sets them', () => {
    const rows = tableBelow(pageOf('rest.md'), 'Limits')?.rows ?? [];
    const settings = new Map<string, { default: unknown }>(Object.entries(CLOUD_SETTINGS));
    const limits = rows.flatMap(([, words = '', variable = '']) => {
      const name = variable.replaceAll('`', '');
      return name === '' ? [] : [{ name, named: Number.parseInt(words, 10), unit: name.endsWith('_MS') ? 1_000 : 1 }];
    });
    expect(limits.length).toBeGreaterThan(5);
    expect(limits.map(({ name, named, unit }) => [name, named * unit])).toEqual(
      limits.map(({ name }) => [name, settings.get(name)?.default]),
    );
  });

  it('events.md lists every event', () => {
    const listed = tableBelow(pageOf('events.md'), 'Events')?.rows.map(([name]) => name);
    expect(listed).toEqual(['authorized', ...eventTables().keys()].map(code));
  });

  it('run.md names the options that come before a command', async () => {
    for (const program of ['parking-cloud', 'parking-agent'] as const) {
      const options = await helpOf[program].commonOptions();
      expect(options.length).toBeGreaterThan(0);
      for (const option of options) expect(pageOf('run.md')).toContain(code(option));
    }
  });

  it('run.md names the exit codes, and a program keeps them', async () => {
    const named = tableBelow(pageOf('run.md'), 'Exit codes')?.rows.map(([exitCode]) => Number(exitCode));
    expect(named).toEqual([0, 1, 2]);
    const ends = async (word: string) => (await runProgram('parking-agent', [word], directory)).exitCode;
    expect(await Promise.all([ends('version'), ends('status'), ends('--unknown')])).toEqual([0, 1, 2]);
  });

  it('site-file.md shows a file that is right', () => {
    const [, example = ''] = /^```yaml\n([\s\S]*?)^```$/m.exec(pageOf('site-file.md')) ?? [];
    expect(readSiteFile('site-file.md', example).site.accounts).toHaveLength(1);
  });

  it.each([
    [
      'Control of the simulator',
      createControlApp({
        products: new Map(),
        cameras: new Map(),
        places: [],
        displays: new Map(),
        gateways: new Set(),
        traffic: null,
        logger: silentLogger,
      }),
    ],
    ['Control of the test double', createDoubleControl(NO_DOUBLE)],
  ])('run.md names every route: %s', (heading, app) => {
    const served = app.routes
      .filter(({ method }) => method !== 'ALL')
      .map(({ method, path }) => code(`${method} ${path.replaceAll(/:(\w+)/g, '{$1}')}`));
    expect(tableBelow(pageOf('run.md'), heading)?.rows.map(([route]) => route)).toEqual(served);
  });
});
