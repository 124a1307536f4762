/** What a product does by itself, and its key: changed over the air, by commands that are followed to their end. */
import type { components } from '@parking-gateway/client';
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { failureSentence } from '../wording/sentences.js';
import { drafts, words } from './browser.js';
import { useKeyedDraft } from './draft.js';
import { Field, fieldsOf } from './fields.js';
import { HIDDEN, SentForm } from './form-parts.js';
import { Hearing, TestMovement } from './hearing-part.js';
import { Question } from './parts.js';
import { useSending } from './sending.js';
import { moveNow } from './commands.js';
import { client } from './session.js';
import { printedId, wholeFault } from './setup-fields.js';
import { loadAll, type Product } from './store.js';

type Command = components['schemas']['Command'];

const POLL_MS = 1_000;
const SECONDS = { least: 1, most: 255 };
const LABEL = /^[0-9a-f]{32}$/;

export function ProductSettings({ product }: { product: Product }) {
  return (
    <>
      <Hearing product={product} />
      <TestMovement id={product.id} />
      {product.barrier !== undefined && product.is_paired === 1 && (
        <AutoClose product={product} barrier={product.barrier} />
      )}
      <details class="others" open={product.is_paired === 0}>
        <summary>{words.setup.pair}</summary>
        <Pairing id={product.id} />
      </details>
    </>
  );
}

/** Sends a command, and asks what became of it until it has ended. */
function useCommand<Name extends string>(fields: readonly Name[], check: () => { [Each in Name]?: string }) {
  const sending = useSending(fields, check);
  const eventId = useSignal<string | null>(null);
  const record = useSignal<Command | null>(null);
  useEffect(() => {
    const { value: id } = eventId;
    if (id === null) return;
    const ask = async () => {
      // When no answer comes, the next poll asks again.
      const found = await client()
        .get('/v2/commands/{event_id}', { path: { event_id: id } })
        .catch(() => null);
      if (found === null || eventId.value !== id) return;
      record.value = found;
      if (found.status === 'pending') return;
      eventId.value = null;
      await loadAll();
    };
    const timer = setInterval(() => void ask(), POLL_MS);
    void ask();
    return () => clearInterval(timer);
  }, [eventId.value]);
  return {
    sending,
    isPending: eventId.value !== null,
    record: record.value,
    /** @returns whether the service took it */
    async give(work: () => Promise<{ event_id: string }>): Promise<boolean> {
      if (eventId.value !== null) return false;
      record.value = null;
      return await sending.send(async () => {
        eventId.value = (await work()).event_id;
      });
    },
  };
}

function Outcome({ of, done }: { of: ReturnType<typeof useCommand>; done: string }) {
  const { isPending, record } = of;
  const isFailed = record?.status === 'failed';
  const text = isPending
    ? words.setup.underWay
    : record === null
      ? ''
      : isFailed
        ? failureSentence(record.gateway_error?.type ?? 'Timeout', words)
        : done;
  return (
    <p role="status" class={text === '' ? 'hidden' : `notice ${isPending ? 'busy' : isFailed ? 'bad' : 'good'}`}>
      {text}
    </p>
  );
}

function AutoClose({ product, barrier }: { product: Product; barrier: NonNullable<Product['barrier']> }) {
  const say = words.setup;
  const { id } = product;
  const isAsked = useSignal(false);
  const draft = `settings-${id}`;
  // The fields keep the values that were sent: the product reports new settings only after it has taken them.
  const { form, set } = useKeyedDraft(draft, {
    isOn: barrier.is_autoclose === 1,
    seconds: String(barrier.autoclose_time),
  });
  const faults = wholeFault('autoclose_time', form.seconds, SECONDS);
  const command = useCommand(['is_autoclose', 'autoclose_time'], () => faults);
  const { sending, isPending } = command;
  const { field, check } = fieldsOf(form, set, () => sending.faults.autoclose_time);
  const body = { is_autoclose: form.isOn ? (1 as const) : (0 as const), autoclose_time: Number(form.seconds) };
  // A barrier that stands open closes soon after it. What is wrong with the form is said before anything is asked.
  const closes = form.isOn && barrier.is_autoclose !== 1 && Object.keys(faults).length === 0;
  const send = async () => {
    isAsked.value = false;
    if (
      await command.give(() =>
        moveNow((mover, how) => mover.post('/v2/products/{id}/settings', { path: { id }, body, ...how })),
      )
    )
      drafts.forget(draft);
  };
  return (
    <SentForm
      class="form"
      label={say.settings}
      sending={{ isBusy: isPending, refusal: sending.refusal }}
      onSend={async () => {
        if (closes) isAsked.value = true;
        else await send();
      }}
      yes={say.settingsSend}
      isMain={false}
      outcome={<Outcome of={command} done={say.settingsDone} />}
      call={{ method: 'POST', path: `/v2/products/${id}/settings`, body }}
    >
      <h3>{say.settings}</h3>
      {isAsked.value && (
        <Question
          title={words.command.ask(say.autoClose, product.name)}
          yes={say.settingsSend}
          isNoFirst
          onNo={() => (isAsked.value = false)}
          onYes={() => void send()}
        >
          <p>{words.product.closeWhat}</p>
        </Question>
      )}
      {check('isOn', say.autoClose)}
      {field('seconds', say.autoCloseSeconds, { inputmode: 'numeric' })}
    </SentForm>
  );
}

/** Gives a product a key, by the secret of its label. */
export function Pairing({ id }: { id: number }) {
  const say = words.setup;
  // No draft: it is a secret, which stands on the product.
  const secret = useSignal('');
  const label = printedId(secret.value);
  const command = useCommand(['label_secret'], () => (LABEL.test(label) ? {} : { label_secret: say.wrongLabel }));
  const { sending, isPending } = command;
  const send = async () => {
    const body = { label_secret: label };
    if (
      await command.give(() =>
        moveNow((mover, how) => mover.post('/v2/products/{id}/pair', { path: { id }, body, ...how })),
      )
    )
      secret.value = '';
  };
  return (
    <SentForm
      class="form"
      label={say.pair}
      sending={{ isBusy: isPending, refusal: sending.refusal }}
      onSend={send}
      yes={say.pairSend}
      isMain={false}
      outcome={<Outcome of={command} done={say.pairDone} />}
      call={{ method: 'POST', path: `/v2/products/${id}/pair`, body: { label_secret: HIDDEN } }}
    >
      <p class="facts">{say.pairWhat}</p>
      <Field
        label={say.label}
        hint={say.labelHint}
        value={secret.value}
        onValue={(value) => (secret.value = value)}
        fault={sending.faults.label_secret}
      />
    </SentForm>
  );
}
