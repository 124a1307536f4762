/** Keys of guests: how they are given, and who has one. */
import { useSignal } from '@preact/signals';
import { emailsIn, inviteFaults } from '../wording/form-checks.js';
import { keyTimesBody, keyTimesFaults, newKeyTimes } from '../wording/key-times.js';
import { words } from './browser.js';
import { filterOf, QueryChoice, QueryField, worded } from './fields.js';
import { SentForm, useForm } from './form-parts.js';
import { KeyRow } from './key-row.js';
import { KeyTimesFields, timezoneOfProducts } from './key-times-fields.js';
import { AsOf, useKeptUp } from './kept-up.js';
import { LoadingSign } from './loading-sign.js';
import { Button, Empty, Refused, Notice } from './parts.js';
import { queryOf } from './place.js';
import { PlateKey } from './plate-key-part.js';
import { client } from './session.js';
import { isLoaded, products } from './store.js';
import { useRead } from './use-read.js';
import { Weblinks } from './weblinks-part.js';

const PAGE = 50;
const SHOWN_MAX = 300;
const STATUSES = ['active', 'blocked', 'expired', 'depleted', 'invalid'] as const;

export function KeysView() {
  const status = queryOf('status');
  const size = useSignal(PAGE);
  const filter = [
    ...filterOf({ 'receiver_identifier:like': queryOf('receiver') }),
    // A key that was unblocked is as good as any other.
    ...filterOf(status === 'active' ? { 'status:in': 'active,reactived' } : { 'status:eq': status }),
  ];
  const given = useRead(JSON.stringify([filter, size.value]), (signal) =>
    client().get('/v2/key-logs', { query: { filter, size: size.value }, signal }),
  );
  useKeptUp(given, filter.length === 0);
  if (!isLoaded.value) return <LoadingSign />;
  const found = given.found;
  const say = words.keyList;
  return (
    <>
      <h1 tabIndex={-1}>{words.views.keys}</h1>
      <p class="hint">{words.keys.which}</p>
      <div class="forms">
        <Invite onGiven={given.again} />
        <PlateKey onGiven={given.again} />
      </div>
      <h2>{words.keys.given}</h2>
      <search class="card filters">
        <QueryField name="receiver" label={say.search} type="search" />
        <QueryChoice
          name="status"
          label={words.forms.status}
          options={worded({ '': say.all, ...words.keys.statuses }, ['', ...STATUSES])}
        />
      </search>
      <AsOf list={given} />
      <Refused refusal={given.refusal} onAgain={given.again} />
      {found?.length === 0 && <Empty>{filter.length === 0 ? words.keys.none : say.noneFits}</Empty>}
      <ul class="stays">
        {found?.map((key) => (
          <KeyRow key={key.id} keyLog={key} onChanged={given.again} />
        ))}
      </ul>
      {found?.length === size.value && size.value < SHOWN_MAX && (
        <Button word={words.forms.more} onClick={() => (size.value += PAGE)} />
      )}
      <Weblinks />
    </>
  );
}

const EMPTY = { emails: '', products: [] as string[] };

function Invite({ onGiven }: { onGiven: () => void }) {
  const notice = useSignal('');
  const { form, set, key, sending, submit, field, checks } = useForm(
    'invite',
    { ...EMPTY, ...newKeyTimes(Date.now()) },
    ['receiver_emails', 'products', 'start_time', 'end_time'],
    (typed) => ({
      ...inviteFaults(typed, words),
      ...keyTimesFaults(typed, timezoneOfProducts(typed.products), words),
    }),
    () => (notice.value = ''),
  );
  const timezone = timezoneOfProducts(form.products);
  const body = {
    receiver_emails: emailsIn(form.emails),
    products: form.products,
    ...keyTimesBody(form, timezone),
  };
  const send = async () => {
    if (!(await submit(() => client().post('/v2/operation-keys', { body, idempotencyKey: key() })))) return;
    notice.value = words.keys.sent(body.receiver_emails.join(', '));
    onGiven();
  };
  return (
    <SentForm
      class="card invite"
      title={words.keys.invite}
      sending={sending}
      onSend={send}
      yes={words.keys.send}
      outcome={<Notice text={notice.value} />}
      call={{ method: 'POST', path: '/v2/operation-keys', body }}
    >
      {field('emails', words.keys.emails, { as: 'receiver_emails', hint: words.keys.emailsHint })}
      {checks(
        'products',
        words.keys.products,
        products.value.map(({ id, name }) => ({ id: String(id), name })),
      )}
      <KeyTimesFields times={form} timezone={timezone} set={set} faults={sending.faults} />
    </SentForm>
  );
}
