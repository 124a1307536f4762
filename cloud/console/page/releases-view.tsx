/** The releases of the gateways' software: which there are, and how far each is. */
import type { components } from '@parking-gateway/client';
import { useSignal } from '@preact/signals';
import { countsOfRollOut, underWay } from '../wording/roll-out.js';
import { AskButton, ListState } from './admin-parts.js';
import { timeOf, words } from './browser.js';
import { AsOf, useKeptUp } from './kept-up.js';
import { LoadingSign } from './loading-sign.js';
import { joined, Notice, Opened } from './parts.js';
import { releaseWords as say } from './release-words.js';
import { RollOutPart } from './roll-out-part.js';
import { client } from './session.js';
import { isLoaded } from './store.js';
import { useRead } from './use-read.js';

type Release = components['schemas']['Release'];

const BYTES_OF_MEGABYTE = 1_000_000;
const size = new Intl.NumberFormat(words.locale, { maximumFractionDigits: 1 });

export function ReleasesView() {
  const releases = useRead('releases', (signal) => client().get('/v2/releases', { signal }));
  useKeptUp(releases, true);
  if (!isLoaded.value) return <LoadingSign />;
  return (
    <>
      <h1 tabIndex={-1}>{words.views.releases}</h1>
      <p class="hint">{say.what}</p>
      <AsOf list={releases} />
      <ListState list={releases} none={say.none} />
      {releases.found?.map((release) => (
        <ReleaseCard key={release.id} release={release} onChanged={releases.again} />
      ))}
      <Opened summary={say.newOne}>
        <ol class="steps-of-release">
          {say.steps.map((step) => (
            <li key={step}>{step}</li>
          ))}
        </ol>
      </Opened>
    </>
  );
}

function ReleaseCard({ release, onChanged }: { release: Release; onChanged: () => void }) {
  const { id, version, machine, notes, bytes, security_floor, is_paused, percent, created_at } = release;
  const heading = `release-${id}`;
  const counts = countsOfRollOut(release.counts);
  return (
    <article class="card device release-card" aria-labelledby={heading}>
      <header>
        <div>
          <h2 id={heading}>{say.title(version)}</h2>
          <p class="facts">
            {joined([
              say.published(timeOf(created_at)),
              say.machine(machine),
              say.megabytes(size.format(bytes / BYTES_OF_MEGABYTE)),
              security_floor !== null && say.floor(security_floor),
            ])}
          </p>
        </div>
        <span class="tags">
          <span class="tag">{percent === 0 ? say.notBegun : say.percent(percent)}</span>
          {is_paused === 1 && <span class="tag warn">{say.pausedByOperator}</span>}
        </span>
      </header>
      {notes !== '' && <p>{notes}</p>}
      <p class="counts-of-release">
        {counts.length === 0
          ? say.noGateways
          : counts.map(({ kind, count }) => (
              <span key={kind} class={`tag ${TONES[kind]}`}>
                {say.counts[kind](count)}
              </span>
            ))}
      </p>
      <SteerButtons release={release} onChanged={onChanged} />
      <Opened summary={say.gateways}>
        <RollOutPart release={release} onChanged={onChanged} />
      </Opened>
    </article>
  );
}

const TONES = { installed: 'good', moving: 'busy', failed: 'bad', waiting: 'warn', outside: '', apart: '' } as const;

/** Holds the release back at all gateways that shall have it, or lets it go on. */
function SteerButtons({ release, onChanged }: { release: Release; onChanged: () => void }) {
  const { id, version, counts, held_count } = release;
  const changed = useSignal<number | null>(null);
  const steering = (word: 'pause' | 'resume') => ({
    about: say.title(version),
    call: { method: 'POST', path: `/v2/releases/${id}/${word}` } as const,
    isDanger: false,
    async onYes() {
      changed.value = (await client().post(`/v2/releases/{id}/${word}`, { path: { id } })).gateway_ids.length;
      onChanged();
    },
  });
  return (
    <>
      <div class="buttons">
        {underWay(counts) > held_count && (
          <AskButton {...steering('pause')} label={say.pauseAll} title={say.pauseTitle(version)} what={say.pauseWhat} />
        )}
        {held_count > 0 && (
          <AskButton
            {...steering('resume')}
            label={say.resumeAll}
            title={say.resumeTitle(version)}
            what={say.resumeWhat}
          />
        )}
      </div>
      <Notice text={changed.value === null ? '' : say.changed(changed.value)} />
    </>
  );
}
