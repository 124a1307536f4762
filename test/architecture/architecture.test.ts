import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { RULES } from './rules.js';
import { importsOf, readSourceGraph, type SourceFile } from './source-graph.js';

/** The project's root, from dist/test/architecture/. */
const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const sources = readSourceGraph(ROOT, ['agent', 'cloud', 'shared', 'test', 'scripts']);

/** A file as it would have to be to break the rule, for each rule: a rule that cannot fail holds nothing. */
const BREAKERS: Record<string, { path: string; text: string; targets?: Record<string, string> }> = {
  'agent and cloud meet in shared only': {
    path: 'agent/lpr/x.ts',
    text: `import { a } from '../../cloud/config.js';`,
    targets: { '../../cloud/config.js': 'cloud/config.ts' },
  },
  'shared imports zod and itself only': { path: 'shared/x.ts', text: `import { hkdf } from 'node:crypto';` },
  'pure files import pure files or shared only': {
    path: 'agent/lpr/x-parser.ts',
    text: `import { read } from './images.js';`,
    targets: { './images.js': 'agent/lpr/images.ts' },
  },
  'pure files know no time, chance, process or network': {
    path: 'shared/access/decide-x.ts',
    text: 'export const at = Date.now();',
  },
  'shared knows no time or chance but its system clock': {
    path: 'shared/x.ts',
    text: 'export const dice = Math.random();',
  },
  'a device, database, broker or image library is named by its own driver only': {
    path: 'agent/lpr/plate-reads.ts',
    text: `import sharp from 'sharp';`,
  },
  'services import ports, never drivers': {
    path: 'agent/lpr/x.ts',
    text: `import { open } from '../store/sqlite-agent-store.js';`,
    targets: { '../store/sqlite-agent-store.js': 'agent/store/sqlite-agent-store.ts' },
  },
  'only config.ts reads the environment': { path: 'cloud/http/app.ts', text: 'export const port = process.env.PORT;' },
  'nothing imports main.ts, and programs import nothing of test or scripts': {
    path: 'cloud/x.ts',
    text: `import '../test/sim/world/world.js';`,
    targets: { '../test/sim/world/world.js': 'test/sim/world/world.ts' },
  },
  'SQL is in the store only': {
    path: 'cloud/ingest/x.ts',
    text: `export const rows = (db: Db) => db.selectFrom('events');`,
  },
  'only main.ts ends the process': { path: 'agent/uplink/x.ts', text: 'process.exit(1);' },
};

function fileOf(breaker: { path: string; text: string; targets?: Record<string, string> }): SourceFile {
  const imports = importsOf(breaker.path, breaker.text).map((specifier) => ({
    specifier,
    target: breaker.targets?.[specifier] ?? null,
  }));
  return { path: breaker.path, text: breaker.text, imports };
}

describe('the rules of the house', () => {
  it('finds the sources', () => {
    expect(sources.length).toBeGreaterThan(30);
    expect(sources.flatMap((file) => file.imports).length).toBeGreaterThan(100);
  });

  it.each(RULES)('$name ($reason)', ({ name, violations }) => {
    expect(sources.flatMap((file) => violations(file).map((what) => `${file.path}: ${what}`))).toEqual([]);
    const breaker = BREAKERS[name];
    expect(breaker, `a file that breaks "${name}"`).toBeDefined();
    if (breaker !== undefined) expect(violations(fileOf(breaker))).not.toEqual([]);
  });
});
