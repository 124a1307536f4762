/** Who signs in to the account, with which role, and which lots they see. */
import type { components } from '@parking-gateway/client';
import { useSignal } from '@preact/signals';
import { emailFault, lengthFault, PASSWORD_CHARS_MIN } from '../wording/form-checks.js';
import { accountWords } from './account-words.js';
import { AddingForm } from './adding-form.js';
import { DeleteButton, DialogButton, Listed, Row } from './admin-parts.js';
import { words } from './browser.js';
import { Field, missing, worded } from './fields.js';
import { HIDDEN, SentForm, useForm } from './form-parts.js';
import { type LongList, useLongList } from './long-list.js';
import { attendantMoney } from './account-settings.js';
import { FaceSetting } from './face-setting.js';
import { MaskSetting } from './mask-setting.js';
import { MoneySetting } from './money-setting.js';
import { Notice } from './parts.js';
import { client, mayRule, signedIn } from './session.js';
import { lots } from './store.js';

const say = accountWords.users;

type User = components['schemas']['AccountUser'];
type RoleId = 1 | 2 | 3;

const ROLE_IDS: readonly RoleId[] = [1, 2, 3];
const roleIdOf = (text: string): RoleId => ROLE_IDS.find((each) => String(each) === text) ?? 3;
const FIELDS = ['email', 'name', 'phone', 'role_id', 'lot_ids', 'password', 'old_password'] as const;

export function UsersView() {
  const users: LongList<User> = useLongList('users', ({ beyond, size }, signal) =>
    client().get('/v2/account-users', { query: { filter: beyond, size }, signal }),
  );
  const notice = useSignal('');
  const onMade = (name: string) => {
    notice.value = say.added(name);
    users.again();
  };
  return (
    <>
      <div class="head">
        <h1 tabIndex={-1}>{words.views.users}</h1>
        {mayRule.value && <AddUser onMade={onMade} />}
      </div>
      {!mayRule.value && <p class="facts">{say.onlyReading}</p>}
      <Notice text={notice.value} />
      {mayRule.value && <FaceSetting />}
      {mayRule.value && <MaskSetting />}
      {mayRule.value && <MoneySetting />}
      <Listed list={users} row={(user) => <UserRow key={user.id} user={user} onChanged={users.again} />} />
    </>
  );
}

const roleOptions = worded(words.roles, ROLE_IDS.map(String));

/** What a role may; of Attendants also what the account lets them do with money. */
const roleHint = (role: RoleId): string =>
  `${say.roleHints[role]} ${role === 3 && attendantMoney.value !== null ? say.attendantMoney[attendantMoney.value] : ''}`.trim();

const NEW_USER = { email: '', name: '', phone: '', role: '3', lots: [] as number[] };
type UserForm = typeof NEW_USER;

const bodyOf = ({ email, name, phone, role, lots: lot_ids }: UserForm) => ({
  email: email.trim(),
  name,
  phone,
  role_id: roleIdOf(role),
  lot_ids,
});

/** @param isNew a new user needs a password; of another one it stays as it is while none is typed */
function useUserForm(draft: string, initial: UserForm, isNew: boolean) {
  // Not kept as a draft: nobody else must find the password in this browser.
  const password = useSignal('');
  const own = useForm(draft, initial, FIELDS, ({ email, name }) => ({
    ...emailFault(email, words),
    ...missing('name', name),
    ...(isNew || password.value !== '' ? lengthFault('password', password.value, PASSWORD_CHARS_MIN, words) : {}),
  }));
  const bodyWith = (secret: string) => ({
    ...bodyOf(own.form),
    ...(isNew || secret !== '' ? { password: secret } : {}),
  });
  return {
    ...own,
    password,
    isNew,
    body: bodyWith(password.value) as ReturnType<typeof bodyOf> & { password: string },
    shownBody: bodyWith(isNew ? HIDDEN : password.value && HIDDEN),
  };
}

function AddUser({ onMade }: { onMade: (name: string) => void }) {
  const user = useUserForm('user', NEW_USER, true);
  const send = async () => {
    const isMade = await user.submit(() => client().post('/v2/account-users', { body: user.body }));
    if (!isMade) return false;
    user.password.value = '';
    onMade(user.body.name);
    return true;
  };
  return (
    <AddingForm
      label={say.add}
      sending={user.sending}
      call={{ method: 'POST', path: '/v2/account-users', body: user.shownBody }}
      onSend={send}
    >
      <UserFields user={user} hasPassword />
    </AddingForm>
  );
}

/** @param props.hasPassword the person's own password has a view of its own */
function UserFields({ user, hasPassword }: { user: ReturnType<typeof useUserForm>; hasPassword: boolean }) {
  const { form, sending, field, choice, checks, password, isNew } = user;
  const { role_id } = sending.faults;
  return (
    <>
      <div class="pair">
        {field('name', words.forms.name)}
        {field('email', words.forms.email, { type: 'email' })}
        {field('phone', say.phone)}
        <div>
          {choice('role', say.role, roleOptions)}
          <p class={role_id === undefined ? 'hint' : 'fault'}>{role_id ?? roleHint(roleIdOf(form.role))}</p>
        </div>
        {hasPassword && (
          <Field
            label={isNew ? say.password : say.newPassword}
            type="password"
            autocomplete="new-password"
            hint={isNew ? words.admin.tooShort(PASSWORD_CHARS_MIN) : say.newPasswordHint}
            value={password.value}
            onValue={(value) => (password.value = value)}
            fault={sending.faults.password}
          />
        )}
      </div>
      {lots.value.length > 0 && checks('lots', say.lots, lots.value, { as: 'lot_ids' })}
    </>
  );
}

function UserRow({ user, onChanged }: { user: User; onChanged: () => void }) {
  const { id, name, email, account_user_role_id } = user;
  const isSelf = signedIn.value?.userId === id;
  return (
    <Row
      name={name}
      tags={
        <>
          {isSelf && <span class="tag good">{say.you}</span>}
          <span class="tag">{words.roles[account_user_role_id]}</span>
        </>
      }
      facts={[email, user.phone, user.lots.map((lot) => lot.name).join(', ') || say.noLots]}
      buttons={
        mayRule.value && (
          <>
            <DialogButton word={words.forms.change} about={name} title={say.changeTitle(name)} class="wide">
              {(close) => <ChangeUser user={user} isSelf={isSelf} onClose={close} onChanged={onChanged} />}
            </DialogButton>
            {!isSelf && (
              <DeleteButton list="/v2/account-users" id={id} about={name} what={say.deleteWhat} onDone={onChanged} />
            )}
          </>
        )
      }
    />
  );
}

function ChangeUser(props: { user: User; isSelf: boolean; onClose: () => void; onChanged: () => void }) {
  const { id, email, name, phone, account_user_role_id, lots: seen } = props.user;
  const initial = { email, name, phone, role: String(account_user_role_id), lots: seen.map((lot) => lot.id) };
  const user = useUserForm(`user-${id}`, initial, false);
  const close = () => {
    user.reset();
    props.onClose();
  };
  const { body } = user;
  const send = async () => {
    if (!(await user.submit(() => client().patch('/v2/account-users/{id}', { path: { id }, body })))) return;
    props.onChanged();
    props.onClose();
  };
  return (
    <SentForm
      class="form"
      sending={user.sending}
      onSend={send}
      yes={words.forms.save}
      onCancel={close}
      call={{ method: 'PATCH', path: `/v2/account-users/${id}`, body: user.shownBody }}
    >
      <UserFields user={user} hasPassword={!props.isSelf} />
    </SentForm>
  );
}
