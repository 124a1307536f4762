/** Reads what RAUC prints (1.8 to 1.13): `status` and `info` with `--output-format=json`, and the reason of a failure. */
import { z } from 'zod';
import type { InstalledSoftware } from './update-machine.js';

const slotSchema = z.object({
  class: z.string(),
  bootname: z.string().nullish(),
  state: z.string(),
  boot_status: z.string().nullish(),
  slot_status: z
    .object({
      bundle: z.object({ version: z.string().nullish(), hash: z.string().nullish() }).nullish(),
      status: z.string().nullish(),
    })
    .nullish(),
});
type Slot = z.infer<typeof slotSchema>;
const statusSchema = z.object({
  compatible: z.string(),
  booted: z.string().nullish(),
  slots: z.array(z.record(z.string(), slotSchema)),
});
// RAUC tells the hash from 1.9 on.
const infoSchema = z.object({ compatible: z.string(), version: z.string(), hash: z.string().nullish() });

const versionIn = (slot: Slot | undefined): string | null => slot?.slot_status?.bundle?.version || null;

function slotsIn(text: string): { compatible: string; booted: Slot; name: string; other: Slot | undefined } {
  const status = statusSchema.parse(JSON.parse(text));
  const slots = status.slots.flatMap((slot) => Object.values(slot));
  const booted = slots.find(({ state }) => state === 'booted');
  if (booted === undefined) throw new Error('rauc does not know from which slot this device started');
  const other = slots.find((slot) => slot.class === booted.class && slot !== booted);
  return { compatible: status.compatible, booted, name: booted.bootname ?? status.booted ?? '', other };
}

/** @throws Error when it is not what RAUC prints, or no slot is the one that runs */
export function parseRaucStatus(text: string): InstalledSoftware {
  const { compatible: machine, booted, name: slot, other } = slotsIn(text);
  const version = versionIn(other);
  return {
    machine,
    slot,
    version: versionIn(booted),
    other: other === undefined ? null : { version, is_bad: other.boot_status === 'bad' },
  };
}

/** Reads what was written into the slot that does not run; null: nothing whole. @throws Error like `parseRaucStatus` */
export function parseRaucWritten(text: string): { version: string; manifest_hash: string | null } | null {
  const { other } = slotsIn(text);
  const version = versionIn(other);
  const status = other?.slot_status;
  if (version === null || (status?.status ?? 'ok') !== 'ok') return null;
  return { version, manifest_hash: status?.bundle?.hash || null };
}

/** @throws Error when it is not what RAUC prints */
export function parseRaucInfo(text: string): { machine: string; version: string; manifest_hash: string | null } {
  const { compatible: machine, version, hash } = infoSchema.parse(JSON.parse(text));
  return { machine, version, manifest_hash: hash || null };
}

const LAST_ERROR = 'LastError:';
/** Lines about the progress, and the last one of a failed installation, which has no reason. */
const NO_REASON = /^rauc-Message|^installing$|^\d+%|^Idle$|^Installing `.*` failed$/i;
/** The query of an address: that of a release has the key with which it is fetched. */
const QUERY = /(https?:\/\/[^\s?`'"]*)\?[^\s`'"]*?(?=[:,;.]?(?:[\s`'"]|$))/g;

/**
 * Finds why RAUC failed in what it printed on both of its outputs, which arrive in any order.
 * @returns null: it did not say
 */
export function parseRaucReason(said: string): string | null {
  const lines = said.split('\n').map((line) => line.trim());
  const last = lines
    .findLast((line) => line.startsWith(LAST_ERROR))
    ?.slice(LAST_ERROR.length)
    .trim();
  const reason = last || lines.findLast((line) => line !== '' && !NO_REASON.test(line));
  return reason?.replaceAll(QUERY, '$1') ?? null;
}
