/** What is done to several members at once: asked with their number, done in pieces, and told of each that was refused. */
import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { momentAt } from '../wording/lot-time.js';
import type { ShownCall } from '../wording/sentences.js';
import { serviceSentence } from '../wording/service-sentences.js';
import { words } from './browser.js';
import { Choice, Field, LotTimeField, missing, named } from './fields.js';
import { choose, chooseNone, chooseNot, chosenMembers } from './member-choice.js';
import { type Group, type Member, timezoneOfMembers } from './member-reads.js';
import { memberWords } from './member-words.js';
import { Button, CallShown, Dialog, Refused } from './parts.js';
import { useSending } from './sending.js';
import { client } from './session.js';

const say = memberWords.bulk;
const count = new Intl.NumberFormat(words.locale);
/** So many are changed by one call: it takes a moment, and its progress is seen. */
const PIECE = 200;
/** How many of those that were refused are named. */
const NAMED_MAX = 20;
const PAGE = 300;

type Kind = 'block' | 'unblock' | 'until' | 'join' | 'leave' | 'remove';
const KINDS: readonly Kind[] = ['block', 'unblock', 'until', 'join', 'leave', 'remove'];

interface Change {
  valid_until?: string | null;
  blocked_at?: null;
  blocked_reason?: string;
  add_group_ids?: number[];
  remove_group_ids?: number[];
}

/** Why one of them was not done. */
interface Failure {
  id: number;
  name: string;
  why: string;
}

/**
 * @param props.shown the rows of the list as far as it was read
 * @param props.filter gives what the list asks for, of which all can be chosen
 * @param props.onDone gets what was done, in a sentence
 */
export function MemberBulk(props: {
  shown: readonly Member[];
  total: number | null;
  filter: () => string[];
  groups: readonly Group[];
  onDone: (said: string) => void;
}) {
  const { shown, total, filter, groups, onDone } = props;
  const asked = useSignal<Kind | null>(null);
  const failures = useSignal<readonly Failure[]>([]);
  const reading = useSending([]);
  const chosen = chosenMembers.value;
  const chooseAll = () =>
    reading.send(async () => {
      const query = { filter: filter(), sort: 'id:asc', size: PAGE } as const;
      const found: (readonly [id: number, name: string])[] = [];
      for await (const { id, name } of client().list('/v2/members', { query })) found.push([id, name]);
      choose(found);
    });
  const isAllShown = shown.every(({ id }) => chosen.has(id));
  if (chosen.size === 0 && failures.value.length === 0) return null;
  return (
    <section class="bulk card" aria-label={say.title}>
      {chosen.size > 0 && (
        <div class="buttons">
          <strong role="status">{say.chosen(count.format(chosen.size))}</strong>
          {!isAllShown && (
            <Button look="small" word={say.shown} onClick={() => choose(shown.map(({ id, name }) => [id, name]))} />
          )}
          {total !== null && total > shown.length && total > chosen.size && (
            <Button look="small" word={say.all(count.format(total))} isBusy={reading.isBusy} onClick={chooseAll} />
          )}
          <Button look="small" word={say.nobody} onClick={chooseNone} />
          <span class="apart">
            {KINDS.map((kind) => (
              <Button
                key={kind}
                look="small"
                word={say[kind]}
                onClick={() => {
                  failures.value = [];
                  asked.value = kind;
                }}
              />
            ))}
          </span>
        </div>
      )}
      <Refused refusal={reading.refusal} />
      {failures.value.length > 0 && <Failures failures={failures.value} />}
      {asked.value !== null && (
        <BulkDialog
          kind={asked.value}
          groups={groups}
          onClose={() => (asked.value = null)}
          onFailed={(failed) => (failures.value = [...failures.value, ...failed])}
          onDone={(said) => {
            asked.value = null;
            onDone(said);
          }}
        />
      )}
    </section>
  );
}

function Failures({ failures }: { failures: readonly Failure[] }) {
  return (
    <div class="notice bad" role="alert">
      <p>{say.failed(count.format(failures.length))}</p>
      <ul>
        {failures.slice(0, NAMED_MAX).map(({ id, name, why }) => (
          <li key={id}>
            {name === '' ? say.number(id) : name}: {why}
          </li>
        ))}
      </ul>
      {failures.length > NAMED_MAX && <p>{words.forms.shown(NAMED_MAX, failures.length)}</p>}
    </div>
  );
}

interface BulkForm {
  reason: string;
  until: string;
  group: string;
}

function changeOf(kind: Kind, { reason, until, group }: BulkForm): Change {
  switch (kind) {
    case 'block':
      return { blocked_reason: reason.trim() };
    case 'unblock':
      return { blocked_at: null };
    case 'until':
      return { valid_until: momentAt(until, timezoneOfMembers()) };
    case 'join':
      return { add_group_ids: [Number(group)] };
    case 'leave':
      return { remove_group_ids: [Number(group)] };
    case 'remove':
      return {};
  }
}

