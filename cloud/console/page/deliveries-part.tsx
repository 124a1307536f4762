/** What was posted to a webhook, and what became of it. */
import { useSignal } from '@preact/signals';
import type { components } from '@parking-gateway/client';
import { useEffect } from 'preact/hooks';
import { accountWords } from './account-words.js';
import { MoreRowsButton } from './admin-parts.js';
import { type LongList, useLongList } from './long-list.js';
import { exactTimeOf } from './browser.js';
import { CallsShown } from './made-calls.js';
import { Button, Refused } from './parts.js';
import { useSending } from './sending.js';
import { client } from './session.js';

const say = accountWords.webhooks;
/** How often the list is read again while a delivery waits. */
const WAITING_MS = 3_000;
/** A delivery that is sent again shows its old outcome until the new one comes: the list is read so many times for it. */
const ASKED_AFTER_SENDING = 10;

type Delivery = components['schemas']['WebhookDelivery'];

const waits = ({ status_code, error }: Delivery): boolean => status_code === null && error === null;

/** @param props.version is another one when something may have been posted */
export function Deliveries(props: { webhook: { id: number; url: string | null }; version: number }) {
  const { webhook, version } = props;
  const { id } = webhook;
  const list: LongList<Delivery> = useLongList(`${id} ${version}`, ({ beyond, size }, signal) =>
    client().get('/v2/webhooks/{id}/deliveries', { path: { id }, query: { filter: beyond, size }, signal }),
  );
  const asksLeft = useSignal(0);
  const isOpen = (list.found?.some(waits) ?? false) || asksLeft.value > 0;
  useEffect(() => {
    if (!isOpen) return;
    const timer = setInterval(() => {
      asksLeft.value = Math.max(0, asksLeft.value - 1);
      list.again();
    }, WAITING_MS);
    return () => clearInterval(timer);
  }, [isOpen]);
  const onSent = () => {
    asksLeft.value = ASKED_AFTER_SENDING;
    list.again();
  };
  return (
    <section aria-label={`${say.deliveries}: ${webhook.url ?? ''}`}>
      <Refused refusal={list.refusal} onAgain={list.again} />
      {list.found?.length === 0 && <p class="facts">{say.noDeliveries}</p>}
      <ul class="rows">
        {list.found?.map((delivery) => (
          <DeliveryRow key={delivery.id} delivery={delivery} onSent={onSent} />
        ))}
      </ul>
      <MoreRowsButton more={list.more} />
    </section>
  );
}

function DeliveryRow({ delivery, onSent }: { delivery: Delivery; onSent: () => void }) {
  const { id, webhook_id, event, status_code, error, attempt, created_at, webhook_id_header } = delivery;
  const sending = useSending([]);
  const isSent = useSignal(false);
  const redeliver = async () => {
    const path = { id: webhook_id, deliveryId: id };
    const call = { method: 'POST', path: `/v2/webhooks/${webhook_id}/deliveries/${id}/redeliver` };
    isSent.value = await sending.send(
      () => client().post('/v2/webhooks/{id}/deliveries/{deliveryId}/redeliver', { path }),
      { call },
    );
    if (isSent.value) onSent();
  };
  const isAccepted = status_code !== null && error === null;
  const tone = isAccepted ? 'good' : waits(delivery) ? '' : 'bad';
  const text = isAccepted ? say.delivered(status_code) : waits(delivery) ? say.waits : say.failed(status_code);
  return (
    <li>
      <strong>{event}</strong>
      <span class={`tag ${tone}`}>{text}</span>
      <span class="facts">
        {exactTimeOf(created_at)} · {say.attempts(attempt)} · {webhook_id_header}
      </span>
      <Button look="small" word={say.redeliver} about={`${event} ${webhook_id_header}`} onClick={redeliver} />
      {error !== null && <p class="said-bad">{error}</p>}
      <p role="status" class={isSent.value ? 'notice good' : ''}>
        {isSent.value ? say.redelivered : ''}
      </p>
      <Refused refusal={sending.refusal} />
      <CallsShown made={sending.made} />
    </li>
  );
}
