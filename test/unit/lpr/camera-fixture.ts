import { readFileSync } from 'node:fs';

/** The text of a payload that a camera of this vendor sent; they lie in the driver's folder, which the build does not copy. */
export function cameraFixture(vendor: string, name: string): string {
  return readFileSync(new URL(`../../../../agent/lpr/${vendor}/fixtures/${name}`, import.meta.url), 'utf8');
}
