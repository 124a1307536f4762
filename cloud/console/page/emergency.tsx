/** An emergency is a state of the whole console: who opened everything in which lot stands above each view until somebody ends it. */
import { lotPath } from '../console-paths.js';
import { AskButton } from './admin-parts.js';
import { timeOf, words } from './browser.js';
import { releaseLot } from './commands.js';
import { Link } from './parts.js';
import { released } from './store.js';

export function EmergencyBand() {
  const say = words.emergency;
  return (
    <section aria-label={say.label} class={released.value.length === 0 ? 'hidden' : 'emergencies'}>
      {released.value.map(({ id, name, timezone, released_at, released_by }) => (
        <div key={id} class="emergency">
          <p role="alert">
            <strong>{say.at(name)}</strong>{' '}
            {released_at !== null && words.lot.releasedBy(released_by ?? '–', timeOf(released_at, timezone))}
          </p>
          <Link class="button small" to={lotPath(id)} label={`${say.toLot}: ${name}`}>
            {say.toLot}
          </Link>
          <AskButton
            label={words.lot.releaseEnd}
            about={name}
            title={say.endTitle(name)}
            what={words.lot.releaseEndHint}
            onYes={() => releaseLot(id, 'clear')}
            call={{ method: 'POST', path: `/v2/lots/${id}/release/clear`, body: {} }}
          />
        </div>
      ))}
    </section>
  );
}
