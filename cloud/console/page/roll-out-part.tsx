/** How far each gateway is with a release, why not further, and what to do about it. */
import type { components } from '@parking-gateway/client';
import { kindOfState, turnsOf } from '../wording/roll-out.js';
import { ListState, Row } from './admin-parts.js';
import { timeOf, words } from './browser.js';
import { AsOf, useKeptUp } from './kept-up.js';
import { Facts, Opened } from './parts.js';
import { releaseWords as say } from './release-words.js';
import { client, mayManage } from './session.js';
import { type Gateway, gateways, lots, timezoneOfLot } from './store.js';
import { UpdateButtons } from './update-part.js';
import { useAgain } from './use-again.js';
import { useRead } from './use-read.js';

type Release = components['schemas']['Release'];
type Step = components['schemas']['ReleaseGateway'];

/** While one is getting it, people watch how it goes on. */
const WATCHED_EVERY_MS = 5_000;
const TONES = { installed: 'good', moving: 'busy', failed: 'bad', waiting: 'warn', outside: '', apart: '' } as const;

export function RollOutPart({ release, onChanged }: { release: Release; onChanged: () => void }) {
  const { id } = release;
  const list = useRead(`gateways of release ${id}`, (signal) =>
    client().get('/v2/releases/{id}/gateways', { path: { id }, signal }),
  );
  const isMoving = list.found?.some(({ state }) => kindOfState(state) === 'moving') === true;
  useAgain(list, isMoving ? WATCHED_EVERY_MS : null);
  useKeptUp(list, !isMoving);
  const rows = (list.found ?? []).flatMap((step) => {
    const gateway = gateways.value.find((each) => each.id === step.gateway_id);
    return gateway === undefined ? [] : [{ step, gateway }];
  });
  const left = gateways.value.filter(({ id: each }) => !rows.some(({ gateway }) => gateway.id === each));
  const namesOf = (some: readonly Gateway[]) => some.map(({ name }) => name).join(', ');
  const [others, unclaimed] = [
    left.filter((each) => each.claimed_at !== null),
    left.filter((each) => each.claimed_at === null),
  ];
  return (
    <>
      <AsOf list={list} />
      <ListState list={list} none={say.noGateways} />
      <ul class="stays">
        {rows.map(({ step, gateway }) => (
          <GatewayRow
            key={gateway.id}
            step={step}
            gateway={gateway}
            onChanged={() => {
              list.again();
              onChanged();
            }}
          />
        ))}
      </ul>
      {list.found !== null && others.length > 0 && <p class="facts">{say.others(namesOf(others))}</p>}
      {list.found !== null && unclaimed.length > 0 && <p class="facts">{say.unclaimed(namesOf(unclaimed))}</p>}
      {rows.length > 0 && (
        <Opened summary={say.next}>
          <p class="hint">{say.nextWhat}</p>
          <Facts
            facts={turnsOf(rows.map(({ step, gateway }) => ({ turn: step.turn, gateway }))).map((turn) => [
              say.nextAt(turn.percent),
              namesOf(turn.gateways.map(({ gateway }) => gateway)) || say.nobody,
            ])}
          />
        </Opened>
      )}
    </>
  );
}

function GatewayRow({ step, gateway, onChanged }: { step: Step; gateway: Gateway; onChanged: () => void }) {
  const { state, installed, progress, error, turn, is_paused } = step;
  const { id, name, lot_id } = gateway;
  const lot = lots.value.find((each) => each.id === lot_id);
  const isSteered = state !== 'updated_by_apt' && state !== 'never_reported';
  return (
    <Row
      name={name}
      tags={<span class={`tag ${TONES[kindOfState(state)]}`}>{stateWord(state)}</span>}
      facts={[
        lot?.name ?? words.admin.noLot,
        installed === null ? say.nowUnknown : say.now(installed),
        progress !== null && kindOfState(state) === 'moving' && `${progress} %`,
        state === 'outside' && say.turn(turn),
      ]}
    >
      {kindOfState(state) === 'moving' && progress !== null && (
        <progress max={100} value={progress} aria-label={stateWord(state)} />
      )}
      {error !== null && <p class="said-bad">{error}</p>}
      {adviceOf(step, gateway, lot?.update_hours ?? null).map((sentence) => (
        <p key={sentence} class="facts">
          {sentence}
        </p>
      ))}
      {isSteered && mayManage.value && (
        <UpdateButtons id={id} name={name} isPaused={is_paused === 1} onChanged={onChanged} />
      )}
    </Row>
  );
}

const stateWord = (state: Step['state']): string =>
  Object.hasOwn(say.state, state)
    ? say.state[state as keyof typeof say.state]
    : words.updates.phases[state as keyof typeof words.updates.phases];

/** What it waits for, or what comes next. @param hours those of the lot; null: any time */
function adviceOf({ state, waits_for, is_paused }: Step, gateway: Gateway, hours: string | null): string[] {
  if (state === 'updated_by_apt') return [say.apt];
  if (state === 'never_reported') return [say.neverReported];
  const isOver = state === 'installed' || state === 'outside' || state === 'superseded';
  const isAlone = gateway.status !== 'online' && !isOver;
  const { last_seen } = gateway;
  const waits = state === 'waiting' || state === 'ready';
  return [
    isAlone && (last_seen === null ? say.offlineEver : say.offline(timeOf(last_seen, timezoneOfLot(gateway.lot_id)))),
    is_paused === 1 && say.held,
    waits_for !== null && words.updates.waits(waits_for),
    waits && hours !== null && say.hours(hours),
    state === 'waiting' && !isAlone && waits_for === null && say.soon,
    state === 'failed' && say.failed,
    state === 'fallen_back' && say.fallenBack,
  ].filter((each) => each !== false);
}
