/** The sign-in form. It stands in the place of every view until somebody is signed in. */
import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { drafts, words } from './browser.js';
import { Field } from './fields.js';
import { Button, Refused } from './parts.js';
import { useSending } from './sending.js';
import { hasEnded, signIn } from './session.js';

const DRAFT = 'sign-in-email';

export function SignIn() {
  const kept = drafts.read(DRAFT);
  const email = useSignal(typeof kept === 'string' ? kept : '');
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
        <Button look="main" word={words.signIn.button} isBusy={sending.isBusy} />
        <p class="hint">{words.signIn.only}</p>
      </form>
    </main>
  );
}

export function Symbol() {
  return (
    <svg class="symbol" viewBox="0 0 32 32" aria-hidden="true">
      <rect width="32" height="32" rx="8" />
      <path d="M7 25v-8m0 0 18-6" />
      <circle cx="7" cy="17" r="3.5" />
    </svg>
  );
}
