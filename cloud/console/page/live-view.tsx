/** One row for each vehicle, as it comes: its picture, what was decided, and what a person can do about it. */
import { useEffect, useRef } from 'preact/hooks';
import { decisionSentence, isRefused } from '../wording/sentences.js';
import { leftToLet } from '../wording/waiting.js';
import { secondsTimeOf, words } from './browser.js';
import { commands } from './commands.js';
import { CorrectPlate } from './correct-plate-part.js';
import { Explanation } from './explanation-part.js';
import { LetQuestion } from './let-question.js';
import { Button, Empty, joined, Refused } from './parts.js';
import { Picture } from './picture.js';
import { query, queryOf, setQuery } from './place.js';
import { isMasked, shownPlate } from './plate-mask.js';
import { RevealButton } from './plate-part.js';
import { CommandLine } from './command-line.js';
import { LoadingSign } from './loading-sign.js';
import {
  BeginStay,
  forgetPassedOver,
  lastDone,
  letting,
  membered,
  MemberQuestion,
  passedOver,
  passOver,
  productAt,
  RefusedActions,
  waiting,
} from './queue-part.js';
import { knownReadings, loadRefused, renewReading } from './reading-store.js';
import { serverNow } from './server-clock.js';
import { client, mayManage } from './session.js';
import { Sightings, useSightings } from './sightings-part.js';
import { cameraOf, isLoaded, type Reading, readings, timezoneOf, wholeReads } from './store.js';
import { useRead } from './use-read.js';

const ROW = '.reading > .row';

const isQueue = (): boolean => queryOf('show') === 'refused';

/** The readings that the address asks for. */
function chosen(): Reading[] {
  const camera = query.value.get('camera');
  const shown = isQueue() ? waiting.value : readings.value;
  return camera === null ? shown : shown.filter(({ lpr_camera_id }) => String(lpr_camera_id) === camera);
}

export function LiveView() {
  useEffect(() => {
    addEventListener('keydown', handleKey);
    return () => {
      removeEventListener('keydown', handleKey);
      lastDone.value = null;
      membered.value = null;
      letting.value = null;
    };
  }, []);
  useSightings();
  useEffect(() => {
    if (isLoaded.value) void loadRefused();
  }, [wholeReads.value]);
  if (!isLoaded.value) return <LoadingSign />;
  const shown = chosen();
  const wanted = Number(queryOf('reading'));
  const isElsewhere = wanted > 0 && !knownReadings.value.some(({ id }) => id === wanted);
  const show = queryOf('show');
  const camera = query.value.get('camera');
  const refusedCount = waiting.value.length;
  return (
    <>
      <div class="head">
        <h1 tabIndex={-1}>{words.views.live}</h1>
        <div class="buttons">
          {camera !== null && (
            <button type="button" class="small" onClick={() => setQuery({ camera: '' })}>
              {cameraOf(Number(camera))?.name ?? camera} ×
            </button>
          )}
          <Button look="small" word={words.live.all} isPressed={show === ''} onClick={() => setQuery({ show: '' })} />
          <button type="button" class="small" aria-pressed={show !== ''} onClick={() => setQuery({ show: 'refused' })}>
            {words.live.refused} {refusedCount > 0 && <span class="tag bad">{refusedCount}</span>}
          </button>
        </div>
      </div>
      {show !== '' && <QueueHead />}
      {letting.value !== null && <LetQuestion key={letting.value.id} reading={letting.value} />}
      <Sightings when="now" />
      {shown.length === 0 && <Empty>{show === '' ? words.live.empty : words.queue.calm}</Empty>}
      <ul class="readings">
        {shown.map((reading) => (
          <ReadingRow key={reading.id} reading={reading} />
        ))}
      </ul>
      {isElsewhere && <OlderReading key={wanted} id={wanted} />}
      <p class="hint keys">{words.queue.keys}</p>
      <Sightings when="earlier" />
    </>
  );
}

/** The one that the address names, though it is long ago. */
function OlderReading({ id }: { id: number }) {
  const { found, refusal, again } = useRead(`reading ${id}`, (signal) =>
    client().get('/v2/plate-readings/{id}', { path: { id }, signal }),
  );
  return (
    <section aria-labelledby="older-reading">
      <h2 id="older-reading">{words.live.olderReading}</h2>
      <Refused refusal={refusal} />
      {found !== null && (
        <ul class="readings">
          <ReadingRow reading={found} onEnded={again} onChanged={again} />
        </ul>
      )}
    </section>
  );
}

