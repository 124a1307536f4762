/** Who signs in to the account, with which role, and which lots they see. */
import { useSignal } from '@preact/signals';
import type { components } from '@parking-gateway/client';
import type { ComponentChildren } from 'preact';
import { emailFault, lengthFault, PASSWORD_CHARS_MIN, requiredFault } from '../wording/form-checks.js';
import { AddingForm, AskButton, Listed, SaveOrCancel } from './admin-parts.js';
import { Checks } from './form-parts.js';
import { type LongList, useLongList } from './long-list.js';
import { words } from './browser.js';
import { useDraft } from './draft.js';
import { MaskSetting } from './mask-setting.js';
import { CallShown, Choice, Dialog, Field, Refused, SmallButton } from './parts.js';
import { useSending } from './sending.js';
import { client, mayRule, signedIn } from './session.js';
import { lots } from './store.js';

const say = words.users;

type User = components['schemas']['AccountUser'];
type RoleId = 1 | 2 | 3;

const ROLE_IDS: readonly RoleId[] = [1, 2, 3];
const roleIdOf = (text: string): RoleId => ROLE_IDS.find((each) => String(each) === text) ?? 3;
const FIELDS = ['email', 'name', 'phone', 'role_id', 'lot_ids', 'password', 'old_password'] as const;

export function UsersView() {
  const users: LongList<User> = useLongList('users', ({ beyond, size }, signal) =>
    client().get('/v2/account-users', { query: { filter: beyond, size }, signal }),
  );
  const added = useSignal<string | null>(null);
  return (
    <>
      <h1 tabIndex={-1}>{say.title}</h1>
      {mayRule.value ? (
        <AddUser
          onMade={(name) => {
            added.value = name;
            users.again();
          }}
        />
      ) : (
        <p class="facts">{say.onlyReading}</p>
      )}
      {added.value !== null && (
        <p class="notice good" role="status">
          {say.added(added.value)}
        </p>
      )}
      {mayRule.value && <MaskSetting />}
      <Listed list={users}>
        <ul class="stays">
          {users.rows?.map((user) => (
            <UserRow key={user.id} user={user} onChanged={users.again} />
          ))}
        </ul>
      </Listed>
    </>
  );
}

const roleOptions = ROLE_IDS.map((id) => ({ value: String(id), text: words.roles[id] ?? String(id) }));

const NEW_USER = { email: '', name: '', phone: '', role: '3', lots: [] as number[] };
type UserForm = typeof NEW_USER;

const bodyOf = ({ email, name, phone, role, lots: lot_ids }: UserForm) => ({
  email: email.trim(),
  name,
  phone,
  role_id: roleIdOf(role),
  lot_ids,
});
/** What stands in the shown call in the place of a password. */
const HIDDEN = '…';

function AddUser({ onMade }: { onMade: (name: string) => void }) {
  // The password is no draft: nobody is to find it in this browser.
  const [form, reset] = useDraft('user', NEW_USER);
  const password = useSignal('');
  const isOpen = useSignal(form.value.email !== '');
  const sending = useSending(FIELDS, () => ({
    ...emailFault(form.value.email, words),
    ...requiredFault('name', form.value.name, words),
    ...lengthFault('password', password.value, PASSWORD_CHARS_MIN, words),
  }));
  const send = async () => {
    const body = { ...bodyOf(form.value), password: password.value };
    if (!(await sending.send(() => client().post('/v2/account-users', { body })))) return;
    reset();
    password.value = '';
    isOpen.value = false;
    onMade(body.name);
  };
  return (
    <AddingForm
      label={say.add}
      isOpen={isOpen}
      sending={sending}
      call={{ method: 'POST', path: '/v2/account-users', body: { ...bodyOf(form.value), password: HIDDEN } }}
      onSend={send}
    >
      <UserFields form={form.value} faults={sending.faults} onForm={(next) => (form.value = next)}>
        <Field
          label={say.password}
          type="password"
          autocomplete="new-password"
          hint={words.admin.tooShort(PASSWORD_CHARS_MIN)}
          value={password.value}
          onValue={(value) => (password.value = value)}
          fault={sending.faults.password}
        />
      </UserFields>
    </AddingForm>
  );
}

