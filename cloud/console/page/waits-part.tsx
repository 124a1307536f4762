/** What waits for a person: what is broken, vehicles without a plate, and refused ones that still stand at their barrier. */
import { useEffect } from 'preact/hooks';
import { VIEW_PATHS } from '../console-paths.js';
import type { Trouble } from '../../../shared/troubles/trouble.js';
import { leftToLet } from '../wording/waiting.js';
import { words } from './browser.js';
import { LetQuestion } from './let-question.js';
import { Came } from './now-part.js';
import { Link } from './parts.js';
import { letting, LetThrough, waiting } from './queue-part.js';
import { serverNow } from './server-clock.js';
import { isWaiting, Sightings, useWaiting } from './sightings-part.js';
import { sightings } from './sighting-store.js';
import { type Lot, minute } from './store.js';
import { Troubles } from './troubles-part.js';

/** Refused vehicles that still stand at their barrier, the newest first, and vehicles without a plate. */
function waitingNow() {
  void minute.value;
  const now = serverNow();
  return {
    refused: waiting.value.filter(({ created_at }) => leftToLet(created_at, now) >= 0),
    unread: sightings.value.filter(isWaiting),
  };
}

/** How many vehicles wait for a person. */
export function waitingCount(): number {
  const { refused, unread } = waitingNow();
  return refused.length + unread.length;
}

interface WaitsProps {
  lots: readonly (Lot & { troubles: readonly Trouble[] })[];
  ofAccount: readonly Trouble[];
}

/** @param props.ofAccount troubles of no lot */
export function Waits({ lots, ofAccount }: WaitsProps) {
  const say = words.overview;
  useWaiting();
  useEffect(() => () => void (letting.value = null), []);
  const { refused, unread } = waitingNow();
  const troubled = lots.filter(({ troubles }) => troubles.length > 0);
  const isCalm = ofAccount.length === 0 && troubled.length === 0 && refused.length === 0 && unread.length === 0;
  return (
    <section class={isCalm ? 'waits calm' : 'waits'} aria-labelledby="waits">
      <div class="head">
        <h2 id="waits">{say.waits}</h2>
        <Link to={`${VIEW_PATHS.live}?show=refused`}>{say.toQueue}</Link>
      </div>
      {isCalm && <p class="hint">{say.nothingWaits}</p>}
      <Troubles troubles={ofAccount} title={words.ofAccount} />
      {troubled.map(({ id, name, troubles }) => (
        <div key={id}>
          {lots.length > 1 && <h3>{name}</h3>}
          <Troubles troubles={troubles} lotId={id} />
        </div>
      ))}
      {letting.value !== null && <LetQuestion key={letting.value.id} reading={letting.value} />}
      <Sightings when="now" />
      {refused.length > 0 && (
        <ul class="card feed">
          {refused.map((reading) => (
            <Came key={reading.id} reading={reading}>
              <LetThrough reading={reading} />
            </Came>
          ))}
        </ul>
      )}
    </section>
  );
}
