/** The own name, phone and password, language and look, and where the person is signed in. */
import { useSignal } from '@preact/signals';
import { type Language, LANGUAGES } from '../../../shared/languages.js';
import { lengthFault, PASSWORD_CHARS_MIN } from '../wording/form-checks.js';
import { accountWords } from './account-words.js';
import { chooseLanguage, chooseTheme, chosenLanguage, theme, THEMES, words } from './browser.js';
import { BrowserAlertsPart } from './browser-alerts-part.js';
import { Check, Choice, Field, missing, worded } from './fields.js';
import { HIDDEN, SentForm, useForm } from './form-parts.js';
import { Notice } from './parts.js';
import { profileWords } from './profile-words.js';
import { useSending } from './sending.js';
import { client, renameSelf, signedIn } from './session.js';
import { SignInsCard } from './sign-ins-card.js';

const say = profileWords;
const PATH = '/v2/account-users/profile';

export function ProfileView() {
  const isDone = useSignal(false);
  return (
    <>
      <h1 tabIndex={-1}>{words.views.profile}</h1>
      <div class="cards">
        {/* A new name begins the form anew. */}
        <About key={signedIn.value?.name} isDone={isDone.value} onDone={(done) => (isDone.value = done)} />
        <Password />
        <BrowserCard />
        <BrowserAlertsPart />
        <SignInsCard />
      </div>
    </>
  );
}

/** What each language is called in itself: who reads none of the others finds it. */
const LANGUAGE_NAMES = {
  en: 'English',
  de: 'Deutsch',
  hr: 'Hrvatski',
  hu: 'Magyar',
} as const satisfies Record<Language, string>;

function BrowserCard() {
  return (
    <section class="card">
      <h2>{say.here}</h2>
      <Choice
        label={say.language}
        options={worded({ '': say.asBrowser, ...LANGUAGE_NAMES })}
        value={chosenLanguage()}
        onValue={(chosen) => chooseLanguage(LANGUAGES.find((each) => each === chosen) ?? '')}
      />
      <Choice
        label={say.theme}
        options={worded(say.themes)}
        value={theme.value}
        onValue={(chosen) => chooseTheme(THEMES.find((each) => each === chosen) ?? '')}
      />
      <p class="facts">{say.hereWhat}</p>
    </section>
  );
}

function About({ isDone, onDone }: { isDone: boolean; onDone: (isDone: boolean) => void }) {
  const { name: known = '' } = signedIn.value ?? {};
  const { form, reset, sending, field } = useForm(
    'profile',
    { name: known, phone: '' },
    ['name', 'phone'],
    (typed) => missing('name', typed.name),
    () => onDone(false),
  );
  const { name, phone } = form;
  const body = { name, ...(phone.trim() === '' ? {} : { phone }) };
  const send = () =>
    sending.send(async () => {
      const user = await client().patch(PATH, { body });
      reset();
      onDone(true);
      renameSelf(user.name);
    });
  return (
    <SentForm
      class="card"
      title={say.who}
      sending={sending}
      onSend={send}
      yes={words.forms.save}
      outcome={<Notice text={isDone ? words.admin.saved : ''} />}
      call={{ method: 'PATCH', path: PATH, body }}
    >
      {field('name', words.forms.name, { autocomplete: 'name' })}
      {field('phone', accountWords.users.phone, { autocomplete: 'tel', hint: say.phoneHint })}
    </SentForm>
  );
}

function Password() {
  // Not kept as drafts: nobody else must find passwords in this browser.
  const present = useSignal('');
  const next = useSignal('');
  const isShown = useSignal(false);
  const isDone = useSignal(false);
  const sending = useSending(['old_password', 'password'], () => ({
    ...missing('old_password', present.value),
    ...lengthFault('password', next.value, PASSWORD_CHARS_MIN, words),
  }));
  const send = async () => {
    isDone.value = false;
    const body = { password: next.value, old_password: present.value };
    isDone.value = await sending.send(() => client().patch(PATH, { body }));
    if (!isDone.value) return;
    present.value = '';
    next.value = '';
  };
  const type = isShown.value ? 'text' : 'password';
  return (
    <SentForm
      class="card"
      title={say.password}
      sending={sending}
      onSend={send}
      yes={say.change}
      outcome={<Notice text={isDone.value ? say.changed : ''} />}
      call={{ method: 'PATCH', path: PATH, body: { password: HIDDEN, old_password: HIDDEN } }}
    >
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
      <Check label={say.show} value={isShown.value} onValue={(value) => (isShown.value = value)} />
    </SentForm>
  );
}
