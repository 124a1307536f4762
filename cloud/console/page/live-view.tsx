/** The vehicles as they come, the newest first: what was decided about each, and what a person can do about it. */
import { useEffect, useMemo } from 'preact/hooks';
import { normalisePlate } from '../../../shared/plate/normalise-plate.js';
import { isRefused } from '../wording/sentences.js';
import { leftToLet } from '../wording/waiting.js';
import { words } from './browser.js';
import { QueryField } from './fields.js';
import { LetQuestion } from './let-question.js';
import { type FocusedRow, KeysOfList } from './list-keys.js';
import { LoadingSign } from './loading-sign.js';
import { Button, Empty, Refused } from './parts.js';
import { query, queryOf, setQuery } from './place.js';
import {
  lastDone,
  letting,
  membered,
  MemberQuestion,
  passRefusal,
  passOver,
  productAt,
  waiting,
} from './queue-part.js';
import { isQueue, readingTable } from './reading-rows.js';
import { knownReadings, loadRefused } from './reading-store.js';
import { inOrderAsked, RowTable } from './row-table.js';
import { serverNow } from './server-clock.js';
import { client, mayManage } from './session.js';
import { Sightings, useWaiting } from './sightings-part.js';
import { cameraOf, isLoaded, type Reading, readings, wholeReads } from './store.js';
import { useRead } from './use-read.js';

const TABLE = readingTable();

/** The readings that the address asks for, in its order. */
function chosen(): readonly Reading[] {
  const camera = query.value.get('camera');
  const plate = normalisePlate(queryOf('plate'));
  const shown = (isQueue() ? waiting.value : readings.value).filter(
    (each) =>
      (camera === null || String(each.lpr_camera_id) === camera) &&
      (plate === '' || normalisePlate(each.plate).includes(plate)),
  );
  return inOrderAsked(shown, TABLE);
}

export function LiveView() {
  useEffect(
    () => () => {
      lastDone.value = null;
      passRefusal.value = null;
      membered.value = null;
      letting.value = null;
    },
    [],
  );
  useWaiting();
  useEffect(() => {
    if (isLoaded.value) void loadRefused();
  }, [wholeReads.value]);
  if (!isLoaded.value) return <LoadingSign />;
  const shown = chosen();
  const wanted = Number(queryOf('reading'));
  const isElsewhere = wanted > 0 && !knownReadings.value.some(({ id }) => id === wanted);
  const isSearched = queryOf('plate') !== '';
  return (
    <>
      <Head />
      {isQueue() && <QueueHead />}
      {letting.value !== null && <LetQuestion key={letting.value.id} reading={letting.value} />}
      <Sightings when="now" />
      {isElsewhere && <OlderReading key={wanted} id={wanted} />}
      {shown.length === 0 ? (
        <Empty>{isSearched ? words.rows.noneFits : isQueue() ? words.queue.calm : words.live.empty}</Empty>
      ) : (
        <RowTable of={TABLE} items={shown} hasManyActions={isQueue()} />
      )}
      <Sightings when="earlier" />
    </>
  );
}

function Head() {
  const show = queryOf('show');
  const camera = query.value.get('camera');
  const refusedCount = waiting.value.length;
  return (
    <div class="head slim">
      <h1 tabIndex={-1}>{words.views.live}</h1>
      <div class="buttons">
        <Button look="small" word={words.live.all} isPressed={show === ''} onClick={() => setQuery({ show: '' })} />
        <button type="button" class="small" aria-pressed={show !== ''} onClick={() => setQuery({ show: 'refused' })}>
          {words.live.refused} {refusedCount > 0 && <span class="tag bad">{refusedCount}</span>}
        </button>
        {camera !== null && (
          <button type="button" class="small" onClick={() => setQuery({ camera: '' })}>
            {cameraOf(Number(camera))?.name ?? camera} ×
          </button>
        )}
      </div>
      <search class="slim">
        <QueryField name="plate" label={words.forms.plate} type="search" />
      </search>
      <KeysOfList name="reading" onKey={queueKey} own={words.queue.keys} />
    </div>
  );
}

/** The one that the address names, though it is long ago. */
function OlderReading({ id }: { id: number }) {
  const { found, refusal, again } = useRead(`reading ${id}`, (signal) =>
    client().get('/v2/plate-readings/{id}', { path: { id }, signal }),
  );
  const table = useMemo(() => readingTable({ onEnded: again, onChanged: again }), [id]);
  return (
    <section aria-labelledby="older-reading">
      <h2 id="older-reading">{words.live.olderReading}</h2>
      <Refused refusal={refusal} />
      {found !== null && <RowTable of={table} items={[found]} />}
    </section>
  );
}

/** What was last done from the queue, or could not be. */
function QueueHead() {
  const reading = membered.value;
  return (
    <>
      <div role="status">{lastDone.value !== null && <p class="notice good">{lastDone.value}</p>}</div>
      <Refused refusal={passRefusal.value} />
      {reading !== null && <MemberQuestion reading={reading} />}
    </>
  );
}

/** Those are for the refused vehicle whose row has the focus. */
function queueKey(key: string, { id, leave }: FocusedRow): boolean {
  const reading = knownReadings.value.find((each) => each.id === id);
  if (reading === undefined || !isRefused(reading) || reading.handled_at !== null) return false;
  if (key === 'o') {
    const mayLet = productAt(reading) !== undefined && leftToLet(reading.created_at, serverNow()) >= 0;
    letting.value = mayLet ? reading : null;
  } else if (!isQueue()) return false;
  else if (key === 'm' && mayManage.value && reading.direction === 'in') membered.value = reading;
  else if (key === 'x') {
    leave();
    void passOver(reading);
  } else return false;
  return true;
}
