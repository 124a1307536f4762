/** The software of a gateway: what it has and shall have, how far its update is, and how to pause it or not to wait. */
import type { components } from '@parking-gateway/client';
import { AskButton } from './admin-parts.js';
import { words } from './browser.js';
import { Button, type FactList, Facts, Opened, Refused } from './parts.js';
import { useSending } from './sending.js';
import { client, mayManage } from './session.js';
import { useRead } from './use-read.js';

const say = words.updates;

type Update = components['schemas']['GatewayUpdate'];

export const UpdatePart = (props: { id: number; name: string }) => (
  <Opened summary={say.title}>
    <Software {...props} />
  </Opened>
);

function Software({ id, name }: { id: number; name: string }) {
  const path = { id };
  const { found, refusal, again } = useRead(`update of ${id}`, (signal) =>
    client().get('/v2/gateways/{id}/update', { path, signal }),
  );
  if (found === null) return <Refused refusal={refusal} />;
  const isPaused = found.is_paused === 1;
  return (
    <>
      <Refused refusal={refusal} />
      {isPaused && <p class="notice">{say.paused}</p>}
      {found.error !== null && <p class="notice bad">{found.error}</p>}
      <Facts facts={factsOf(found)} />
      {mayManage.value && found.can_install !== 0 && (
        <UpdateButtons id={id} name={name} isPaused={isPaused} onChanged={again} />
      )}
    </>
  );
}

/** Pauses the updates of a gateway, lets them go on, or does not wait. */
export function UpdateButtons(props: { id: number; name: string; isPaused: boolean; onChanged: () => void }) {
  const { id, name, isPaused, onChanged } = props;
  const path = { id };
  const sending = useSending([]);
  const pause = (is_paused: boolean) =>
    sending.send(async () => {
      await client().patch('/v2/gateways/{id}/update', { path, body: { is_paused } });
      onChanged();
    });
  const now = async () => {
    await client().post('/v2/gateways/{id}/update/now', { path });
    onChanged();
  };
  return (
    <>
      <div class="buttons">
        <Button
          look="small"
          word={isPaused ? say.goOn : say.pause}
          about={name}
          isBusy={sending.isBusy}
          onClick={() => pause(!isPaused)}
        />
        <AskButton
          label={say.now}
          about={name}
          title={say.nowTitle(name)}
          what={say.nowWhat}
          call={{ method: 'POST', path: `/v2/gateways/${id}/update/now` }}
          isDanger={false}
          onYes={now}
        />
      </div>
      <Refused refusal={sending.refusal} />
    </>
  );
}

function factsOf({ can_install, installed, slot, wanted, phase, version, progress, waits_for }: Update): FactList {
  if (can_install === 0) return [[say.installed, say.apt]];
  const state = [
    phase === null ? '–' : `${phase === 'idle' || version === null ? '' : `${version} `}${say.phases[phase]}`,
    progress === null ? [] : `${progress} %`,
    waits_for === null ? [] : say.waits(waits_for),
  ].flat();
  return [
    [say.installed, installed === null ? say.unknown : slot === null ? installed : say.inSlot(installed, slot)],
    [say.wanted, wanted === null ? say.none : [wanted.version, wanted.notes].filter((text) => text !== '').join(': ')],
    [say.state, state.join('; ')],
  ];
}
