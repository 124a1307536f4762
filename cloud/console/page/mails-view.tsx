/** Mails that the service writes: which wait, which came to nothing, and why. */
import type { components } from '@parking-gateway/client';
import { useSignal } from '@preact/signals';
import { accountWords } from './account-words.js';
import { Listed, Row } from './admin-parts.js';
import { timeOf, words } from './browser.js';
import { filterOf, QueryChoice, QueryField, worded } from './fields.js';
import { AsOf, useKeptUp } from './kept-up.js';
import { type LongList, ROWS_AT_ONCE, useLongList } from './long-list.js';
import { CallsShown } from './made-calls.js';
import { Button, Refused, Notice } from './parts.js';
import { queryOf } from './place.js';
import { useSending } from './sending.js';
import { client } from './session.js';

const say = accountWords.mails;

type Mail = components['schemas']['Mail'];

const TONES = { queued: 'warn', sent: 'good', failed: 'bad' } as const;

export function MailsView() {
  const filter = filterOf({ 'receiver_email:like': queryOf('to'), 'status:eq': queryOf('status') });
  const mails: LongList<Mail> = useLongList(JSON.stringify(filter), ({ beyond, size }, signal) =>
    client().get('/v2/mails', { query: { filter: [...filter, ...beyond], size }, signal }),
  );
  useKeptUp(mails, queryOf('to') === '' && (mails.found?.length ?? 0) <= ROWS_AT_ONCE);
  return (
    <>
      <h1 tabIndex={-1}>{words.views.mails}</h1>
      <search class="card filters">
        <QueryField name="to" label={say.receiver} type="search" />
        <QueryChoice name="status" label={words.forms.status} options={worded({ '': say.all, ...say.statuses })} />
      </search>
      <AsOf list={mails} />
      <Listed
        list={mails}
        none={say.none}
        row={(mail) => <MailRow key={mail.id} mail={mail} onRetried={mails.again} />}
      />
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
  const isSent = status === 'sent';
  return (
    <Row
      name={receiver_email}
      tags={
        <>
          <span class="tag">{say.kinds[kind]}</span>
          <span class={`tag ${TONES[status]}`}>{say.statuses[status]}</span>
        </>
      }
      facts={[
        say.made(timeOf(created_at)),
        say.attempts(attempts),
        next_attempt_at !== null && say.next(timeOf(next_attempt_at)),
        sent_at !== null && say.sent(timeOf(sent_at)),
      ]}
      buttons={!isSent && <Button look="small" word={say.retry} about={receiver_email} onClick={retry} />}
    >
      {last_error !== null && !isSent && <p class="said-bad">{last_error}</p>}
      <Notice text={isRetried.value ? say.retried : ''} />
      <Refused refusal={sending.refusal} />
      <CallsShown made={sending.made} />
    </Row>
  );
}