/** The call of a piece. */
const callOf = (kind: Kind, ids: readonly number[], form: BulkForm): ShownCall =>
  kind === 'remove'
    ? { method: 'POST', path: '/v2/members/delete', body: { ids } }
    : { method: 'PATCH', path: '/v2/members', body: { ids, ...changeOf(kind, form) } };

async function sendPiece(kind: Kind, ids: number[], form: BulkForm) {
  if (kind === 'remove') return (await client().request('post', '/v2/members/delete', { body: { ids } })).data;
  return (await client().request('patch', '/v2/members', { body: { ids, ...changeOf(kind, form) } })).data;
}

function faultsOf(kind: Kind, { reason, group }: BulkForm) {
  if (kind === 'block') return missing('blocked_reason', reason);
  return (kind === 'join' || kind === 'leave') && group === '' ? { group: say.chooseGroup } : {};
}

type Outcome = Awaited<ReturnType<typeof sendPiece>>[number];

const failuresIn = (outcomes: readonly Outcome[], names: ReadonlyMap<number, string>): Failure[] =>
  outcomes
    .filter(({ success }) => !success)
    .map(({ id, errors }) => ({
      id,
      name: names.get(id) ?? '',
      why: errors.map(({ message }) => serviceSentence(message, words.forms.service)).join(' '),
    }));

function BulkDialog(props: {
  kind: Kind;
  groups: readonly Group[];
  /** Pieces that have not begun are not sent any more. */
  onClose: () => void;
  /** After each piece. */
  onFailed: (failures: readonly Failure[]) => void;
  onDone: (said: string) => void;
}) {
  const { kind, groups, onClose, onFailed, onDone } = props;
  const isClosed = useRef(false);
  useEffect(() => () => void (isClosed.current = true), []);
  const form = useSignal<BulkForm>({ reason: '', until: '', group: '' });
  const all = chosenMembers.value;
  const done = useSignal(0);
  const whole = useSignal(all.size);
  const sending = useSending<'blocked_reason' | 'group'>(['blocked_reason', 'group'], () => faultsOf(kind, form.value));
  const set = (changed: Partial<BulkForm>) => {
    form.value = { ...form.value, ...changed };
    sending.forgive();
  };
  const run = async () => {
    const ids = [...all.keys()];
    let changed = 0;
    whole.value = ids.length;
    for (let at = 0; at < ids.length && !isClosed.current; at += PIECE) {
      const outcomes = await sendPiece(kind, ids.slice(at, at + PIECE), form.value);
      const failed = failuresIn(outcomes, all);
      onFailed(failed);
      changed += outcomes.length - failed.length;
      done.value += outcomes.length;
      // What was done is chosen no more: after a failure the person goes on with the rest.
      chooseNot(outcomes.map(({ id }) => id));
    }
    onDone((kind === 'remove' ? say.removed : say.done)(count.format(changed)));
  };
  const size = count.format(whole.value);
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    whole.value = all.size;
    done.value = 0;
    void sending.send(run);
  };
  return (
    <Dialog title={say[`${kind}Title`](size)} class="editor" onClose={onClose}>
      <form class="editor-form" noValidate onSubmit={submit}>
        <p>{say[`${kind}What`]}</p>
        <BulkFields kind={kind} form={form.value} set={set} groups={groups} faults={sending.faults} />
        {sending.isBusy && (
          <div class="progress">
            <progress max={whole.value} value={done.value} aria-label={say[kind]} />
            <p role="status">{say.progress(count.format(done.value), size)}</p>
          </div>
        )}
        <Refused refusal={sending.refusal} />
        {sending.refusal !== null && done.value > 0 && <p class="notice warn">{say.broke}</p>}
        <div class="buttons">
          <Button look={kind === 'remove' ? 'danger' : 'main'} word={say[kind]} isBusy={sending.isBusy} />
          <Button word={words.cancel} onClick={onClose} />
        </div>
        <CallShown call={callOf(kind, [...all.keys()].slice(0, PIECE), form.value)} />
      </form>
    </Dialog>
  );
}

function BulkFields(props: {
  kind: Kind;
  form: BulkForm;
  set: (changed: Partial<BulkForm>) => void;
  groups: readonly Group[];
  faults: { blocked_reason?: string; group?: string };
}): ComponentChildren {
  const { kind, form, set, groups, faults } = props;
  if (kind === 'block')
    return (
      <Field
        label={words.members.blockedReason}
        hint={words.members.blockedReasonHint}
        value={form.reason}
        fault={faults.blocked_reason}
        onValue={(reason) => set({ reason })}
      />
    );
  if (kind === 'until')
    return (
      <LotTimeField
        label={words.displays.until}
        timezone={timezoneOfMembers()}
        value={form.until}
        onValue={(until) => set({ until })}
      />
    );
  if (kind === 'join' || kind === 'leave')
    return (
      <Choice
        label={memberWords.list.group}
        value={form.group}
        options={named(groups, '–')}
        fault={faults.group}
        onValue={(group) => set({ group })}
      />
    );
  return null;
}
