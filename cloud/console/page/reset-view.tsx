/** A new password for who has forgotten the one before: asking for the mail, and where its link leads. */
import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { VIEW_PATHS } from '../console-paths.js';
import { lengthFault, PASSWORD_CHARS_MIN } from '../wording/form-checks.js';
import { language, words } from './browser.js';
import { Check, Field, missing } from './fields.js';
import { HIDDEN, SentForm } from './form-parts.js';
import { Button, Link, Notice } from './parts.js';
import { profileWords } from './profile-words.js';
import { useSending } from './sending.js';
import { stranger } from './session.js';
import { Symbol } from './symbol.js';

const say = profileWords.reset;

/** In the place of a view, for who is not signed in. */
function Frame({ title, children }: { title: string; children: ComponentChildren }) {
  return (
    <main class="sign-in">
      <div class="column">
        <p class="brand">
          <Symbol /> {words.name}
        </p>
        <h1 tabIndex={-1}>{title}</h1>
        {children}
      </div>
    </main>
  );
}

/** @param props.email what was typed for the sign-in */
export function ForgottenPassword(props: { email: string; onBack: () => void }) {
  const email = useSignal(props.email);
  /** null: nobody has asked yet. */
  const isMailed = useSignal<boolean | null>(null);
  const sending = useSending(['email'], () => missing('email', email.value));
  const body = { email: email.value.trim(), language };
  const send = () =>
    sending.send(async () => {
      isMailed.value = (await stranger().post('/v2/auth/password-reset', { body })).is_mailed;
    });
  return (
    <Frame title={say.forgot}>
      <SentForm
        class="card"
        label={say.forgot}
        sending={sending}
        onSend={send}
        yes={say.send}
        onCancel={props.onBack}
        cancel={say.back}
        outcome={isMailed.value !== null && <Notice text={isMailed.value ? say.forgotWhat : say.noMail} />}
        call={{ method: 'POST', path: '/v2/auth/password-reset', body }}
      >
        <Field
          label={words.forms.email}
          type="email"
          autocomplete="username"
          value={email.value}
          onValue={(value) => (email.value = value)}
          fault={sending.faults.email}
        />
      </SentForm>
    </Frame>
  );
}

/** The view of the link. Its token stands behind the `#`, which no server is sent. */
export function ResetView() {
  const token = useRef(location.hash.slice(1));
  const isDone = useSignal(false);
  const isAskedAnew = useSignal(false);
  useEffect(() => {
    document.title = `${words.views.reset} · ${words.name}`;
  }, []);
  const onDone = () => {
    isDone.value = true;
    // It works no more, and stays in no history.
    history.replaceState(null, '', VIEW_PATHS.reset);
  };
  if (isAskedAnew.value) return <ForgottenPassword email="" onBack={() => (isAskedAnew.value = false)} />;
  return (
    <Frame title={say.title}>
      {isDone.value ? (
        <section class="card">
          <Notice text={say.done} />
          <Link class="button" to={VIEW_PATHS.overview}>
            {words.signIn.button}
          </Link>
        </section>
      ) : token.current === '' ? (
        <section class="card">
          <p>{say.broken}</p>
          <Button word={say.again} onClick={() => (isAskedAnew.value = true)} />
        </section>
      ) : (
        <NewPassword token={token.current} onDone={onDone} onAgain={() => (isAskedAnew.value = true)} />
      )}
    </Frame>
  );
}

function NewPassword({ token, onDone, onAgain }: { token: string; onDone: () => void; onAgain: () => void }) {
  const password = useSignal('');
  const isShown = useSignal(false);
  const sending = useSending(['password'], () => lengthFault('password', password.value, PASSWORD_CHARS_MIN, words));
  const send = async () => {
    const body = { token, password: password.value };
    if (await sending.send(() => stranger().post('/v2/auth/password', { body }))) onDone();
  };
  return (
    <SentForm
      class="card"
      label={say.title}
      sending={sending}
      onSend={send}
      yes={say.save}
      outcome={sending.refusal !== null && <Button look="small" word={say.again} onClick={onAgain} />}
      call={{ method: 'POST', path: '/v2/auth/password', body: { token: HIDDEN, password: HIDDEN } }}
    >
      <p class="facts">{say.what}</p>
      <Field
        label={say.next}
        type={isShown.value ? 'text' : 'password'}
        autocomplete="new-password"
        hint={words.admin.tooShort(PASSWORD_CHARS_MIN)}
        value={password.value}
        onValue={(value) => (password.value = value)}
        fault={sending.faults.password}
      />
      <Check label={profileWords.show} value={isShown.value} onValue={(value) => (isShown.value = value)} />
    </SentForm>
  );
}
