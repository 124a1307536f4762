/** Before somebody is signed in: the password of the device, or for a new device the code that joins it to its cloud. */
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { Check, Field } from '../../../shared/page/fields.js';
import { Button } from '../../../shared/page/parts.js';
import { ApiProblem, ask, problemSentence } from './api.js';
import { words } from './browser.js';
import type { DeviceFacts } from '../view/local-view.js';
import { hasEnded, lookNow, signIn } from './view-store.js';

export function Entrance({ device }: { device: DeviceFacts }) {
  if (!device.is_claimed) return <Claim />;
  return device.has_password ? <SignIn name={device.name} /> : <NoPassword />;
}

function SignIn({ name }: { name: string | null }) {
  const { signIn: say, title } = words();
  const password = useSignal('');
  const fault = useSignal<string | undefined>(undefined);
  const isBusy = useSignal(false);
  const isShown = useSignal(false);
  /** For how many seconds the gateway still wants no password. */
  const waitS = useSignal(0);
  useEffect(() => {
    if (waitS.value <= 0) return undefined;
    const timer = setTimeout(() => {
      waitS.value -= 1;
      if (waitS.value === 0) fault.value = undefined;
    }, 1_000);
    return () => clearTimeout(timer);
  }, [waitS.value]);
  const send = async (event: Event) => {
    event.preventDefault();
    if (isBusy.value) return;
    if (password.value === '') return void (fault.value = say.missing);
    isBusy.value = true;
    try {
      await signIn(password.value);
    } catch (error) {
      fault.value = signInSentence(error);
      waitS.value = error instanceof ApiProblem ? (error.retryAfterS ?? 0) : 0;
    } finally {
      isBusy.value = false;
    }
  };
  return (
    <form class="card entrance" noValidate onSubmit={(event) => void send(event)}>
      <h1 tabIndex={-1}>{say.title(name ?? title)}</h1>
      {hasEnded.value && <p class="notice">{say.ended}</p>}
      <Field
        type={isShown.value ? 'text' : 'password'}
        autocomplete="current-password"
        label={say.password}
        hint={say.hint}
        fault={waitS.value > 0 ? say.tooMany(waitS.value) : fault.value}
        value={password.value}
        onValue={(value) => {
          password.value = value;
          fault.value = undefined;
        }}
      />
      <Check label={say.show} value={isShown.value} onValue={(value) => (isShown.value = value)} />
      <p role="alert" class="hidden">
        {fault.value ?? ''}
      </p>
      <Button look="main" word={say.button} isBusy={isBusy.value} />
    </form>
  );
}

function signInSentence(error: unknown): string {
  const { signIn: say } = words();
  if (!(error instanceof ApiProblem)) return problemSentence(error);
  const { status, retryAfterS } = error;
  if (status === 401) return say.wrong;
  return status === 429 && retryAfterS !== null ? say.tooMany(retryAfterS) : problemSentence(error);
}

function NoPassword() {
  const { signIn: say } = words();
  return (
    <div class="card entrance">
      <h1 tabIndex={-1}>{say.noPassword}</h1>
      <p>{say.noPasswordHint}</p>
    </div>
  );
}

/** The cloud may be far away, and has to make the gateway's keys. */
const CLAIMED_WITHIN_MS = 60_000;
/** A link or a command names the cloud by itself. */
const ADDRESS = /https?:\/\//i;

interface ClaimFaults {
  cloud_url?: string;
  code?: string;
  device_code?: string;
}

/** Describes the fault of a field, in the person's language. */
function faultsOf(error: unknown): ClaimFaults {
  const { claim: say } = words();
  switch (error instanceof ApiProblem ? error.errors[0]?.field : undefined) {
    case 'code':
      return { code: say.badCode };
    case 'cloud_url':
      return { cloud_url: say.badCloud };
    case 'device_code':
      return { device_code: say.badDevice };
    default:
      return {};
  }
}

function claimSentence(error: unknown): string {
  const { claim: say } = words();
  if (!(error instanceof ApiProblem)) return problemSentence(error);
  const { status, retryAfterS } = error;
  if (status === 403 && error.errors[0]?.field === 'device_code') return say.badDevice;
  if (status === 409) return say.isClaimed;
  if (status === 429) return say.wait(retryAfterS ?? 1);
  // The field says what to do; which network or certificate is in the way only the gateway knows.
  return status === 422 ? say.said(problemSentence(error)) : problemSentence(error);
}

function Claim() {
  const { claim: say, signIn: common } = words();
  const cloud = useSignal('');
  const code = useSignal('');
  const deviceCode = useSignal('');
  const faults = useSignal<ClaimFaults>({});
  const notice = useSignal<{ look: 'busy' | 'good' | 'bad'; text: string } | null>(null);
  const isBusy = () => notice.value?.look === 'busy';
  const send = async (event: Event) => {
    event.preventDefault();
    if (isBusy()) return;
    faults.value = {
      ...(cloud.value.trim() === '' && !ADDRESS.test(code.value) ? { cloud_url: common.missing } : {}),
      ...(code.value.trim() === '' ? { code: common.missing } : {}),
      ...(deviceCode.value.trim() === '' ? { device_code: common.missing } : {}),
    };
    if (Object.keys(faults.value).length > 0) return;
    notice.value = { look: 'busy', text: say.busy };
    try {
      const body = { cloud_url: cloud.value.trim(), code: code.value.trim(), device_code: deviceCode.value.trim() };
      await ask('/api/claim', { method: 'POST', body, withinMs: CLAIMED_WITHIN_MS });
      notice.value = { look: 'good', text: say.done };
      void lookNow();
    } catch (error) {
      faults.value = faultsOf(error);
      notice.value = { look: 'bad', text: claimSentence(error) };
    }
  };
  return (
    <form class="card entrance" noValidate onSubmit={(event) => void send(event)}>
      <h1 tabIndex={-1}>{say.title}</h1>
      <p>{say.what}</p>
      <Field
        label={say.code}
        hint={say.codeHint}
        fault={faults.value.code}
        value={code.value}
        onValue={(value) => (code.value = value)}
      />
      <Field
        label={say.cloud}
        hint={say.cloudHint}
        fault={faults.value.cloud_url}
        value={cloud.value}
        onValue={(value) => (cloud.value = value)}
      />
      <Field
        label={say.device}
        hint={say.deviceHint}
        fault={faults.value.device_code}
        value={deviceCode.value}
        onValue={(value) => (deviceCode.value = value)}
      />
      <Button look="main" word={say.button} isBusy={isBusy()} />
      <p role="status" class={notice.value === null ? 'hidden' : `notice ${notice.value.look}`}>
        {notice.value?.text ?? ''}
      </p>
    </form>
  );
}
