/** API tokens: what programs sign in with. Each is shown once. */
import { useSignal } from '@preact/signals';
import type { components } from '@parking-gateway/client';
import { futureFault, requiredFault } from '../wording/form-checks.js';
import { AddingForm, AskButton, Listed, Secret } from './admin-parts.js';
import { Checks } from './form-parts.js';
import { type LongList, useLongList } from './long-list.js';
import { timeOf, words } from './browser.js';
import { useDraft } from './draft.js';
import { Choice, Field } from './parts.js';
import { useSending } from './sending.js';
import { client } from './session.js';
import { lots } from './store.js';

const say = words.tokens;

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
  return (
    <>
      <h1 tabIndex={-1}>{say.title}</h1>
      <p class="facts">{say.what}</p>
      <MakeToken
        onMade={(token) => {
          made.value = token;
          tokens.again();
        }}
      />
      {made.value !== null && <MadeToken made={made.value} onDone={() => (made.value = null)} />}
      <Listed list={tokens} none={say.none}>
        <ul class="stays">
          {tokens.rows?.map((token) => (
            <TokenRow key={token.id} token={token} onChanged={tokens.again} />
          ))}
        </ul>
      </Listed>
    </>
  );
}

function MadeToken({ made, onDone }: { made: NewToken; onDone: () => void }) {
  if (made.token === null) return <p class="notice bad">{words.admin.secretLost}</p>;
  return <Secret title={say.shown(made.name)} value={made.token} label={say.copy} onDone={onDone} />;
}

const NEW_TOKEN = { name: '', role: 'Attendant', lots: [] as number[], end: '' };

function MakeToken({ onMade }: { onMade: (made: NewToken) => void }) {
  const [form, reset] = useDraft('token', NEW_TOKEN);
  const { name, end, lots: chosen } = form.value;
  const role = ROLES.find((each) => each === form.value.role) ?? 'Attendant';
  const isOpen = useSignal(name !== '');
  const sending = useSending(['name', 'role', 'lot_ids', 'expires_at'], () => ({
    ...requiredFault('name', name, words),
    ...futureFault('expires_at', end, Date.now(), words),
  }));
  const set = (changed: Partial<typeof NEW_TOKEN>) => {
    form.value = { ...form.value, ...changed };
  };
  const body = {
    name,
    role,
    lot_ids: chosen.length === 0 ? null : chosen,
    ...(Number.isNaN(Date.parse(end)) ? {} : { expires_at: new Date(end).toISOString() }),
  };
  const send = async () => {
    const isMade = await sending.send(async () => onMade(await client().post('/v2/api-tokens', { body })));
    if (!isMade) return;
    reset();
    isOpen.value = false;
  };
  return (
    <AddingForm
      label={say.add}
      isOpen={isOpen}
      sending={sending}
      call={{ method: 'POST', path: '/v2/api-tokens', body }}
      onSend={send}
    >
      <div class="pair">
        <Field label={say.name} value={name} onValue={(value) => set({ name: value })} fault={sending.faults.name} />
        <div>
          <Choice
            label={say.role}
            value={role}
            onValue={(value) => set({ role: value })}
            options={ROLES.map((each) => ({ value: each, text: roleWord(each) }))}
          />
          <p class="hint">{words.users.roleHints[ROLES.indexOf(role) + 1]}</p>
        </div>
        <Field
          label={say.end}
          type="datetime-local"
          hint={say.endHint}
          value={end}
          onValue={(value) => set({ end: value })}
          fault={sending.faults.expires_at}
        />
      </div>
      {lots.value.length > 0 && (
        <Checks
          legend={say.lots}
          hint={say.lotsHint}
          options={lots.value}
          chosen={chosen}
          onChosen={(next) => set({ lots: next })}
          fault={sending.faults.lot_ids}
        />
      )}
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
    <li class="card stay">
      <div class="line">
        <strong>{name}</strong>
        <span class="tag">{roleWord(role)}</span>
        {hasEnded && <span class="tag bad">{end}</span>}
        <span class="facts">
          {[
            lot_ids === null ? words.admin.allLots : lot_ids.map(lotName).join(', ') || words.users.noLots,
            ...(hasEnded ? [] : [end]),
            say.made(timeOf(created_at)),
          ].join(' · ')}
        </span>
        <span class="buttons">
          <AskButton
            label={say.revoke}
            about={name}
            title={say.revokeTitle(name)}
            what={say.revokeWhat}
            call={{ method: 'DELETE', path: `/v2/api-tokens/${id}` }}
            onYes={async () => {
              await client().delete('/v2/api-tokens/{id}', { path: { id } });
              onChanged();
            }}
          />
        </span>
      </div>
    </li>
  );
}
