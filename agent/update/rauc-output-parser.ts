/** Reads what `rauc status` and `rauc info` print with `--output-format=json` (RAUC 1.8 to 1.13). */
import { z } from 'zod';
import type { InstalledSoftware } from './update-machine.js';

const slotSchema = z.object({
  class: z.string(),
  bootname: z.string().nullish(),
  state: z.string(),
  slot_status: z.object({ bundle: z.object({ version: z.string().nullish() }).nullish() }).nullish(),
});
const statusSchema = z.object({
  compatible: z.string(),
  booted: z.string().nullish(),
  slots: z.array(z.record(z.string(), slotSchema)),
});
const infoSchema = z.object({ compatible: z.string(), version: z.string() });

/** @throws Error when it is not what RAUC prints, or no slot is the one that runs */
export function parseRaucStatus(text: string): InstalledSoftware {
  const status = statusSchema.parse(JSON.parse(text));
  const booted = status.slots.flatMap((slot) => Object.values(slot)).find(({ state }) => state === 'booted');
  if (booted === undefined) throw new Error('rauc does not know from which slot this device started');
  const version = booted.slot_status?.bundle?.version ?? null;
  return {
    machine: status.compatible,
    slot: booted.bootname ?? status.booted ?? '',
    version: version === '' ? null : version,
  };
}

/** @throws Error when it is not what RAUC prints */
export function parseRaucInfo(text: string): { machine: string; version: string } {
  const { compatible: machine, version } = infoSchema.parse(JSON.parse(text));
  return { machine, version };
}
