/** Who is not signed in sees this in the place of every view, and then the view. */
import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import type { Refusal } from '../wording/sentences.js';
import { drafts, words } from './browser.js';
import { Field, Refused } from './parts.js';
import { hasEnded, refusalOf, signIn } from './session.js';

const DRAFT = 'sign-in-email';

export function SignIn() {
  const kept = drafts.read(DRAFT);
  const email = useSignal(typeof kept === 'string' ? kept : '');
  const password = useSignal('');
  const isSent = useSignal(false);
  const isBusy = useSignal(false);
  const refusal = useSignal<Refusal | null>(null);
  const form = useRef<HTMLFormElement>(null);
  useEffect(() => form.current?.querySelector('input')?.focus(), []);

  const send = async (event: SubmitEvent) => {
    event.preventDefault();
    isSent.value = true;
    if (email.value === '' || password.value === '' || isBusy.value) return;
    isBusy.value = true;
    refusal.value = null;
    try {
      await signIn(email.value, password.value);
      drafts.forget(DRAFT);
    } catch (error) {
      refusal.value = refusalOf(error);
    }
    isBusy.value = false;
  };
  const missing = (value: string) => (isSent.value && value === '' ? words.signIn.missing : undefined);
  const keepEmail = (value: string) => {
    email.value = value;
    drafts.write(DRAFT, value);
  };
  return (
    <main class="sign-in">
      <form class="card" ref={form} noValidate onSubmit={(event) => void send(event)}>
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
          label={words.signIn.email}
          type="email"
          autocomplete="username"
          value={email.value}
          onValue={keepEmail}
          fault={missing(email.value)}
        />
        <Field
          label={words.signIn.password}
          type="password"
          autocomplete="current-password"
          value={password.value}
          onValue={(value) => (password.value = value)}
          fault={missing(password.value)}
        />
        <Refused refusal={refusal.value} />
        <button type="submit" class="main" aria-disabled={isBusy.value}>
          {words.signIn.button}
        </button>
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
