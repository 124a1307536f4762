/** What happens: the newest vehicles, and what moved, the newest first. */
import type { ComponentChildren } from 'preact';
import { VIEW_PATHS } from '../console-paths.js';
import { decisionSentence } from '../wording/sentences.js';
import { secondsTimeOf, words } from './browser.js';
import { type Movement, movements } from './movement-store.js';
import { StateSign } from '../../../shared/page/parts.js';
import { Empty, joined, Link } from './parts.js';
import { Picture } from './picture.js';
import { shownPlate } from './plate-mask.js';
import { readingTime, toneOf } from './reading-rows.js';
import { renewReading } from './reading-store.js';
import { cameraOf, type Reading, readings, timezoneOfLot } from './store.js';

const SHOWN_MAX = 14;

export function Now() {
  const say = words.overview;
  const all = [
    ...readings.value.slice(0, SHOWN_MAX).map((reading) => ({
      at: reading.created_at,
      row: <Came key={`reading-${reading.id}`} reading={reading} />,
    })),
    ...movements.value.map((movement) => ({
      at: movement.at,
      row: <Moved key={`movement-${movement.id}`} movement={movement} />,
    })),
  ].toSorted((a, b) => (a.at < b.at ? 1 : a.at > b.at ? -1 : 0));
  return (
    <section class="now" aria-labelledby="now">
      <div class="head">
        <h2 id="now">{say.now}</h2>
        <Link to={VIEW_PATHS.live}>{words.views.live}</Link>
      </div>
      {all.length === 0 ? (
        <Empty>{words.live.empty}</Empty>
      ) : (
        <ul class="card feed">{all.slice(0, SHOWN_MAX).map(({ row }) => row)}</ul>
      )}
    </section>
  );
}

/** One vehicle, which leads to its row. @param props.children what can be done about it */
export function Came({ reading, children }: { reading: Reading; children?: ComponentChildren }) {
  const { id, plate, image_url, cropped_image_url, lpr_camera_id, direction } = reading;
  return (
    <li class={toneOf(reading)}>
      <Link to={`${VIEW_PATHS.live}?reading=${id}`}>
        <Picture url={image_url ?? cropped_image_url} alt="" isSmall plate={plate} onEnded={() => renewReading(id)} />
        <span class="said">
          <span>
            <strong>{shownPlate(plate)}</strong> {decisionSentence(reading, words)}
          </span>
          <span class="facts">
            {joined([readingTime(reading), cameraOf(lpr_camera_id)?.name, words.live.directions[direction]])}
          </span>
        </span>
      </Link>
      {children}
    </li>
  );
}

function Moved({ movement: { product, state, at } }: { movement: Movement }) {
  return (
    <li class="moved">
      <span class="said">
        <span>
          <strong>{product.name}</strong> <StateSign state={state} word={words.states[state]} />
        </span>
        <span class="facts">{secondsTimeOf(at, timezoneOfLot(product.lot_id))}</span>
      </span>
    </li>
  );
}