/** What was last done from the queue, and how many vehicles were passed over. */
function QueueHead() {
  const reading = membered.value;
  const ids = new Set(knownReadings.value.map(({ id }) => id));
  const count = [...passedOver.value].filter((id) => ids.has(id)).length;
  return (
    <>
      <div role="status">{lastDone.value !== null && <p class="notice good">{lastDone.value}</p>}</div>
      {count > 0 && (
        <p class="hint">
          {words.queue.ignored(count)} <Button look="small" word={words.queue.again} onClick={forgetPassedOver} />
        </p>
      )}
      {reading !== null && <MemberQuestion reading={reading} />}
    </>
  );
}

/** j and k move, the others are for the refused vehicle that has the focus. Enter is the row's own, as it is a button. */
function handleKey(event: KeyboardEvent): void {
  const { target, key } = event;
  if (event.ctrlKey || event.metaKey || event.altKey || document.querySelector('dialog') !== null) return;
  if (target instanceof HTMLInputElement || target instanceof HTMLSelectElement) return;
  const rows = [...document.querySelectorAll<HTMLElement>(ROW)];
  const at = rows.findIndex((row) => row === document.activeElement);
  const reading = knownReadings.value.find(({ id }) => rows[at]?.id === `reading-${id}`);
  const refused = reading !== undefined && isRefused(reading) ? reading : undefined;
  if (key === 'j') rows[Math.min(at + 1, rows.length - 1)]?.focus();
  else if (key === 'k') rows[Math.max(at - 1, 0)]?.focus();
  else if (refused === undefined) return;
  else if (key === 'o') {
    const mayLet = productAt(refused) !== undefined && leftToLet(refused.created_at, serverNow()) >= 0;
    letting.value = mayLet ? refused : null;
  } else if (!isQueue()) return;
  else if (key === 'm' && mayManage.value && refused.direction === 'in') membered.value = refused;
  else if (key === 'x') {
    (rows[at + 1] ?? rows[at - 1])?.focus();
    passOver(refused);
  } else return;
  event.preventDefault();
}

interface Shown {
  reading: Reading;
  /** Its links to pictures have ended. Left out: it is one of those that are kept up anyway. */
  onEnded?: () => void;
  onChanged?: () => void;
}

function ReadingRow({ reading, onEnded = () => renewReading(reading.id), onChanged = () => undefined }: Shown) {
  const { id, plate, image_url, cropped_image_url, created_at, direction, zone_id } = reading;
  const isOpen = queryOf('reading') === String(id);
  const refused = isRefused(reading);
  const camera = cameraOf(reading.lpr_camera_id);
  const tone = refused ? 'bad' : reading.access_decision === 'triggered' ? 'good' : '';
  return (
    <li class={`reading ${tone}`}>
      <button
        type="button"
        class="row"
        id={`reading-${id}`}
        aria-expanded={isOpen}
        onClick={() => setQuery({ reading: isOpen ? '' : String(id) })}
      >
        <Picture url={image_url ?? cropped_image_url} alt="" isSmall plate={plate} onEnded={onEnded} />
        <span class="said">
          <span class="plate">{shownPlate(plate)}</span>
          <span>{decisionSentence(reading, words)}</span>
          <span class="facts">
            {words.live.directions[direction]} · {camera?.name ?? '–'} ·{' '}
            {secondsTimeOf(created_at, timezoneOf(zone_id))}
          </span>
        </span>
      </button>
      {refused && <RefusedActions reading={reading} isQueue={isQueue()} />}
      {isOpen && <ReadingDetails reading={reading} onEnded={onEnded} onChanged={onChanged} />}
    </li>
  );
}

function ReadingDetails({ reading, onEnded, onChanged }: Required<Shown>) {
  const { id, plate, image_url, confidence, original_plate, make, model, color } = reading;
  const plates = original_plate === null ? [plate] : [plate, original_plate];
  // The plate that a person has just typed may be masked: the form remains, because it may have a question.
  const mayCorrect = useRef(false);
  mayCorrect.current ||= !plates.some(isMasked);
  const product = productAt(reading);
  const given = product === undefined ? undefined : commands.value.get(product.id);
  const facts = joined([
    original_plate !== null && original_plate !== plate && words.live.read(shownPlate(original_plate)),
    confidence !== null && words.live.confidence(Math.round(confidence <= 1 ? confidence * 100 : confidence)),
    [color, make, model].filter(Boolean).join(' '),
  ]);
  return (
    <div class="details">
      <Picture url={image_url} alt={words.live.picture(shownPlate(plate))} plate={plate} onEnded={onEnded} />
      <div class="aside">
        {facts !== '' && <p class="facts">{facts}</p>}
        {given?.readingId === id && <CommandLine given={given} withDetails />}
        <RevealButton asked={[{ of: { list: 'plate-readings', id }, plates }]} />
        {mayCorrect.current && <CorrectPlate reading={reading} onChanged={onChanged} />}
        {isRefused(reading) && <BeginStay reading={reading} />}
      </div>
      <Explanation reading={reading} />
    </div>
  );
}
