/** The sign-in form. It stands in the place of every view until somebody is signed in. */
import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { drafts, words } from './browser.js';
import { Field } from './fields.js';
import { lazyView } from './lazy-views.js';
import { Button, Refused } from './parts.js';
import { loadServiceWords } from './rare-words.js';
import { useSending } from './sending.js';
import { hasEnded, signIn } from './session.js';
import { Symbol } from './symbol.js';

const DRAFT = 'sign-in-email';

/** What few people need comes when they do, with the sentences in which the service refuses a password. */
const rare = async () => {
  await loadServiceWords();
  return import('./reset-view.js');
};
const ForgottenPassword = lazyView(async () => (await rare()).ForgottenPassword);
export const ResetView = lazyView(async () => (await rare()).ResetView);

export function SignIn() {
  const isForgotten = useSignal(false);
  return isForgotten.value ? (
    <ForgottenPassword email={keptEmail()} onBack={() => (isForgotten.value = false)} />
  ) : (
    <SignInForm onForgotten={() => (isForgotten.value = true)} />
  );
}

function keptEmail(): string {
  const kept = drafts.read(DRAFT);
  return typeof kept === 'string' ? kept : '';
}

function SignInForm({ onForgotten }: { onForgotten: () => void }) {
  const email = useSignal(keptEmail());
  const password = useSignal('');
  const sending = useSending<'email' | 'password'>([], () => ({
    ...(email.value === '' ? { email: words.signIn.missing } : {}),
    ...(password.value === '' ? { password: words.signIn.missing } : {}),
  }));
  const form = useRef<HTMLFormElement>(null);
  useEffect(() => form.current?.querySelector('input')?.focus(), []);

  const send = (event: SubmitEvent) => {
    event.preventDefault();
    void sending.send(async () => {
      await signIn(email.value, password.value);
      drafts.forget(DRAFT);
    });
  };
  const keepEmail = (value: string) => {
    email.value = value;
    drafts.write(DRAFT, value);
  };
  return (
    <main class="sign-in">
      <form class="card" ref={form} noValidate onSubmit={send}>
        <p class="brand">
          <Symbol /> {words.name}
        </p>
        <h1>{words.signIn.title}</h1>
        {hasEnded.value && (
          <p class="notice" role="status">
            {words.signIn.ended}
          </p>
        )}
        <Field
          label={words.forms.email}
          type="email"
          autocomplete="username"
          value={email.value}
          onValue={keepEmail}
          fault={sending.faults.email}
        />
        <Field
          label={words.signIn.password}
          type="password"
          autocomplete="current-password"
          value={password.value}
          onValue={(value) => (password.value = value)}
          fault={sending.faults.password}
        />
        <Refused refusal={sending.refusal} />
        <div class="buttons">
          <Button look="main" word={words.signIn.button} isBusy={sending.isBusy} />
          <Button word={words.signIn.forgot} onClick={onForgotten} />
        </div>
      </form>
    </main>
  );
}
