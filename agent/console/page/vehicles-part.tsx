/** Vehicles: those whose plate could not be read, those that were refused, and what each camera read last. */
import { useSignal } from '@preact/signals';
import { Button, joined } from '../../../shared/page/parts.js';
import { ageText } from '../../../shared/troubles/age.js';
import { ruleSentence } from '../../../shared/wording/rule-sentences.js';
import { decisionSentence, handledSentence, isRefused } from '../../../shared/wording/gate-sentences.js';
import type { CameraView, LocalView, ReadView, RefusedView, SightingView } from '../view/local-view.js';
import { act, failureOf, isBusy, type OperationAnswer } from './acts.js';
import { timeOf, words } from './browser.js';
import { ActNotice, Part } from './local-parts.js';
import { gatewayNow } from './view-store.js';

/** Shows a picture. Its address is requested once: the picture there never changes. */
function Picture({ uid, name }: { uid: string | null; name: string }) {
  if (uid === null) return <span class="picture none">{words().vehicles.noPicture}</span>;
  return <img class="picture" src={`/api/pictures/${uid}`} alt={name} loading="lazy" />;
}

export function SightingsPart({ view }: { view: LocalView }) {
  if (view.sightings.length === 0) return null;
  return (
    <Part title={words().vehicles.sightings}>
      <div class="cards">
        {view.sightings.map((sighting) => (
          <Sighting key={sighting.uid} sighting={sighting} />
        ))}
      </div>
    </Part>
  );
}

function Sighting({ sighting }: { sighting: SightingView }) {
  const name = words().vehicles.sighting(sighting.camera, timeOf(sighting.at));
  return (
    <article class="card sighting" aria-label={name}>
      <Picture uid={sighting.picture_uid} name={name} />
      <p class="facts">{name}</p>
      <LetThrough vehicle={sighting} list="sightings" />
    </article>
  );
}

const SHOWN_FIRST = 12;

/** Refused vehicles of the last hours, with why, and what became of each: a few at a time. */
export function RefusedPart({ view: { refused } }: { view: LocalView }) {
  const shown = useSignal(SHOWN_FIRST);
  if (refused.length === 0) return null;
  const left = refused.length - shown.value;
  return (
    <Part title={words().vehicles.refused}>
      <div class="cards">
        {refused.slice(0, shown.value).map((read) => (
          <article
            key={read.uid}
            class="card sighting"
            aria-label={words().vehicles.refusedAt(read.plate ?? '', read.camera)}
          >
            <LastRead read={read} />
            <p class="facts">{read.camera}</p>
            <LetThrough vehicle={read} list="reads" />
            <Why rules={read.rules} />
          </article>
        ))}
      </div>
      {left > 0 && (
        <div class="buttons">
          <Button word={words().vehicles.earlier(left)} onClick={() => (shown.value += SHOWN_FIRST)} />
        </div>
      )}
    </Part>
  );
}

/** The rules of a decision in their order, each with what it saw. */
function Why({ rules }: Pick<RefusedView, 'rules'>) {
  const { rules: say, ages } = words();
  if (rules.length === 0) return null;
  return (
    <details>
      <summary>{say.why}</summary>
      <ol class="rules" aria-label={say.title}>
        {rules.map(({ rule, outcome, facts }) => (
          <li key={rule}>
            <strong>{say.names[rule] ?? rule}</strong> <span class="tag">{say.outcomes[outcome]}</span>
            <p>{ruleSentence({ rule, facts }, say, (ms) => ageText(ms, ages))}</p>
          </li>
        ))}
      </ol>
    </details>
  );
}

const isFresh = (until: string | null): boolean => until !== null && Date.parse(until) > gatewayNow.value;

/** Counts the vehicles that stand there and that nobody dealt with. */
export const countWaiting = ({ sightings, refused }: LocalView): number =>
  [...sightings, ...refused].filter(
    ({ handled, product, can_be_let_in_until: until }) => handled === null && product !== null && isFresh(until),
  ).length;

