/** Mails that the service writes: which wait, which came to nothing, and why. */
import { useSignal } from '@preact/signals';
import type { components } from '@parking-gateway/client';
import { useEffect } from 'preact/hooks';
import { Listed } from './admin-parts.js';
import { type LongList, useLongList } from './long-list.js';
import { timeOf, words } from './browser.js';
import { CallsShown } from './made-calls.js';
import { Choice, Field, Refused, SmallButton } from './parts.js';
import { query, setQuery } from './place.js';
import { useSending } from './sending.js';
import { client } from './session.js';
import { minute } from './store.js';

const say = words.mails;

type Mail = components['schemas']['Mail'];

const STATES = ['queued', 'sent', 'failed'] as const;
const TONES = { queued: 'warn', sent: 'good', failed: 'bad' } as const;

export function MailsView() {
  const of = (name: string) => query.value.get(name) ?? '';
  const [receiver, status] = [of('to'), of('status')];
  const filter = [
    ...(receiver === '' ? [] : [`receiver_email:like:${receiver}`]),
    ...(status === '' ? [] : [`status:eq:${status}`]),
  ];
  const mails: LongList<Mail> = useLongList(JSON.stringify(filter), ({ beyond, size }, signal) =>
    client().get('/v2/mails', { query: { filter: [...filter, ...beyond], size }, signal }),
  );
  // What waits is tried by the service itself: what is shown is not older than a minute.
  useEffect(() => {
    if (mails.rows?.some((mail) => mail.status === 'queued') === true) mails.again();
  }, [minute.value]);
  return (
    <>
      <h1 tabIndex={-1}>{say.title}</h1>
      <search class="card filters">
        <Field label={say.receiver} type="search" value={receiver} onValue={(to) => setQuery({ to })} />
        <Choice
          label={say.status}
          value={status}
          onValue={(next) => setQuery({ status: next })}
          options={[{ value: '', text: say.all }, ...STATES.map((each) => ({ value: each, text: say.statuses[each] }))]}
        />
      </search>
      <Listed list={mails} none={say.none}>
        <ul class="stays">
          {mails.rows?.map((mail) => (
            <MailRow key={mail.id} mail={mail} onRetried={mails.again} />
          ))}
        </ul>
      </Listed>
    </>
  );
}

function MailRow({ mail, onRetried }: { mail: Mail; onRetried: () => void }) {
  const { id, kind, receiver_email, status, attempts, last_error, next_attempt_at, sent_at, created_at } = mail;
  const sending = useSending([]);
  const isRetried = useSignal(false);
  const retry = async () => {
    isRetried.value = await sending.send(() => client().post('/v2/mails/{id}/retry', { path: { id } }), {
      call: { method: 'POST', path: `/v2/mails/${id}/retry` },
    });
    if (isRetried.value) onRetried();
  };
  const facts = [
    say.made(timeOf(created_at)),
    say.attempts(attempts),
    ...(next_attempt_at === null ? [] : [say.next(timeOf(next_attempt_at))]),
    ...(sent_at === null ? [] : [say.sent(timeOf(sent_at))]),
  ];
  return (
    <li class="card stay">
      <div class="line">
        <strong>{receiver_email}</strong>
        <span class="tag">{say.kinds[kind]}</span>
        <span class={`tag ${TONES[status]}`}>{say.statuses[status]}</span>
        <span class="facts">{facts.join(' · ')}</span>
        {status !== 'sent' && (
          <span class="buttons">
            <SmallButton word={say.retry} about={receiver_email} onClick={() => void retry()} />
          </span>
        )}
      </div>
      {last_error !== null && status !== 'sent' && <p class="said-bad">{last_error}</p>}
      <p role="status" class={isRetried.value ? 'notice good' : ''}>
        {isRetried.value ? say.retried : ''}
      </p>
      <Refused refusal={sending.refusal} />
      <CallsShown made={sending.made} />
    </li>
  );
}
