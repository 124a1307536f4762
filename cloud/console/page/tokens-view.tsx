/** API tokens: what programs sign in with. Each is shown once. */
import type { components } from '@parking-gateway/client';
import { useSignal } from '@preact/signals';
import { futureFault } from '../wording/form-checks.js';
import { TOKEN_ENDS, tokenEnd } from '../wording/token-end.js';
import { accountWords } from './account-words.js';
import { AddingForm } from './adding-form.js';
import { DeleteButton, Listed, Row, Secret } from './admin-parts.js';
import { timeOf, words } from './browser.js';
import { missing } from './fields.js';
import { useForm } from './form-parts.js';
import { type LongList, useLongList } from './long-list.js';
import { client } from './session.js';
import { lots } from './store.js';

const say = accountWords.tokens;

type Token = components['schemas']['ApiToken'];
type NewToken = components['schemas']['NewApiToken'];
type Role = Token['role'];

const ROLES: readonly Role[] = ['Super Admin', 'Admin', 'Attendant'];
/** The service names roles; the console says them in the person's language. */
const roleWord = (role: Role): string => words.roles[ROLES.indexOf(role) + 1] ?? role;

export function TokensView() {
  const tokens: LongList<Token> = useLongList('tokens', ({ beyond, size }, signal) =>
    client().get('/v2/api-tokens', { query: { filter: beyond, size }, signal }),
  );
  const made = useSignal<NewToken | null>(null);
  const onMade = (token: NewToken) => {
    made.value = token;
    tokens.again();
  };
  const make = <MakeToken onMade={onMade} />;
  return (
    <>
      <div class="head">
        <div>
          <h1 tabIndex={-1}>{words.views.tokens}</h1>
          <p class="facts">{say.what}</p>
        </div>
        {tokens.found?.length !== 0 && make}
      </div>
      {made.value !== null && (
        <Secret
          title={say.shown(made.value.name)}
          value={made.value.token}
          label={say.copy}
          onDone={() => (made.value = null)}
        />
      )}
      <Listed
        list={tokens}
        none={say.none}
        first={make}
        row={(token) => <TokenRow key={token.id} token={token} onChanged={tokens.again} />}
      />
    </>
  );
}

/** It may do the least, and ends, unless the person wants it otherwise. */
const NEW_TOKEN = { name: '', role: 'Attendant', lots: [] as number[], ends: TOKEN_ENDS[0] as string, end: '' };

function MakeToken({ onMade }: { onMade: (made: NewToken) => void }) {
  const { form, sending, submit, field, choice, checks } = useForm(
    'token',
    NEW_TOKEN,
    ['name', 'role', 'lot_ids', 'expires_at'],
    ({ name, ends, end }) => ({
      ...missing('name', name),
      ...(ends === 'at' && { ...missing('expires_at', end), ...futureFault('expires_at', end, Date.now(), words) }),
    }),
  );
  const { name, ends, end, lots: chosen } = form;
  const role = ROLES.find((each) => each === form.role) ?? 'Attendant';
  const body = {
    name,
    role,
    lot_ids: chosen.length === 0 ? null : chosen,
    expires_at: tokenEnd({ ends, end }, Date.now()),
  };
  const send = () => submit(async () => onMade(await client().post('/v2/api-tokens', { body })));
  return (
    <AddingForm label={say.add} sending={sending} call={{ method: 'POST', path: '/v2/api-tokens', body }} onSend={send}>
      <div class="pair">
        {field('name', say.name)}
        <div>
          {choice(
            'role',
            say.role,
            ROLES.toReversed().map((each) => ({ value: each, text: roleWord(each) })),
          )}
          <p class="hint">{accountWords.users.roleHints[ROLES.indexOf(role) + 1]}</p>
        </div>
        {choice(
          'ends',
          say.end,
          TOKEN_ENDS.map((each) => ({ value: each, text: say.endChoices[each] })),
        )}
        {ends === 'at' && field('end', say.endAt, { as: 'expires_at', type: 'datetime-local' })}
      </div>
      {lots.value.length > 0 && checks('lots', say.lots, lots.value, { as: 'lot_ids', hint: say.lotsHint })}
    </AddingForm>
  );
}

function TokenRow({ token, onChanged }: { token: Token; onChanged: () => void }) {
  const { id, name, role, lot_ids, expires_at, created_at } = token;
  const lotName = (lot: number) => lots.value.find((each) => each.id === lot)?.name ?? `#${lot}`;
  const hasEnded = expires_at !== null && Date.parse(expires_at) <= Date.now();
  const end =
    expires_at === null ? say.endless : hasEnded ? say.ended(timeOf(expires_at)) : say.ends(timeOf(expires_at));
  return (
    <Row
      name={name}
      tags={
        <>
          <span class="tag">{roleWord(role)}</span>
          {hasEnded && <span class="tag bad">{end}</span>}
        </>
      }
      facts={[
        lot_ids === null ? words.forms.allLots : lot_ids.map(lotName).join(', ') || accountWords.users.noLots,
        !hasEnded && end,
        say.made(timeOf(created_at)),
      ]}
      buttons={
        <DeleteButton
          list="/v2/api-tokens"
          id={id}
          word={words.forms.revoke}
          about={name}
          title={say.revokeTitle(name)}
          what={say.revokeWhat}
          onDone={onChanged}
        />
      }
    />
  );
}
