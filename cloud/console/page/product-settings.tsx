/** What a product does by itself, and its key: changed over the air, by commands that are followed to their end. */
import { useSignal } from '@preact/signals';
import type { components } from '@parking-gateway/client';
import { useEffect } from 'preact/hooks';
import { failureSentence } from '../wording/sentences.js';
import { drafts, words } from './browser.js';
import { useDraft } from './draft.js';
import { CallShown, Field, Refused } from './parts.js';
import { useSending } from './sending.js';
import { client } from './session.js';
import { loadAll, type Product } from './store.js';

type Command = components['schemas']['Command'];

const POLL_MS = 1_000;
const SECONDS = { least: 1, most: 255 };
const LABEL = /^[0-9a-f]{32}$/;
/** Stands for a secret in the call that is shown. */
const HIDDEN = '…';

export function ProductSettings({ product }: { product: Product }) {
  return (
    <>
      {product.barrier !== undefined && <AutoClose id={product.id} barrier={product.barrier} />}
      <Pairing id={product.id} />
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
      // Where nobody answers it is asked again.
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
    <p role="status" class={text === '' ? 'untold' : `notice ${isPending ? 'busy' : isFailed ? 'bad' : 'good'}`}>
      {text}
    </p>
  );
}

function AutoClose({ id, barrier }: { id: number; barrier: NonNullable<Product['barrier']> }) {
  const say = words.setup;
  const draft = `settings-${id}`;
  // What was sent stays in its fields: the product says it itself only when it has it.
  const [form] = useDraft(draft, {
    isOn: barrier.is_autoclose === 1,
    seconds: String(barrier.autoclose_time),
  });
  const { isOn, seconds } = form.value;
  const isRight = /^\d{1,3}$/.test(seconds) && Number(seconds) >= SECONDS.least && Number(seconds) <= SECONDS.most;
  const command = useCommand(['is_autoclose', 'autoclose_time'], () =>
    isRight ? {} : { autoclose_time: words.forms.number(SECONDS.least, SECONDS.most) },
  );
  const body = { is_autoclose: isOn ? (1 as const) : (0 as const), autoclose_time: Number(seconds) };
  const send = async (event: SubmitEvent) => {
    event.preventDefault();
    if (await command.give(() => client().post('/v2/products/{id}/settings', { path: { id }, body })))
      drafts.forget(draft);
  };
  return (
    <form class="form" noValidate onSubmit={(event) => void send(event)} aria-label={say.settings}>
      <h3>{say.settings}</h3>
      <label class="check">
        <input
          type="checkbox"
          checked={isOn}
          onChange={(event) => (form.value = { ...form.value, isOn: event.currentTarget.checked })}
        />
        {say.autoClose}
      </label>
      <Field
        label={say.autoCloseSeconds}
        inputmode="numeric"
        value={seconds}
        onValue={(value) => (form.value = { ...form.value, seconds: value })}
        fault={command.sending.faults.autoclose_time}
      />
      <Refused refusal={command.sending.refusal} />
      <Outcome of={command} done={say.settingsDone} />
      <div class="buttons">
        <button type="submit" aria-disabled={command.isPending}>
          {say.settingsSend}
        </button>
      </div>
      <CallShown call={{ method: 'POST', path: `/v2/products/${id}/settings`, body }} />
    </form>
  );
}

function Pairing({ id }: { id: number }) {
  const say = words.setup;
  // No draft: it is a secret, which stands on the product.
  const secret = useSignal('');
  const label = secret.value.replaceAll(/[\s:.-]/g, '').toLowerCase();
  const command = useCommand(['label_secret'], () => (LABEL.test(label) ? {} : { label_secret: say.wrongLabel }));
  const send = async (event: SubmitEvent) => {
    event.preventDefault();
    const body = { label_secret: label };
    if (await command.give(() => client().post('/v2/products/{id}/pair', { path: { id }, body }))) secret.value = '';
  };
  return (
    <details class="others">
      <summary>{say.pair}</summary>
      <form class="form" noValidate onSubmit={(event) => void send(event)} aria-label={say.pair}>
        <p class="facts">{say.pairWhat}</p>
        <Field
          label={say.label}
          hint={say.labelHint}
          value={secret.value}
          onValue={(value) => (secret.value = value)}
          fault={command.sending.faults.label_secret}
        />
        <Refused refusal={command.sending.refusal} />
        <Outcome of={command} done={say.pairDone} />
        <div class="buttons">
          <button type="submit" aria-disabled={command.isPending}>
            {say.pairSend}
          </button>
        </div>
        <CallShown call={{ method: 'POST', path: `/v2/products/${id}/pair`, body: { label_secret: HIDDEN } }} />
      </form>
    </details>
  );
}
