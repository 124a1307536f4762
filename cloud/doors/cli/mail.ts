/** `parking-cloud mail list`, `parking-cloud mail retry ID...`, `parking-cloud mail drop ID...` */
import { printableJson } from '../../../shared/node/printable.js';
import { renderTable, terminalWidth } from '../../../shared/node/text-table.js';
import { isoTime } from '../../rest/entry.js';
import { appendAudit } from '../../kernel/audit/entry.js';
import type { Db, Tx } from '../../kernel/store/entry.js';
import {
  dropMail,
  type Mail,
  MAIL_STATES,
  newestMails,
  representMail,
  retryMail,
  unsentMailIds,
  waitingMailIds,
} from '../../site/entry.js';
import { type CommandDeps, type CommandIo, withOwnStore, withStore } from './apply.js';

const LISTED_MAX = 1_000;

export interface MailListOptions {
  /** One of the states; undefined: what was not sent. */
  status?: string;
  json: boolean;
}

/** Shows the newest mails, those that were not sent when no state is named. @returns the exit code: 0 done, 2 there is no such state */
export async function runMailList(
  { status, json }: MailListOptions,
  deps: Pick<CommandDeps, 'openStore'>,
  io: CommandIo,
): Promise<0 | 2> {
  const states = status === undefined ? (['queued', 'failed'] as const) : MAIL_STATES.filter((each) => each === status);
  if (states.length === 0) {
    io.err(`--status: ${status} is none; allowed: ${MAIL_STATES.join(', ')}`);
    return 2;
  }
  return withStore<0>(deps, async (store) => {
    const mails = await newestMails(store.reader, { states, limit: LISTED_MAX });
    if (json) io.out(printableJson(mails.map((mail) => ({ account_id: mail.account_id, ...representMail(mail) }))));
    else for (const line of table(mails)) io.out(line);
    if (mails.length === LISTED_MAX) io.note(`There are more: these are the newest ${LISTED_MAX}.`);
    return 0;
  });
}

export interface MailChoice {
  /** As they were typed. */
  ids: readonly string[];
  /** All that wait or failed, but for those that somebody ended; or all that wait. */
  all: boolean;
}

/** Tries mails again that were not sent. A running cloud sends them at once. @returns the exit code: 0 done, 2 not all could be */
export function runMailRetry(choice: MailChoice, deps: CommandDeps, io: CommandIo): Promise<0 | 2> {
  return changeMails({ choice, allIds: unsentMailIds, action: 'mail.retry', change: retryMail }, deps, {
    done: (id) => io.out(`mail ${id}  is tried again`),
    not: (id) => io.err(`mail ${id} is not there, was sent already, or brings no key that opens anything`),
    wrong: io.err,
  });
}

/** Ends the attempts at mails that wait. @returns as `runMailRetry` */
export function runMailDrop(choice: MailChoice, deps: CommandDeps, io: CommandIo): Promise<0 | 2> {
  return changeMails({ choice, allIds: waitingMailIds, action: 'mail.drop', change: dropMail }, deps, {
    done: (id) => io.out(`mail ${id}  is not sent`),
    not: (id) => io.err(`mail ${id} does not wait`),
    wrong: io.err,
  });
}

async function changeMails(
  wanted: {
    choice: MailChoice;
    allIds(db: Db): Promise<number[]>;
    action: string;
    change(tx: Tx, id: number, now: number): Promise<Mail | null>;
  },
  deps: CommandDeps,
  say: { done(id: string): void; not(id: string): void; wrong(problem: string): void },
): Promise<0 | 2> {
  const { choice, allIds, action, change } = wanted;
  if (choice.all === choice.ids.length > 0) {
    say.wrong('name the ids of mails, or --all');
    return 2;
  }
  const bad = choice.ids.find((id) => !/^\d{1,15}$/.test(id));
  if (bad !== undefined) {
    say.wrong(`${bad} is no id of a mail: parking-cloud mail list shows them`);
    return 2;
  }
  return withOwnStore(deps, async (store) => {
    const ids = choice.all ? await allIds(store.reader) : choice.ids.map(Number);
    let isComplete = true;
    for (const id of ids) {
      const now = deps.clock.now();
      const mail = await store.change(async (tx) => {
        const changed = await change(tx, id, now);
        if (changed === null) return null;
        const { account_id, lot_id } = changed;
        const actor = { actor_type: 'operator', actor_id: null } as const;
        await appendAudit(tx, [
          { account_id, lot_id, ...actor, action, target: `mail ${id}`, details: {}, created_at: now },
        ]);
        return changed;
      });
      isComplete &&= mail !== null;
      if (mail === null) say.not(String(id));
      else say.done(String(id));
    }
    return isComplete ? 0 : 2;
  });
}

function table(mails: readonly Mail[]): string[] {
  const rows = mails.map((mail) => [
    String(mail.id),
    String(mail.account_id),
    mail.kind,
    mail.status,
    String(mail.attempts),
    isoTime(mail.created_at),
    mail.receiver_email,
    mail.last_error ?? '',
  ]);
  const head = ['id', 'account', 'kind', 'status', 'attempts', 'queued at', 'receiver', 'last error'];
  return renderTable(head, rows, terminalWidth());
}
