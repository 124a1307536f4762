/** The state of the update in a file: it is there whole or as it was, whatever the power does. Both slots read the same file. */
import { z } from 'zod';
import { UPDATE_PHASES } from '../../shared/releases.js';
import { readWhole, writeWhole } from '../commissioning/whole-file.js';
import { FIRST_STATE, type UpdateState } from './update-machine.js';

const releaseSchema = z.object({
  version: z.string(),
  sha256: z.string(),
  bytes: z.number(),
  security_floor: z.string().nullable(),
  source: z.discriminatedUnion('kind', [
    z.object({ kind: z.literal('cloud'), url: z.string() }),
    z.object({ kind: z.literal('file'), path: z.string() }),
  ]),
});
/** A field that a later program adds needs a default: after a fall-back, the program of the other slot leaves it out. */
const stateSchema = z.object({
  phase: z.enum(UPDATE_PHASES),
  release: releaseSchema.nullable(),
  error: z.string().nullable(),
  tries: z.number(),
  asked_ms: z.number(),
  is_asked: z.boolean(),
  before: z.object({ cloud: z.boolean(), radio: z.boolean() }),
  is_chosen: z.boolean(),
  is_whole: z.boolean(),
  starts: z.number(),
  refused: z.array(z.string()),
  floor: z.string().nullable(),
  held: z.string().nullable(),
});

/** @returns the first state when there is no file; null: it is damaged, and nothing is known of the floor */
export function readUpdateState(path: string): UpdateState | null {
  const text = readWhole(path);
  if (text === null) return FIRST_STATE;
  try {
    return stateSchema.parse(JSON.parse(text));
  } catch {
    return null;
  }
}

/** @throws when the disk refuses; the file is then as it was */
export const writeUpdateState = (path: string, state: UpdateState): void => writeWhole(path, JSON.stringify(state));
