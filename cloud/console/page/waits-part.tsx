/** What waits for a person: what is broken, vehicles without a plate, and refused ones that still stand at their barrier. */
import { useEffect } from 'preact/hooks';
import { VIEW_PATHS } from '../console-paths.js';
import type { Trouble } from '../wording/lot-troubles.js';
import { leftToLet } from '../wording/waiting.js';
import { words } from './browser.js';
import { LetQuestion } from './let-question.js';
import { Came } from './now-part.js';
import { Link } from './parts.js';
import { letting, LetThrough, waiting } from './queue-part.js';
import { serverNow } from './server-clock.js';
import { isWaiting, Sightings, useSightings } from './sightings-part.js';
import { sightings } from './sighting-store.js';
import { type Lot, minute } from './store.js';
import { Troubles } from './troubles-part.js';

export function Waits({ lots }: { lots: readonly (Lot & { troubles: readonly Trouble[] })[] }) {
  const say = words.overview;
  useSightings();
  useEffect(() => () => void (letting.value = null), []);
  void minute.value;
  const troubled = lots.filter(({ troubles }) => troubles.length > 0);
  const refused = waiting.value.filter(({ created_at }) => leftToLet(created_at, serverNow()) >= 0);
  const isCalm = troubled.length === 0 && refused.length === 0 && !sightings.value.some(isWaiting);
  return (
    <section class={isCalm ? 'waits calm' : 'waits'} aria-labelledby="waits">
      <div class="head">
        <h2 id="waits">{say.waits}</h2>
        <Link to={`${VIEW_PATHS.live}?show=refused`}>{say.toQueue}</Link>
      </div>
      {isCalm && <p class="hint">{say.nothingWaits}</p>}
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
