import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type RulesetDefinition, Spectral } from '@stoplight/spectral-core';
import { asyncapi, oas } from '@stoplight/spectral-rulesets';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type CloudWorld, startCloudWorld } from '../integration/http/http-world.js';

describe('public linters', () => {
  let cloud: CloudWorld;
  beforeAll(async () => {
    cloud = await startCloudWorld();
  });
  afterAll(() => cloud.close());

  it('accept the OpenAPI document by the recommended rules of Redocly, without exceptions', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'document-lint-'));
    try {
      const file = join(directory, 'openapi.json');
      writeFileSync(file, await (await fetch(`${cloud.base}/openapi.json`)).text());
      const { stdout, stderr } = spawnSync(
        join(process.cwd(), 'node_modules/.bin/redocly'),
        ['lint', file, '--extends', 'recommended', '--format', 'json'],
        // A directory without a configuration file; no word to anybody about its use or about newer versions of it.
        {
          cwd: directory,
          encoding: 'utf8',
          env: { PATH: process.env.PATH, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true', CI: 'true' },
        },
      );
      expect(stdout, stderr).not.toBe('');
      const { totals, problems } = JSON.parse(stdout) as { totals: object; problems: unknown[] };
      expect(problems).toEqual([]);
      expect(totals).toEqual({ errors: 0, warnings: 0, ignored: 0 });
    } finally {
      rmSync(directory, { recursive: true });
    }
  });

  const problemsOf = async (document: string, ruleset: RulesetDefinition) => {
    const spectral = new Spectral();
    spectral.setRuleset(ruleset);
    const found = await spectral.run(await (await fetch(`${cloud.base}${document}`)).text());
    return found.map(({ code, path, message }) => `${code} ${path.join('.')}: ${message}`);
  };

  it('accept the OpenAPI document by the rules of Spectral, without exceptions', async () => {
    expect(await problemsOf('/openapi.json', { extends: [[oas as RulesetDefinition, 'recommended']] })).toEqual([]);
  });

  it('accept the AsyncAPI document by the rules of Spectral', async () => {
    // More tools know 3.0.0 than what came after it, and nothing of the later ones is used. A service does not know the addresses of
    // who runs it.
    const rules = { 'asyncapi-latest-version': 'off', 'asyncapi-info-contact-properties': 'off' } as const;
    const ruleset = { extends: [[asyncapi as RulesetDefinition, 'recommended']], rules } as RulesetDefinition;
    expect(await problemsOf('/asyncapi.json', ruleset)).toEqual([]);
  });
});
