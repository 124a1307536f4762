/** Webhooks: where events are posted, and what became of each. */
import type { components } from '@parking-gateway/client';
import { useSignal } from '@preact/signals';
import { urlFault } from '../wording/form-checks.js';
import { accountWords } from './account-words.js';
import { AddingForm } from './adding-form.js';
import { AskButton, DeleteButton, DialogButton, ListState, Secret } from './admin-parts.js';
import { timeOf, words } from './browser.js';
import { Deliveries } from './deliveries-part.js';
import { useDraft } from './draft.js';
import { Choice, worded } from './fields.js';
import { SentForm, useForm } from './form-parts.js';
import { Button, joined, Refused } from './parts.js';
import { queryOf, setQuery } from './place.js';
import { type Sending, useSending } from './sending.js';
import { client } from './session.js';
import { AsOf, useKeptUp } from './kept-up.js';
import { useRead } from './use-read.js';

const say = accountWords.webhooks;
/** More an account cannot have. */
const WEBHOOKS_MAX = 100;

export type Webhook = components['schemas']['Webhook'];
type WithSecret = components['schemas']['WebhookWithSecret'];
type EventName = Webhook['events'][number];

/** In the order of a vehicle's way; the compiler holds this to what the service has. */
const EVENTS: Readonly<Record<EventName, true>> = {
  lot_change: true,
  gateway_error: true,
  gateway_status: true,
  plate_reading_create: true,
  plate_reading_update: true,
  lpr_event: true,
  session_create: true,
  session_update: true,
  lpr_camera_status: true,
  lot_detection_change: true,
  zone_change: true,
  parking_place_change: true,
  parking_gateway_state_change: true,
};
const EVENT_NAMES = Object.keys(EVENTS) as EventName[];

export function WebhooksView() {
  const webhooks = useRead('webhooks', (signal) =>
    client().get('/v2/webhooks', { query: { size: WEBHOOKS_MAX, sort: 'id:asc' }, signal }),
  );
  useKeptUp(webhooks, true);
  const secret = useSignal<WithSecret | null>(null);
  const onSecret = (made: WithSecret) => {
    secret.value = made;
    webhooks.again();
    scrollTo({ top: 0 });
  };
  const make = <AddWebhook onMade={onSecret} />;
  return (
    <>
      <div class="head">
        <div>
          <h1 tabIndex={-1}>{words.views.webhooks}</h1>
          <p class="facts">{say.what}</p>
        </div>
        {webhooks.found?.length !== 0 && make}
      </div>
      {secret.value !== null && (
        <Secret
          title={say.secret(secret.value.url ?? '')}
          value={secret.value.secret}
          label={say.copySecret}
          onDone={() => (secret.value = null)}
        />
      )}
      <AsOf list={webhooks} />
      <ListState list={webhooks} none={say.none} first={make} />
      {webhooks.found?.map((webhook) => (
        <WebhookCard key={webhook.id} webhook={webhook} onChanged={webhooks.again} onSecret={onSecret} />
      ))}
    </>
  );
}

const urlOf = ({ url }: { url: string | null }): string => url ?? '';

function useWebhookForm(draft: string, initial: { url: string; events: EventName[] }) {
  const own = useForm(draft, initial, ['url', 'events'], ({ url, events }) => ({
    ...urlFault(url, words, say.notUrl),
    ...(events.length === 0 ? { events: say.chooseEvent } : {}),
  }));
  const fields = (
    <>
      {own.field('url', words.forms.address, { hint: say.urlHint })}
      {own.checks(
        'events',
        say.events,
        EVENT_NAMES.map((id) => ({ id, name: id })),
      )}
    </>
  );
  return { ...own, fields, body: { url: own.form.url.trim(), events: own.form.events } };
}

function AddWebhook({ onMade }: { onMade: (made: WithSecret) => void }) {
  const { sending, submit, body, fields } = useWebhookForm('webhook', { url: '', events: EVENT_NAMES });
  const send = () => submit(async () => onMade(await client().post('/v2/webhooks', { body })));
  return (
    <AddingForm label={say.add} sending={sending} call={{ method: 'POST', path: '/v2/webhooks', body }} onSend={send}>
      {fields}
    </AddingForm>
  );
}

function WebhookCard(props: { webhook: Webhook; onChanged: () => void; onSecret: (made: WithSecret) => void }) {
  const { webhook, onChanged } = props;
  const { id, is_active, last_status, disabled_at, events } = webhook;
  const samples = useSignal(0);
  const switching = useSending([]);
  const isOn = is_active === 1;
  const onSent = () => {
    samples.value += 1;
    onChanged();
  };
  const facts = [
    say.eventCount(events.length, EVENT_NAMES.length),
    last_status === null ? say.noAnswer : say.lastStatus(last_status),
    disabled_at !== null && say.offSince(timeOf(disabled_at)),
  ];
  return (
    <article class="card device" aria-labelledby={`webhook-${id}`}>
      <header>
        <div>
          <h2 id={`webhook-${id}`} class="address">
            {urlOf(webhook)}
          </h2>
          <p class="facts">{joined(facts)}</p>
        </div>
        <span class={isOn ? 'tag good' : 'tag bad'}>{isOn ? say.on : say.off}</span>
      </header>
      <Refused refusal={switching.refusal} />
      <div class="buttons">
        <WebhookButtons {...props} switching={switching} />
      </div>
      {isOn && <SampleForm webhook={webhook} onSent={onSent} />}
      {queryOf('webhook') === String(id) && <Deliveries webhook={webhook} version={samples.value} />}
    </article>
  );
}

