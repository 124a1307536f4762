/** One key: whose it is, how often it was used, what became of its mail, and what can be done with it. */
import type { components } from '@parking-gateway/client';
import { useSignal } from '@preact/signals';
import type { ShownCall } from '../wording/sentences.js';
import { DeleteButton, Row } from './admin-parts.js';
import { timeOf, words } from './browser.js';
import { CallsShown } from './made-calls.js';
import { Button, Refused, Notice } from './parts.js';
import { shownPlate } from './plate-mask.js';
import { RevealButton } from './plate-part.js';
import { useSending } from './sending.js';
import { client } from './session.js';
import { minute, productOf, timezoneOfLot } from './store.js';
import { useRead } from './use-read.js';

type KeyLog = components['schemas']['KeyLog'];

const VALID = new Set(['active', 'reactived']);

export function KeyRow({ keyLog, onChanged }: { keyLog: KeyLog; onChanged: () => void }) {
  const { id, receiver_identifier, receiver_identifier_type, status, operation_token, invitation } = keyLog;
  const isPlate = receiver_identifier_type === 'license_plate';
  const receiver = isPlate ? shownPlate(receiver_identifier) : receiver_identifier;
  const { sending, notice, setStatus, resend } = useKeyChanges(id, onChanged);
  const say = words.keyList;
  const isValid = VALID.has(status);
  const action = (word: string, work: () => void) => (
    <Button look="small" word={word} about={receiver} onClick={work} />
  );
  return (
    <Row
      name={receiver}
      tags={
        <>
          {isPlate && <RevealButton asked={[{ of: { list: 'key-logs', id }, plates: [receiver_identifier] }]} />}
          <span class={isValid ? 'tag good' : 'tag'}>{words.keys.statuses[status]}</span>
          {receiver_identifier_type !== 'email' && <span class="tag">{say.kinds[receiver_identifier_type]}</span>}
        </>
      }
      facts={factsOf(keyLog)}
      buttons={
        <>
          {isValid && action(words.keys.block, () => setStatus('blocked'))}
          {isValid && receiver_identifier_type === 'email' && action(words.keys.resend, resend)}
          {status === 'blocked' && action(words.keys.unblock, () => setStatus('reactived'))}
          <DeleteButton
            list="/v2/key-logs"
            id={id}
            word={words.forms.delete}
            about={receiver}
            title={say.removeTitle(receiver)}
            what={say.removeWhat}
            onDone={onChanged}
          />
        </>
      }
    >
      {status === 'blocked' && <Denial tokenId={operation_token.id} />}
      <Notice text={notice.value} />
      {invitation?.status === 'failed' && (
        <p class="notice bad">
          {say.mailFailed} {invitation.last_error !== null && say.saidBy(invitation.last_error)}
        </p>
      )}
      <Refused refusal={sending.refusal} />
      <CallsShown made={sending.made} />
    </Row>
  );
}

/** What can be done with a key, and what is told of it. */
function useKeyChanges(id: number, onChanged: () => void) {
  const sending = useSending([]);
  const notice = useSignal('');
  const change = async (call: ShownCall, work: () => Promise<unknown>, said = '') => {
    notice.value = '';
    if (!(await sending.send(work, { call }))) return;
    notice.value = said;
    onChanged();
  };
  return {
    sending,
    notice,
    setStatus(next: 'blocked' | 'reactived') {
      const body = { status: next };
      const call = { method: 'PATCH', path: `/v2/key-logs/${id}`, body };
      void change(call, () => client().patch('/v2/key-logs/{id}', { path: { id }, body }));
    },
    resend() {
      const body = { ids: [id] };
      const call = { method: 'POST', path: '/v2/key-logs/resend', body };
      void change(call, () => client().post('/v2/key-logs/resend', { body }), words.keys.resent);
    },
  };
}

function factsOf({ product, operation_token, invitation, sender, created_at }: KeyLog) {
  const { start_time, end_time, used_count } = operation_token;
  const timezone = timezoneOfLot(productOf(product?.id)?.lot_id);
  const say = words.keyList;
  return [
    product?.name,
    Date.parse(start_time) > Date.now() && say.starts(timeOf(start_time, timezone)),
    end_time === null ? words.keys.endless : words.keys.until(timeOf(end_time, timezone)),
    words.keys.used(used_count),
    mailFact(invitation, timezone),
    say.given(sender?.name ?? say.nobody, timeOf(created_at, timezone)),
  ];
}

function mailFact(invitation: KeyLog['invitation'], timezone: string | undefined): string | undefined {
  if (invitation === null) return undefined;
  const { status, sent_at } = invitation;
  return sent_at === null ? words.keys.mails[status] : words.keyList.mailSent(timeOf(sent_at, timezone));
}

/** Phones open without the cloud: a blocked key is over only when the product knows. */
function Denial({ tokenId }: { tokenId: number }) {
  const read = useRead(`${tokenId} ${minute.value}`, (signal) =>
    client().get('/v2/operation-tokens/{id}/delivery', { path: { id: tokenId }, signal }),
  );
  const found = read.found;
  if (found === null || found.state === 'none') return null;
  const { denial } = words.keyList;
  return (
    <p class="facts">
      {found.state === 'pending' || found.delivered_at === null
        ? denial.pending
        : denial.delivered(timeOf(found.delivered_at))}
    </p>
  );
}
