import { readFileSync } from 'node:fs';

/** Text of a file in test/fixtures/hikvision, which lies beside the compiled tests' folder. */
export function hikvisionFixture(name: string): string {
  return readFileSync(new URL(`../../../../test/fixtures/hikvision/${name}`, import.meta.url), 'utf8');
}
