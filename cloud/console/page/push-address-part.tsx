/** The address that a camera pushes to, with its key: shown when somebody asks for it, to be copied, scanned or typed. */
import { useSignal } from '@preact/signals';
import type { components } from '@parking-gateway/client';
import { useEffect } from 'preact/hooks';
import { CAMERA_DRIVERS } from '../../../shared/drivers/camera-driver-list.js';
import { AskState } from './ask-state.js';
import { CallsShown } from './made-calls.js';
import { Button, CopyButton, Refused } from './parts.js';
import { QrCode } from './qr-code.js';
import { HIDDEN } from './form-parts.js';
import { cameraSetupWords } from './rare-words.js';
import { useSending } from './sending.js';
import { client } from './session.js';
import { type Camera, gatewayOf } from './store.js';
import { useAsk } from './use-ask.js';

const say = await cameraSetupWords();

type PushAddress = components['schemas']['PushAddress'];

export function PushAddressPart({ camera }: { camera: Camera }) {
  const { id, name, driver } = camera;
  const gateway = gatewayOf(camera.gateway_id) ?? null;
  const shown = useSignal<PushAddress | null>(null);
  const sending = useSending([]);
  const probing = useAsk(`probe ${id}`, (signal) =>
    client().get('/v2/lpr-cameras/{id}/probe', { path: { id }, signal }),
  );
  const path = `/v2/lpr-cameras/${id}`;
  const read = async () => {
    shown.value = await client().post('/v2/lpr-cameras/{id}/push-address', { path: { id } });
  };
  /** The gateway finds out by which of its addresses the camera reaches it. */
  const probe = async () => {
    if (shown.value?.key === null) return;
    await probing.begin(() => client().post('/v2/lpr-cameras/{id}/probe', { path: { id } }), {
      call: { method: 'POST', path: `${path}/probe` },
    });
  };
  const show = async () => {
    if (await sending.send(read, { call: { method: 'POST', path: `${path}/push-address` } })) await probe();
  };
  const makeKey = async () => {
    const work = async () => {
      await client().patch('/v2/lpr-cameras/{id}', { path: { id }, body: { push_key: newKey() } });
      await read();
    };
    if (await sending.send(work, { call: { method: 'PATCH', path, body: { push_key: HIDDEN } } })) await probe();
  };
  const probed = probing.isWaiting ? null : (probing.last?.answer ?? null);
  const hosts = shown.value === null ? [] : (probed?.hosts ?? shown.value.hosts);
  if (!isPushing(driver))
    return (
      <section aria-label={say.address.title}>
        <h3>{say.address.title}</h3>
        <p>{say.address.pulls}</p>
      </section>
    );
  return (
    <section aria-label={say.address.title}>
      <h3>{say.address.title}</h3>
      <p class="facts">{say.address.what}</p>
      <Refused refusal={sending.refusal} />
      {shown.value === null ? (
        <div class="buttons">
          <Button look="small" word={say.address.show} about={name} isBusy={sending.isBusy} onClick={show} />
        </div>
      ) : (
        <>
          <AskState asking={probing} gateway={gateway} />
          {probed !== null && probed.is_there !== null && (
            <p class={`notice ${probed.is_there === 1 ? 'good' : 'bad'}`} role="status">
              {probed.is_there === 1 ? say.address.there : say.address.notThere(probed.problem ?? '')}
            </p>
          )}
          <Shown address={shown.value} hosts={hosts} name={name} />
          <div class="buttons">
            {shown.value.key === null && (
              <Button look="small" word={say.address.makeKey} about={name} isBusy={sending.isBusy} onClick={makeKey} />
            )}
            <Button look="small" word={say.address.hide} about={name} onClick={() => (shown.value = null)} />
          </div>
        </>
      )}
      <CallsShown made={[...sending.made, ...probing.made]} />
    </section>
  );
}

function Shown({
  address: { path, key },
  hosts,
  name,
}: {
  address: PushAddress;
  hosts: readonly string[];
  name: string;
}) {
  if (path === null || key === null) return <p class="notice">{say.address.noKey}</p>;
  const [first] = hosts;
  return (
    <div class="secret">
      {hosts.map((host) => (
        <Copied key={host} what={say.address.whole} text={`http://${host}${path}`} word={say.address.copyAddress} />
      ))}
      {first === undefined && (
        <>
          <p class="facts">{say.address.noHost}</p>
          <Copied what={say.address.path} text={path} word={say.address.copyPath} />
        </>
      )}
      <Copied what={say.address.key} text={key} word={say.address.copyKey} />
      {first !== undefined && <QrCode text={`http://${first}${path}`} name={say.address.qr(name)} />}
    </div>
  );
}

function Copied({ what, text, word }: { what: string; text: string; word: string }) {
  const isCopied = useSignal(false);
  useEffect(() => {
    isCopied.value = false;
  }, [text]);
  return (
    <p>
      {what} <code tabIndex={0}>{text}</code>{' '}
      <CopyButton text={text} label={word} isCopied={isCopied.value} onCopied={() => (isCopied.value = true)} />
    </p>
  );
}

const PULLED: ReadonlySet<string> = new Set(['called', 'broker']);

const isPushing = (driver: string): boolean =>
  !PULLED.has(Object.entries(CAMERA_DRIVERS).find(([own]) => own === driver)?.[1].settings ?? '');

const KEY_BYTES = 16;

/** 128 random bits, which fit into an address and can be typed. */
const newKey = (): string =>
  [...crypto.getRandomValues(new Uint8Array(KEY_BYTES))].map((byte) => byte.toString(16).padStart(2, '0')).join('');
