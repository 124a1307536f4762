/** The verification of Standard Webhooks as the README of its doors tells it to integrators. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

export type IsGenuine = (secret: string, headers: Record<string, string>, body: string) => boolean;

export async function readmeVerification(): Promise<IsGenuine> {
  const readme = readFileSync(new URL('../../../../cloud/doors/README.md', import.meta.url), 'utf8');
  const [, code = ''] = /```js\n(.*?)```/s.exec(readme) ?? [];
  const directory = mkdtempSync(join(tmpdir(), 'webhook-readme-'));
  const file = join(directory, 'verify.mjs');
  writeFileSync(file, `${code}\nexport { isGenuine };\n`);
  const { isGenuine } = (await import(pathToFileURL(file).href)) as { isGenuine: IsGenuine };
  rmSync(directory, { recursive: true });
  return isGenuine;
}
