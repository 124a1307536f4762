import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';

let project: string;
beforeEach(() => {
  project = mkdtempSync(join(tmpdir(), 'make-app-'));
  for (const file of ['make-app', 'node-version'])
    cpSync(`scripts/image/${file}`, join(project, 'scripts/image', file));
  mkdirSync(join(project, 'dist/agent'), { recursive: true });
});
afterEach(() => rmSync(project, { recursive: true }));

const makeApp = () =>
  spawnSync(join(project, 'scripts/image/make-app'), ['arm64', join(project, 'out')], {
    encoding: 'utf8',
    env: { ...process.env, IMAGE_CACHE: join(project, 'cache') },
  });

it.each(["import { VERSION } from '../shared/version.js';", "import { loadAgentConfig } from './config.js';"])(
  'makes no application layer of an agent that is not bundled: %s',
  (line) => {
    writeFileSync(join(project, 'dist/agent/main.js'), `#!/usr/bin/env node\n${line}\n`);
    expect(makeApp()).toMatchObject({
      status: 1,
      stderr: 'make-app: dist/agent/main.js is not bundled: npm run build\n',
    });
  },
);
