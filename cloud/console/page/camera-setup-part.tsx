/** A camera that is connected: its push address, its settings written by the gateway, and its first read. */
import { useSignal } from '@preact/signals';
import type { components } from '@parking-gateway/client';
import { AskState } from './ask-state.js';
import { FirstRead } from './first-read-part.js';
import { CallsShown } from './made-calls.js';
import { Button } from './parts.js';
import { PushAddressPart } from './push-address-part.js';
import { cameraSetupWords } from './rare-words.js';
import { client } from './session.js';
import { cameraOf, type Camera, gatewayOf } from './store.js';
import { useAsk } from './use-ask.js';

const say = await cameraSetupWords();

type Mode = 'plan' | 'apply' | 'undo';
type Setup = components['schemas']['CameraSetup'];

export function CameraSetupPart({ camera }: { camera: Camera }) {
  // What is answered here changes the camera itself.
  const present = cameraOf(camera.id) ?? camera;
  return (
    <div class="connect">
      <PushAddressPart camera={present} />
      <WritePart camera={present} />
      <FirstRead camera={present} />
    </div>
  );
}

function WritePart({ camera: { id, name, gateway_id } }: { camera: Camera }) {
  const gateway = gatewayOf(gateway_id) ?? null;
  /** What was planned or made in sight of this person: an earlier plan may not fit any more. */
  const isShown = useSignal(false);
  const asking = useAsk(`setup ${id}`, (signal) =>
    client().get('/v2/lpr-cameras/{id}/setup', { path: { id }, signal }),
  );
  const ask = async (mode: Mode) => {
    isShown.value = true;
    const body = { mode };
    await asking.begin(() => client().post('/v2/lpr-cameras/{id}/setup', { path: { id }, body }), {
      call: { method: 'POST', path: `/v2/lpr-cameras/${id}/setup`, body },
    });
  };
  const { isWaiting, last } = asking;
  const answer = isShown.value && !isWaiting && last?.state === 'answered' ? last.answer : null;
  const isPlanned = answer?.mode === 'plan' && answer.changes.length > 0;
  return (
    <section aria-label={say.write.title}>
      <h3>{say.write.title}</h3>
      <p class="facts">{say.write.what}</p>
      {isShown.value && <AskState asking={asking} gateway={gateway} />}
      {answer !== null && <Outcome answer={answer} />}
      <div class="buttons">
        <Button look="small" word={say.write.plan} about={name} isBusy={isWaiting} onClick={() => ask('plan')} />
        {isPlanned && <Button look="main" word={say.write.apply} about={name} onClick={() => ask('apply')} />}
        {answer?.mode === 'apply' && answer.changes.length > 0 && (
          <Button look="small" word={say.write.undo} about={name} onClick={() => ask('undo')} />
        )}
      </div>
      <CallsShown made={asking.made} />
    </section>
  );
}

const NOTHING = { plan: say.write.nothing, apply: say.write.nothing, undo: say.write.nothingUndone };
const HEADS = { plan: say.write.would, apply: say.write.done, undo: say.write.undone };

function Outcome({ answer: { mode, changes, by_hand } }: { answer: Setup }) {
  return (
    <div role="status">
      {changes.length > 0 && (
        <>
          <p>{HEADS[mode]}</p>
          <TextList texts={changes} />
        </>
      )}
      {changes.length === 0 && by_hand.length === 0 && <p class="notice good">{NOTHING[mode]}</p>}
      {by_hand.length > 0 && (
        <>
          <p>{say.write.byHand}</p>
          <TextList texts={by_hand} />
        </>
      )}
    </div>
  );
}

/** What gateways say of cameras stands in the language of their software. */
const TextList = ({ texts }: { texts: readonly string[] }) => (
  <ul class="plain" lang="en">
    {texts.map((text) => (
      <li key={text}>{text}</li>
    ))}
  </ul>
);
