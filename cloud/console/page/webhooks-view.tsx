/** Webhooks: where events are posted, and what became of each. */
import { useSignal } from '@preact/signals';
import type { components } from '@parking-gateway/client';
import { urlFault } from '../wording/form-checks.js';
import { AddingForm, AskButton, SaveOrCancel, Secret } from './admin-parts.js';
import { Checks } from './form-parts.js';
import { timeOf, words } from './browser.js';
import { Deliveries } from './deliveries-part.js';
import { useDraft } from './draft.js';
import { CallShown, Choice, Dialog, Empty, Field, Refused, SmallButton } from './parts.js';
import { query, setQuery } from './place.js';
import { useSending } from './sending.js';
import { client } from './session.js';
import { useRead } from './use-read.js';

const say = words.webhooks;
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
  const asked = useRead('webhooks', (signal) =>
    client().get('/v2/webhooks', { query: { size: WEBHOOKS_MAX, sort: 'id:asc' }, signal }),
  );
  const secret = useSignal<WithSecret | null>(null);
  const onSecret = (made: WithSecret) => {
    secret.value = made;
    asked.again();
    scrollTo({ top: 0 });
  };
  const webhooks = asked.value.value;
  return (
    <>
      <h1 tabIndex={-1}>{say.title}</h1>
      <p class="facts">{say.what}</p>
      <AddWebhook onMade={onSecret} />
      {secret.value !== null && <SecretShown made={secret.value} onDone={() => (secret.value = null)} />}
      <Refused refusal={asked.refusal.value} onAgain={asked.again} />
      {webhooks === null && asked.refusal.value === null && <Empty>{words.loading}</Empty>}
      {webhooks?.length === 0 && <Empty>{say.none}</Empty>}
      {webhooks?.map((webhook) => (
        <WebhookCard key={webhook.id} webhook={webhook} onChanged={asked.again} onSecret={onSecret} />
      ))}
    </>
  );
}

function SecretShown({ made, onDone }: { made: WithSecret; onDone: () => void }) {
  if (made.secret === null) return <p class="notice bad">{words.admin.secretLost}</p>;
  return <Secret title={say.secret(made.url ?? '')} value={made.secret} label={say.copySecret} onDone={onDone} />;
}

interface WebhookForm {
  url: string;
  events: EventName[];
}

function useWebhookForm(draft: string, initial: WebhookForm) {
  const [form, reset] = useDraft(draft, initial);
  const sending = useSending(['url', 'events'], () => ({
    ...urlFault(form.value.url, words),
    ...(form.value.events.length === 0 ? { events: say.chooseEvent } : {}),
  }));
  const body = { url: form.value.url.trim(), events: form.value.events };
  return { form, reset, sending, body };
}

function WebhookFields({ form, sending }: Pick<ReturnType<typeof useWebhookForm>, 'form' | 'sending'>) {
  return (
    <>
      <Field
        label={say.url}
        hint={say.urlHint}
        value={form.value.url}
        onValue={(url) => (form.value = { ...form.value, url })}
        fault={sending.faults.url}
      />
      <Checks
        legend={say.events}
        options={EVENT_NAMES.map((id) => ({ id, name: id }))}
        chosen={form.value.events}
        onChosen={(events) => (form.value = { ...form.value, events })}
        fault={sending.faults.events}
      />
    </>
  );
}

function AddWebhook({ onMade }: { onMade: (made: WithSecret) => void }) {
  const { form, reset, sending, body } = useWebhookForm('webhook', { url: '', events: EVENT_NAMES });
  const isOpen = useSignal(form.value.url !== '');
  const send = async () => {
    const isMade = await sending.send(async () => onMade(await client().post('/v2/webhooks', { body })));
    if (!isMade) return;
    reset();
    isOpen.value = false;
  };
  return (
    <AddingForm
      label={say.add}
      isOpen={isOpen}
      sending={sending}
      call={{ method: 'POST', path: '/v2/webhooks', body }}
      onSend={send}
    >
      <WebhookFields form={form} sending={sending} />
    </AddingForm>
  );
}

