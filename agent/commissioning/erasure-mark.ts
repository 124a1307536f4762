/**
 * The mark of an erasure that was ordered (`erasing.json`, beside the identity). From the moment it is on disk nothing that lies beside it
 * belongs to anybody: no identity is read past it (`identity.ts`), and only `openDevice` removes it.
 */
import { dirname, join } from 'node:path';
import { z } from 'zod';
import { STANDINGS_ENDED } from '../../shared/gateway-standing.js';
import { parseJson } from '../../shared/json-text-codec.js';
import { readWhole, removeHalf, removeSynced, writeWhole } from './whole-file.js';

/** The end of this device's former identity: why, and when. */
export const formerSchema = z.object({ why: z.enum(STANDINGS_ENDED), at_ms: z.number() });
export type Former = z.infer<typeof formerSchema>;

const markBeside = (identityFile: string): string => join(dirname(identityFile), 'erasing.json');

/** @returns null: no erasure was ordered, or it has ended. @throws Error, caused by the one of the system, when it cannot be looked at */
export function findErasure(identityFile: string): Former | null {
  const text = readWhole(markBeside(identityFile));
  if (text === null) return null;
  // One that cannot be understood was written by nobody else: it counts.
  const mark = formerSchema.safeParse(parseJson(text));
  return mark.success ? mark.data : { why: 'reset', at_ms: 0 };
}

/** @throws when the disk refuses: nothing is erased */
export const markErasure = (identityFile: string, former: Former): void =>
  writeWhole(markBeside(identityFile), `${JSON.stringify(former)}\n`);

export const unmarkErasure = (identityFile: string): void => removeSynced(markBeside(identityFile));

/** An erasure whose order was cut off was never ordered. */
export const removeHalfMark = (identityFile: string): void => removeHalf(markBeside(identityFile));