function UserFields(props: {
  form: UserForm;
  faults: Partial<Record<(typeof FIELDS)[number], string>>;
  onForm: (form: UserForm) => void;
  children: ComponentChildren;
}) {
  const { form, faults } = props;
  const set = (changed: Partial<UserForm>) => props.onForm({ ...form, ...changed });
  return (
    <>
      <div class="pair">
        <Field label={words.admin.name} value={form.name} onValue={(name) => set({ name })} fault={faults.name} />
        <Field
          label={say.email}
          type="email"
          value={form.email}
          onValue={(email) => set({ email })}
          fault={faults.email}
        />
        <Field label={say.phone} value={form.phone} onValue={(phone) => set({ phone })} fault={faults.phone} />
        <div>
          <Choice label={say.role} value={form.role} onValue={(role) => set({ role })} options={roleOptions} />
          <p class={faults.role_id === undefined ? 'hint' : 'fault'}>
            {faults.role_id ?? say.roleHints[roleIdOf(form.role)]}
          </p>
        </div>
        {props.children}
      </div>
      {lots.value.length > 0 && (
        <Checks
          legend={say.lots}
          options={lots.value}
          chosen={form.lots}
          onChosen={(chosen) => set({ lots: chosen })}
          fault={faults.lot_ids}
        />
      )}
    </>
  );
}

function UserRow({ user, onChanged }: { user: User; onChanged: () => void }) {
  const { id, name, email, account_user_role_id } = user;
  const isChanging = useSignal(false);
  const isSelf = signedIn.value?.userId === id;
  return (
    <li class="card stay">
      <div class="line">
        <strong>{name}</strong>
        {isSelf && <span class="tag good">{say.you}</span>}
        <span class="tag">{words.roles[account_user_role_id]}</span>
        <span class="facts">
          {[email, user.phone, user.lots.map((lot) => lot.name).join(', ') || say.noLots].filter(Boolean).join(' · ')}
        </span>
        {mayRule.value && (
          <span class="buttons">
            <SmallButton word={say.change} about={name} onClick={() => (isChanging.value = true)} />
            {!isSelf && (
              <AskButton
                label={words.admin.delete}
                about={name}
                title={words.admin.deleteTitle(name)}
                what={say.deleteWhat}
                call={{ method: 'DELETE', path: `/v2/account-users/${id}` }}
                onYes={async () => {
                  await client().delete('/v2/account-users/{id}', { path: { id } });
                  onChanged();
                }}
              />
            )}
          </span>
        )}
      </div>
      {isChanging.value && (
        <Dialog title={say.changeTitle(name)} onClose={() => (isChanging.value = false)} class="wide">
          <ChangeUser user={user} isSelf={isSelf} onDone={() => (isChanging.value = false)} onChanged={onChanged} />
        </Dialog>
      )}
    </li>
  );
}

function ChangeUser(props: { user: User; isSelf: boolean; onDone: () => void; onChanged: () => void }) {
  const { user, isSelf, onDone, onChanged } = props;
  const { id } = user;
  const [form, reset] = useDraft(`user-${id}`, {
    email: user.email,
    name: user.name,
    phone: user.phone,
    role: String(user.account_user_role_id),
    lots: user.lots.map((lot) => lot.id),
  });
  const password = useSignal('');
  const sending = useSending(FIELDS, () => ({
    ...emailFault(form.value.email, words),
    ...requiredFault('name', form.value.name, words),
    ...(password.value === '' ? {} : lengthFault('password', password.value, PASSWORD_CHARS_MIN, words)),
  }));
  const send = async (event: SubmitEvent) => {
    event.preventDefault();
    const body = { ...bodyOf(form.value), ...(password.value === '' ? {} : { password: password.value }) };
    if (!(await sending.send(() => client().patch('/v2/account-users/{id}', { path: { id }, body })))) return;
    reset();
    onChanged();
    onDone();
  };
  return (
    <form class="form" noValidate onSubmit={(event) => void send(event)}>
      <UserFields form={form.value} faults={sending.faults} onForm={(next) => (form.value = next)}>
        {!isSelf && (
          <Field
            label={say.newPassword}
            type="password"
            autocomplete="new-password"
            hint={say.newPasswordHint}
            value={password.value}
            onValue={(value) => (password.value = value)}
            fault={sending.faults.password}
          />
        )}
      </UserFields>
      <Refused refusal={sending.refusal} />
      <SaveOrCancel
        isBusy={sending.isBusy}
        onCancel={() => {
          reset();
          onDone();
        }}
      />
      <CallShown
        call={{
          method: 'PATCH',
          path: `/v2/account-users/${id}`,
          body: { ...bodyOf(form.value), ...(password.value === '' ? {} : { password: HIDDEN }) },
        }}
      />
    </form>
  );
}