/** As the gateway answers who lets a vehicle through. */
interface LetThroughAnswer extends OperationAnswer {
  /** Left out: no vehicle was let out. */
  stay?: 'ended' | 'unknown';
}

/** The button that lets a vehicle through while it stands there, and who dealt with it. Whom somebody let out may try again. */
function LetThrough({ vehicle, list }: { vehicle: SightingView | RefusedView; list: 'sightings' | 'reads' }) {
  const { vehicles: say } = words();
  const { uid, camera, direction, product, handled, can_be_let_in_until: until } = vehicle;
  const key = `${list} ${uid}`;
  const word = direction === 'out' ? say.letOut : say.letIn;
  const pressed = handled === null ? word : say.letOutAgain;
  const letThrough = () =>
    product !== null &&
    act<LetThroughAnswer>(
      key,
      `/api/${list}/${uid}/${list === 'reads' && direction === 'out' ? 'let-out' : 'let-in'}`,
      {},
      {
        busy: word,
        done: ({ stay, ...answer }) =>
          answer.is_done
            ? `${say.letDone(word, product.name)} ${stay === undefined ? '' : say.stays[stay]}`.trim()
            : { failed: failureOf(answer) },
      },
    );
  return (
    <>
      {handled !== null && (
        <p class="hint">{handledSentence({ direction, ...handled, at: timeOf(handled.at) }, words())}</p>
      )}
      {product !== null && isFresh(until) ? (
        <div class="buttons big">
          <Button
            look={handled === null ? 'main' : undefined}
            word={pressed}
            label={`${pressed}: ${say.letInAbout(camera, product.name)}`}
            isBusy={isBusy(key)}
            onClick={letThrough}
          />
        </div>
      ) : (
        handled === null && <p class="hint">{product === null ? say.noProduct : say.tooLate}</p>
      )}
      <ActNotice name={key} />
    </>
  );
}

export function CamerasPart({ view }: { view: LocalView }) {
  const { vehicles: say } = words();
  return (
    <Part title={say.cameras}>
      {view.cameras.length === 0 ? (
        <p class="hint">{say.noCameras}</p>
      ) : (
        <div class="cards">
          {view.cameras.map((camera) => (
            <CameraCard key={camera.device_id} camera={camera} />
          ))}
        </div>
      )}
    </Part>
  );
}

function CameraCard({ camera }: { camera: CameraView }) {
  const { vehicles: say } = words();
  const { device_id, name, status, last_read: read, clock_behind_s: behind, product } = camera;
  const id = `camera-${device_id}`;
  const looks = { online: 'good', offline: 'bad', unknown: '' } as const;
  const state = status ?? 'unknown';
  return (
    <article class="card" aria-labelledby={id}>
      <header>
        <h3 id={id}>{name}</h3>
        <span class={`tag ${looks[state]}`}>{say.statuses[state]}</span>
      </header>
      {read === null ? <p class="hint">{say.noRead}</p> : <LastRead read={read} />}
      <p class="facts">
        {joined([
          say.positions[camera.position],
          product === null ? say.noProduct : say.opens(product),
          behind === null ? null : say.behind(behind),
        ])}
      </p>
      {camera.problem !== null && <p class="notice bad">{camera.problem}</p>}
      {camera.push_without_key && <p class="notice warn">{say.withoutKey}</p>}
    </article>
  );
}

function LastRead({ read }: { read: ReadView }) {
  const { vehicles: say } = words();
  return (
    <div class="last-read">
      <Picture uid={read.picture_uid} name={say.picture(read.plate ?? say.noPlate)} />
      <div class="said">
        <strong class="plate">{read.plate ?? say.noPlate}</strong>
        <span class={isRefused(read) ? 'refused' : 'admitted'}>{decisionSentence(read, words())}</span>
        {read.is_opening_unknown && <span class="facts">{say.openingUnknown}</span>}
        <span class="facts">{joined([timeOf(read.at, true), say.directions[read.direction]])}</span>
      </div>
    </div>
  );
}
