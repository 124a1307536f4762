/** Cameras that a gateway finds on its network, one of which fills in the form of a new camera. */
import type { components } from '@parking-gateway/client';
import { Row } from './admin-parts.js';
import { AskState } from './ask-state.js';
import { CallsShown } from './made-calls.js';
import { Button, Empty } from './parts.js';
import { cameraSetupWords } from './rare-words.js';
import { client } from './session.js';
import { cameraOf, type Gateway } from './store.js';
import { useAsk } from './use-ask.js';

const say = await cameraSetupWords();

type FoundCamera = components['schemas']['FoundCameras']['cameras'][number];

export function CameraSearch({ gateway, onChosen }: { gateway: Gateway; onChosen: (found: FoundCamera) => void }) {
  const { id, name } = gateway;
  const asking = useAsk(`camera search ${id}`, (signal) =>
    client().get('/v2/gateways/{id}/camera-search', { path: { id }, signal }),
  );
  const search = () =>
    asking.begin(() => client().post('/v2/gateways/{id}/camera-search', { path: { id } }), {
      call: { method: 'POST', path: `/v2/gateways/${id}/camera-search` },
    });
  const found = asking.isWaiting || asking.last?.state !== 'answered' ? null : (asking.last.answer?.cameras ?? []);
  return (
    <section class="search" aria-label={say.search}>
      <div class="buttons">
        <Button look="small" word={say.search} isBusy={asking.isWaiting} onClick={search} />
      </div>
      <p class="facts">{say.searchOf(name)}</p>
      <AskState asking={asking} gateway={gateway} waits={say.searching} />
      {found?.length === 0 && <Empty>{say.noneFound}</Empty>}
      <ul class="stays">
        {found?.map((camera) => (
          <Found key={camera.address} camera={camera} onChosen={onChosen} />
        ))}
      </ul>
      <CallsShown made={asking.made} />
    </section>
  );
}

function Found({ camera, onChosen }: { camera: FoundCamera; onChosen: (found: FoundCamera) => void }) {
  const { address, vendor, model, serial, notes, lpr_camera_id } = camera;
  const name = `${vendor} ${model}`.trim() || address;
  return (
    <Row
      name={name}
      facts={[address, serial, notes]}
      buttons={
        lpr_camera_id === null ? (
          <Button look="small" word={say.use} about={`${name}, ${address}`} onClick={() => onChosen(camera)} />
        ) : (
          <span class="facts">{knownAs(lpr_camera_id)}</span>
        )
      }
    />
  );
}

function knownAs(id: number): string {
  const name = cameraOf(id)?.name;
  return name === undefined ? say.isKnown : say.isThere(name);
}
