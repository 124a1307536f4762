/** Keys of guests: how they are given, and who has one. */
import { useSignal } from '@preact/signals';
import { emailsIn, inviteFaults } from '../wording/form-checks.js';
import { keyTimesBody, keyTimesFaults, newKeyTimes } from '../wording/key-times.js';
import { words } from './browser.js';
import { useKeyedDraft } from './draft.js';
import { KeyRow } from './key-row.js';
import { KeyTimesFields, timezoneOfProducts } from './key-times-fields.js';
import { CallShown, Choice, Empty, Field, Refused } from './parts.js';
import { query, setQuery } from './place.js';
import { PlateKey } from './plate-key-part.js';
import { useSending } from './sending.js';
import { client } from './session.js';
import { isLoaded, products } from './store.js';
import { useRead } from './use-read.js';
import { Weblinks } from './weblinks-part.js';

const PAGE = 50;
const SHOWN_MAX = 300;
const STATUSES = ['active', 'blocked', 'expired', 'depleted', 'invalid'] as const;

export function KeysView() {
  const of = (name: string) => query.value.get(name) ?? '';
  const [receiver, status] = [of('receiver'), of('status')];
  const size = useSignal(PAGE);
  const filter = [
    ...(receiver === '' ? [] : [`receiver_identifier:like:${receiver}`]),
    // A key that was unblocked is as good as any other.
    ...(status === '' ? [] : [status === 'active' ? 'status:in:active,reactived' : `status:eq:${status}`]),
  ];
  const given = useRead(JSON.stringify([filter, size.value]), (signal) =>
    client().get('/v2/key-logs', { query: { filter, size: size.value }, signal }),
  );
  if (!isLoaded.value) return <Empty>{words.loading}</Empty>;
  const found = given.value.value;
  const say = words.keyList;
  return (
    <>
      <h1 tabIndex={-1}>{words.keys.title}</h1>
      <p class="hint">{words.keys.which}</p>
      <div class="forms">
        <Invite onGiven={given.again} />
        <PlateKey onGiven={given.again} />
      </div>
      <h2>{words.keys.given}</h2>
      <search class="card filters">
        <Field label={say.search} type="search" value={receiver} onValue={(value) => setQuery({ receiver: value })} />
        <Choice
          label={say.status}
          value={status}
          onValue={(value) => setQuery({ status: value })}
          options={[
            { value: '', text: say.all },
            ...STATUSES.map((each) => ({ value: each, text: words.keys.statuses[each] ?? each })),
          ]}
        />
      </search>
      <Refused refusal={given.refusal.value} onAgain={given.again} />
      {found?.length === 0 && <Empty>{filter.length === 0 ? words.keys.none : say.noneFits}</Empty>}
      <ul class="stays">
        {found?.map((key) => (
          <KeyRow key={key.id} keyLog={key} onChanged={given.again} />
        ))}
      </ul>
      {found !== null && found.length === size.value && size.value < SHOWN_MAX && (
        <button type="button" onClick={() => (size.value += PAGE)}>
          {words.forms.more}
        </button>
      )}
      <Weblinks />
    </>
  );
}

const EMPTY = { emails: '', products: [] as string[] };

const FIELDS = ['receiver_emails', 'products', 'start_time', 'end_time'] as const;

function Invite({ onGiven }: { onGiven: () => void }) {
  const { form, set: change, key, reset } = useKeyedDraft('invite', { ...EMPTY, ...newKeyTimes(Date.now()) });
  const timezone = timezoneOfProducts(form.products);
  const done = useSignal<string | null>(null);
  const sending = useSending(FIELDS, () => ({
    ...inviteFaults(form, words),
    ...keyTimesFaults(form, timezone, words),
  }));
  const { faults } = sending;
  const body = {
    receiver_emails: emailsIn(form.emails),
    products: form.products,
    ...keyTimesBody(form, timezone),
  };
  const set = (changed: Partial<typeof form>) => {
    change(changed);
    done.value = null;
  };
  const send = async (event: SubmitEvent) => {
    event.preventDefault();
    if (!(await sending.send(() => client().post('/v2/operation-keys', { body, idempotencyKey: key() })))) return;
    reset();
    done.value = words.keys.sent(body.receiver_emails.join(', '));
    onGiven();
  };
  const toggle = (id: string, isChosen: boolean) =>
    set({ products: isChosen ? [...form.products, id] : form.products.filter((each) => each !== id) });
  return (
    <form class="card invite" noValidate onSubmit={(event) => void send(event)} aria-labelledby="invite">
      <h2 id="invite">{words.keys.invite}</h2>
      <Field
        label={words.keys.emails}
        hint={words.keys.emailsHint}
        value={form.emails}
        onValue={(emails) => set({ emails })}
        fault={faults.receiver_emails}
      />
      <fieldset aria-describedby="invite-products">
        <legend>{words.keys.products}</legend>
        <div class="choices">
          {products.value.map(({ id, name }) => (
            <label key={id} class="check">
              <input
                type="checkbox"
                checked={form.products.includes(String(id))}
                onChange={(event) => toggle(String(id), event.currentTarget.checked)}
              />
              {name}
            </label>
          ))}
        </div>
        <p id="invite-products" class="fault">
          {faults.products}
        </p>
      </fieldset>
      <KeyTimesFields times={form} timezone={timezone} set={set} faults={faults} />
      <Refused refusal={sending.refusal} />
      <p role="status" class={done.value === null ? '' : 'notice good'}>
        {done.value}
      </p>
      <div class="buttons">
        <button type="submit" class="main" aria-disabled={sending.isBusy}>
          {words.keys.send}
        </button>
      </div>
      <CallShown call={{ method: 'POST', path: '/v2/operation-keys', body }} />
    </form>
  );
}
