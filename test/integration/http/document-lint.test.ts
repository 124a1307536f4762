import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { startCloudWorld } from './http-world.js';

it('passes the recommended rules of a public linter, without exceptions', async () => {
  const cloud = await startCloudWorld();
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
    await cloud.close();
  }
});
