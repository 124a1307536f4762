/** The own name, phone and password. */
import { useSignal } from '@preact/signals';
import { lengthFault, PASSWORD_CHARS_MIN, requiredFault } from '../wording/form-checks.js';
import { words } from './browser.js';
import { useDraft } from './draft.js';
import { CallShown, Field, Refused } from './parts.js';
import { useSending } from './sending.js';
import { client, renameSelf, signedIn } from './session.js';

const say = words.profile;
const PATH = '/v2/account-users/profile';
/** Stands for a password in the call that is shown. */
const HIDDEN = '…';

export function ProfileView() {
  const isDone = useSignal(false);
  return (
    <>
      <h1 tabIndex={-1}>{say.title}</h1>
      <div class="cards">
        {/* A new name begins the form anew. */}
        <About key={signedIn.value?.name} isDone={isDone.value} onDone={(done) => (isDone.value = done)} />
        <Password />
      </div>
    </>
  );
}

function About({ isDone, onDone }: { isDone: boolean; onDone: (isDone: boolean) => void }) {
  const { name: known = '' } = signedIn.value ?? {};
  const [form, reset] = useDraft('profile', { name: known, phone: '' });
  const { name, phone } = form.value;
  const sending = useSending(['name', 'phone'], () => requiredFault('name', name, words));
  const set = (changed: Partial<typeof form.value>) => {
    form.value = { ...form.value, ...changed };
    onDone(false);
  };
  const body = { name, ...(phone.trim() === '' ? {} : { phone }) };
  const send = async (event: SubmitEvent) => {
    event.preventDefault();
    await sending.send(async () => {
      const user = await client().patch(PATH, { body });
      reset();
      onDone(true);
      renameSelf(user.name);
    });
  };
  return (
    <form class="card" noValidate onSubmit={(event) => void send(event)} aria-labelledby="profile-about">
      <h2 id="profile-about">{say.who}</h2>
      <Field
        label={words.admin.name}
        autocomplete="name"
        value={name}
        onValue={(value) => set({ name: value })}
        fault={sending.faults.name}
      />
      <Field
        label={words.users.phone}
        autocomplete="tel"
        hint={say.phoneHint}
        value={phone}
        onValue={(value) => set({ phone: value })}
        fault={sending.faults.phone}
      />
      <Refused refusal={sending.refusal} />
      <Done text={isDone ? words.admin.saved : null} />
      <div class="buttons">
        <button type="submit" class="main" aria-disabled={sending.isBusy}>
          {words.admin.save}
        </button>
      </div>
      <CallShown call={{ method: 'PATCH', path: PATH, body }} />
    </form>
  );
}

function Password() {
  // Passwords are no drafts: nobody is to find them in this browser.
  const present = useSignal('');
  const next = useSignal('');
  const isShown = useSignal(false);
  const isDone = useSignal(false);
  const sending = useSending(['old_password', 'password'], () => ({
    ...requiredFault('old_password', present.value, words),
    ...lengthFault('password', next.value, PASSWORD_CHARS_MIN, words),
  }));
  const send = async (event: SubmitEvent) => {
    event.preventDefault();
    isDone.value = false;
    const body = { password: next.value, old_password: present.value };
    isDone.value = await sending.send(() => client().patch(PATH, { body }));
    if (!isDone.value) return;
    present.value = '';
    next.value = '';
  };
  const type = isShown.value ? 'text' : 'password';
  return (
    <form class="card" noValidate onSubmit={(event) => void send(event)} aria-labelledby="profile-password">
      <h2 id="profile-password">{say.password}</h2>
      <p class="facts">{say.passwordWhat}</p>
      <Field
        label={say.present}
        type={type}
        autocomplete="current-password"
        value={present.value}
        onValue={(value) => (present.value = value)}
        fault={sending.faults.old_password}
      />
      <Field
        label={say.next}
        type={type}
        autocomplete="new-password"
        hint={words.admin.tooShort(PASSWORD_CHARS_MIN)}
        value={next.value}
        onValue={(value) => (next.value = value)}
        fault={sending.faults.password}
      />
      <label class="check">
        <input
          type="checkbox"
          checked={isShown.value}
          onChange={(event) => (isShown.value = event.currentTarget.checked)}
        />
        {say.show}
      </label>
      <Refused refusal={sending.refusal} />
      <Done text={isDone.value ? say.changed : null} />
      <div class="buttons">
        <button type="submit" class="main" aria-disabled={sending.isBusy}>
          {say.change}
        </button>
      </div>
      <CallShown call={{ method: 'PATCH', path: PATH, body: { password: HIDDEN, old_password: HIDDEN } }} />
    </form>
  );
}

function Done({ text }: { text: string | null }) {
  return (
    <p role="status" class={text === null ? '' : 'notice good'}>
      {text}
    </p>
  );
}