function WebhookCard(props: { webhook: Webhook; onChanged: () => void; onSecret: (made: WithSecret) => void }) {
  const { webhook, onChanged, onSecret } = props;
  const { id, is_active, last_status, disabled_at, events } = webhook;
  const url = webhook.url ?? '';
  const path = { path: { id } };
  const isChanging = useSignal(false);
  const samples = useSignal(0);
  const switching = useSending([]);
  const isOpen = query.value.get('webhook') === String(id);
  const isOn = is_active === 1;
  const facts = [
    say.eventCount(events.length, EVENT_NAMES.length),
    last_status === null ? say.noAnswer : say.lastStatus(last_status),
    ...(disabled_at === null ? [] : [say.offSince(timeOf(disabled_at))]),
  ];
  const toggle = async () => {
    const body = { is_active: isOn ? (0 as const) : (1 as const) };
    if (await switching.send(() => client().patch('/v2/webhooks/{id}', { ...path, body }))) onChanged();
  };
  return (
    <article class="card device" aria-labelledby={`webhook-${id}`}>
      <header>
        <div>
          <h2 id={`webhook-${id}`} class="address">
            {url}
          </h2>
          <p class="facts">{facts.join(' · ')}</p>
        </div>
        <span class={isOn ? 'tag good' : 'tag bad'}>{isOn ? say.on : say.off}</span>
      </header>
      <Refused refusal={switching.refusal} />
      <div class="buttons">
        <SmallButton
          word={say.deliveries}
          about={url}
          isExpanded={isOpen}
          onClick={() => setQuery({ webhook: isOpen ? '' : String(id) })}
        />
        <SmallButton word={say.change} about={url} onClick={() => (isChanging.value = true)} />
        <SmallButton word={isOn ? say.switchOff : say.switchOn} about={url} onClick={() => void toggle()} />
        <AskButton
          label={say.rotate}
          about={url}
          title={say.rotateTitle}
          what={say.rotateWhat}
          call={{ method: 'POST', path: `/v2/webhooks/${id}/rotate-secret` }}
          isDanger={false}
          onYes={async () => onSecret(await client().post('/v2/webhooks/{id}/rotate-secret', path))}
        />
        <AskButton
          label={words.admin.delete}
          about={url}
          title={say.deleteTitle}
          what={say.deleteWhat}
          call={{ method: 'DELETE', path: `/v2/webhooks/${id}` }}
          onYes={async () => {
            await client().delete('/v2/webhooks/{id}', path);
            onChanged();
          }}
        />
      </div>
      {isOn && (
        <SampleForm
          webhook={webhook}
          onSent={() => {
            samples.value += 1;
            onChanged();
          }}
        />
      )}
      {isOpen && <Deliveries webhook={webhook} version={samples.value} />}
      {isChanging.value && (
        <Dialog title={url} onClose={() => (isChanging.value = false)} class="wide">
          <ChangeWebhook webhook={webhook} onDone={() => (isChanging.value = false)} onChanged={onChanged} />
        </Dialog>
      )}
    </article>
  );
}

function ChangeWebhook(props: { webhook: Webhook; onDone: () => void; onChanged: () => void }) {
  const { id, url, events } = props.webhook;
  const { form, reset, sending, body } = useWebhookForm(`webhook-${id}`, { url: url ?? '', events });
  const send = async (event: SubmitEvent) => {
    event.preventDefault();
    if (!(await sending.send(() => client().patch('/v2/webhooks/{id}', { path: { id }, body })))) return;
    reset();
    props.onChanged();
    props.onDone();
  };
  return (
    <form class="form" noValidate onSubmit={(event) => void send(event)}>
      <WebhookFields form={form} sending={sending} />
      <Refused refusal={sending.refusal} />
      <SaveOrCancel
        isBusy={sending.isBusy}
        onCancel={() => {
          reset();
          props.onDone();
        }}
      />
      <CallShown call={{ method: 'PATCH', path: `/v2/webhooks/${id}`, body }} />
    </form>
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
        options={EVENT_NAMES.map((each) => ({ value: each, text: each }))}
      />
      <button type="submit" aria-disabled={sending.isBusy}>
        {say.test}
      </button>
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