/** What can be done with a webhook. @param props.switching on and off: it is said above the buttons why that was refused */
function WebhookButtons(props: Parameters<typeof WebhookCard>[0] & { switching: Sending<never> }) {
  const { webhook, onChanged, onSecret, switching } = props;
  const { id } = webhook;
  const url = urlOf(webhook);
  const isOn = webhook.is_active === 1;
  const isOpen = queryOf('webhook') === String(id);
  const path = { path: { id } };
  const toggle = async () => {
    const body = { is_active: isOn ? (0 as const) : (1 as const) };
    if (await switching.send(() => client().patch('/v2/webhooks/{id}', { ...path, body }))) onChanged();
  };
  return (
    <>
      <Button
        look="small"
        word={say.deliveries}
        about={url}
        isExpanded={isOpen}
        onClick={() => setQuery({ webhook: isOpen ? '' : String(id) })}
      />
      <DialogButton word={words.forms.change} about={url} title={url} class="wide">
        {(close) => <ChangeWebhook webhook={webhook} onClose={close} onChanged={onChanged} />}
      </DialogButton>
      <Button look="small" word={isOn ? say.switchOff : say.switchOn} about={url} onClick={toggle} />
      <AskButton
        label={say.rotate}
        about={url}
        title={say.rotateTitle}
        what={say.rotateWhat}
        call={{ method: 'POST', path: `/v2/webhooks/${id}/rotate-secret` }}
        isDanger={false}
        onYes={async () => onSecret(await client().post('/v2/webhooks/{id}/rotate-secret', path))}
      />
      <DeleteButton
        list="/v2/webhooks"
        id={id}
        about={url}
        title={say.deleteTitle}
        what={say.deleteWhat}
        onDone={onChanged}
      />
    </>
  );
}

function ChangeWebhook(props: { webhook: Webhook; onClose: () => void; onChanged: () => void }) {
  const { id, events } = props.webhook;
  const { reset, sending, submit, body, fields } = useWebhookForm(`webhook-${id}`, {
    url: urlOf(props.webhook),
    events,
  });
  const close = () => {
    reset();
    props.onClose();
  };
  const send = async () => {
    if (!(await submit(() => client().patch('/v2/webhooks/{id}', { path: { id }, body })))) return;
    props.onChanged();
    props.onClose();
  };
  return (
    <SentForm
      class="form"
      sending={sending}
      onSend={send}
      yes={words.forms.save}
      onCancel={close}
      call={{ method: 'PATCH', path: `/v2/webhooks/${id}`, body }}
    >
      {fields}
    </SentForm>
  );
}

/** Posts one made-up event, so that a receiver can be tried before something happens. */
function SampleForm({ webhook, onSent }: { webhook: Webhook; onSent: () => void }) {
  const { id, events } = webhook;
  const [form] = useDraft(`sample-${id}`, { event: events[0] ?? 'lot_change' });
  const outcome = useSignal<components['schemas']['WebhookDelivery'] | null>(null);
  const sending = useSending(['event']);
  const send = async (submit: SubmitEvent) => {
    submit.preventDefault();
    outcome.value = null;
    const event = EVENT_NAMES.find((each) => each === form.value.event) ?? 'lot_change';
    const isSent = await sending.send(async () => {
      outcome.value = await client().post('/v2/webhooks/{id}/test', { path: { id }, body: { event } });
    });
    if (isSent) onSent();
  };
  return (
    <form class="inline" onSubmit={(event) => void send(event)} aria-label={`${say.test}: ${webhook.url ?? ''}`}>
      <Choice
        label={say.testEvent}
        value={form.value.event}
        onValue={(event) => (form.value = { event: EVENT_NAMES.find((each) => each === event) ?? 'lot_change' })}
        options={worded({}, EVENT_NAMES)}
      />
      <Button word={say.test} isBusy={sending.isBusy} />
      <div class="outcome" role="status">
        {outcome.value !== null && <SampleOutcome outcome={outcome.value} />}
      </div>
      <Refused refusal={sending.refusal} />
    </form>
  );
}

function SampleOutcome({ outcome }: { outcome: components['schemas']['WebhookDelivery'] }) {
  const { status_code, error } = outcome;
  if (error === null && status_code !== null) return <p class="notice good">{say.testGood(status_code)}</p>;
  return <p class="notice bad">{say.testBad(error ?? say.failed(status_code))}</p>;
}
