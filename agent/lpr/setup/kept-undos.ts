import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import type { SetupChange } from '../camera.js';

const requestSchema = z.object({
  method: z.enum(['GET', 'POST', 'PUT']),
  path: z.string(),
  contentType: z.string(),
  body: z.string(),
  expects: z.string().exactOptional(),
});
const keptSchema = z.array(z.object({ name: z.string().exactOptional(), what: z.string(), undo: requestSchema }));

/** Keeps the old settings of each camera in a file. */
export interface KeptUndos {
  /** The requests of an undo, in the order of the changes. */
  of(deviceId: string): Promise<z.infer<typeof keptSchema>>;
  /**
   * Keeps the undo of a change, unless an earlier setup changed the same setting: an undo restores the settings from before the first
   * setup.
   */
  keep(deviceId: string, change: SetupChange): Promise<void>;
  forget(deviceId: string): Promise<void>;
}

export function createKeptUndos(directory: string): KeptUndos {
  const fileOf = (deviceId: string): string => join(directory, `${encodeURIComponent(deviceId)}.json`);

  async function of(deviceId: string) {
    const text = await readFile(fileOf(deviceId), 'utf8').catch(() => null);
    return text === null ? [] : keptSchema.parse(JSON.parse(text));
  }

  return {
    of,
    async keep(deviceId, { what, undo, name }) {
      if (undo === null) return;
      const kept = await of(deviceId);
      if (kept.some((each) => (each.name ?? each.undo.path) === (name ?? undo.path))) return;
      await mkdir(directory, { recursive: true, mode: 0o700 });
      const entry = { what, undo, ...(name === undefined ? {} : { name }) };
      await writeFile(fileOf(deviceId), JSON.stringify([...kept, entry]), { mode: 0o600 });
    },
    forget: (deviceId) => rm(fileOf(deviceId), { force: true }),
  };
}
