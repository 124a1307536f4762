/** `parking-cloud audit verify` */
import { printableJson } from '../../../shared/node/printable.js';
import { isoTime } from '../../rest/entry.js';
import { type AuditBreak, type AuditBreakReason, type AuditHead, verifyAudit } from '../../kernel/audit/entry.js';
import type { CloudStore } from '../../kernel/store/entry.js';
import { type CommandDeps, type CommandIo, withOwnStore } from './apply.js';

export interface AuditVerifyOptions {
  /** As they were typed: a head that was noted before, or a part of it. */
  entries?: string;
  head?: string;
  json: boolean;
}

const REASONS: Record<AuditBreakReason, string> = {
  changed: 'what it says is not what was written',
  missing: 'it does not follow the entry before: entries were taken out or put in between',
  other: 'it is not the entry that was there when the expected head was noted',
  cut_off: 'the log ends before the expected head: entries were cut off',
};

/** @returns the exit code: 0 the log is whole, 1 it is not, 2 the expected head is none */
export async function runAuditVerify(
  { entries, head, json }: AuditVerifyOptions,
  deps: CommandDeps,
  io: CommandIo,
): Promise<0 | 1 | 2> {
  if (entries !== undefined && !/^\d{1,15}$/.test(entries)) {
    io.err(`--entries: ${entries} is no number of entries`);
    return 2;
  }
  if (head !== undefined && !/^[0-9a-f]{64}$/.test(head)) {
    io.err(`--head: ${head} is no hash of 64 hex digits`);
    return 2;
  }
  const expected = {
    ...(entries === undefined ? {} : { entries: Number(entries) }),
    ...(head === undefined ? {} : { hash: head }),
  };
  const verify = (store: CloudStore) => verifyAudit(store.reader, deps.derive('audit_log'), expected);
  const found = await withOwnStore(deps, verify, { isNoted: false });
  if (json) io.out(printableJson(representation(found)));
  else for (const line of report(found)) io.out(line);
  return found.broken === null ? 0 : 1;
}

type Found = { head: AuditHead; broken: AuditBreak | null };

function representation({ head, broken }: Found) {
  if (broken === null) return { ok: true, ...head, break: null };
  return { ok: false, ...head, break: { id: broken.id, reason: broken.reason, ...touched(broken) } };
}

function touched({ entry }: AuditBreak) {
  if (entry === null) return { entry: null };
  const { account_id, lot_id, actor_type, actor_id, action, target, created_at } = entry;
  return { entry: { account_id, lot_id, actor_type, actor_id, action, target, created_at: isoTime(created_at) } };
}

function report({ head, broken }: Found): string[] {
  if (broken === null) return [`whole    ${head.entries} entries, the head is ${head.hash}`];
  const { id, reason, entry } = broken;
  const lines = [
    `broken   ${id === null ? 'nowhere is the expected head' : `entry ${id}`}: ${REASONS[reason]}`,
    `fits     ${head.entries === 0 ? 'none' : `1 to ${head.entries}`}`,
  ];
  if (entry === null) return lines;
  // Whoever wrote the entry may have written any characters.
  const oneLine = (text: string) => text.replaceAll(/\p{Cc}+/gu, ' ');
  const actor = `${entry.actor_type}${entry.actor_id === null ? '' : ` ${entry.actor_id}`}`;
  const place = `account ${entry.account_id ?? 'none'}, lot ${entry.lot_id ?? 'none'}`;
  return [
    ...lines,
    `touches  ${oneLine(entry.action)} of ${oneLine(entry.target)} by ${oneLine(actor)} at ${isoTime(entry.created_at)}; ${place}`,
  ];
}
