/** What a row of any list of readings shows, and what it has to tell when it is open. */
import { useRef } from 'preact/hooks';
import { newestFirst } from '../wording/reading-order.js';
import { decisionSentence, isRefused } from '../wording/sentences.js';
import { secondsTimeOf, words } from './browser.js';
import { CommandLine } from './command-line.js';
import { commands } from './commands.js';
import { CorrectPlate } from './correct-plate-part.js';
import { Explanation } from './explanation-part.js';
import { joined } from './parts.js';
import { LargePicture, Picture } from './picture.js';
import { queryOf } from './place.js';
import { isMasked, shownPlate } from './plate-mask.js';
import { RevealButton } from './plate-part.js';
import { BeginStay, productAt, RefusedActions } from './queue-part.js';
import { lateReadings, renewReading } from './reading-store.js';
import type { Column, RowTableOf } from './row-table.js';
import { cameraOf, type Reading, timezoneOf } from './store.js';

export const isQueue = (): boolean => queryOf('show') === 'refused';

const byText = (textOf: (reading: Reading) => string) => (a: Reading, b: Reading) =>
  textOf(a) < textOf(b) ? -1 : textOf(a) > textOf(b) ? 1 : 0;
const cameraName = ({ lpr_camera_id }: Reading): string => cameraOf(lpr_camera_id)?.name ?? '–';

export const readingTime = ({ created_at, zone_id }: Reading): string => secondsTimeOf(created_at, timezoneOf(zone_id));

/** Red, green, or neither. */
export const toneOf = (reading: Reading): string =>
  isRefused(reading) ? 'bad' : reading.access_decision === 'triggered' ? 'good' : '';

/** The upkeep of readings that are in no list which is kept up anyway. */
interface Upkeep {
  /** The links to pictures of a reading have ended. */
  onEnded?: (id: number) => void;
  onChanged?: () => void;
}

const columnsOf = (onEnded: (id: number) => void): readonly Column<Reading>[] => [
  {
    key: 'picture',
    head: words.rows.picture,
    look: 'col-pic',
    cell: ({ id, plate, image_url, cropped_image_url }) => (
      <Picture url={image_url ?? cropped_image_url} alt="" isSmall plate={plate} onEnded={() => onEnded(id)} />
    ),
  },
  {
    key: 'plate',
    head: words.forms.plate,
    look: 'col-id',
    cell: ({ plate }) => shownPlate(plate),
    sort: { isDownFirst: false, compare: byText(({ plate }) => shownPlate(plate)) },
  },
  {
    key: 'time',
    head: words.rows.time,
    look: 'col-time',
    cell: (reading) => (
      <span class="moment">
        <span>{readingTime(reading)}</span>
        {lateReadings.value.has(reading.id) && <span class="tag warn">{words.rows.late}</span>}
      </span>
    ),
    sort: { isDownFirst: true, compare: (a, b) => newestFirst(b, a) },
  },
  {
    key: 'decision',
    head: words.rows.decision,
    look: 'col-said',
    cell: (reading) => <span class="sentence">{decisionSentence(reading, words)}</span>,
    sort: { isDownFirst: false, compare: byText((reading) => decisionSentence(reading, words)) },
  },
  {
    key: 'camera',
    head: words.rows.camera,
    look: 'col-minor',
    cell: (reading) => `${cameraName(reading)} · ${words.live.directions[reading.direction]}`,
    sort: { isDownFirst: false, compare: byText(cameraName) },
  },
  {
    key: 'actions',
    head: words.rows.actions,
    look: 'col-acts',
    // Of the open row they stand beside its picture.
    cell: (reading) =>
      isRefused(reading) &&
      queryOf('reading') !== String(reading.id) && <RefusedActions reading={reading} isQueue={isQueue()} />,
  },
];

export const readingTable = ({ onEnded = renewReading, onChanged }: Upkeep = {}): RowTableOf<Reading> => ({
  name: 'reading',
  label: words.views.live,
  columns: columnsOf(onEnded),
  usual: { by: 'time', isDown: true },
  look: (reading) => `reading ${toneOf(reading)}`,
  title: ({ plate }) => shownPlate(plate),
  details: (reading) => (
    <ReadingDetails reading={reading} onEnded={() => onEnded(reading.id)} onChanged={onChanged ?? (() => undefined)} />
  ),
});

/** Why it was decided so stands beside the picture. */
function ReadingDetails({
  reading,
  onEnded,
  onChanged,
}: {
  reading: Reading;
  onEnded: () => void;
  onChanged: () => void;
}) {
  const { id, plate, image_url, confidence, original_plate, make, model, color } = reading;
  const plates = original_plate === null ? [plate] : [plate, original_plate];
  // The plate that a person has just typed may be masked: the form remains, because it may have a question.
  const mayCorrect = useRef(false);
  mayCorrect.current ||= !plates.some(isMasked);
  const product = productAt(reading);
  const given = product === undefined ? undefined : commands.value.get(product.id);
  const isLate = lateReadings.value.has(id);
  const facts = joined([
    words.live.directions[reading.direction],
    cameraName(reading),
    readingTime(reading),
    original_plate !== null && original_plate !== plate && words.live.read(shownPlate(original_plate)),
    confidence !== null && words.live.confidence(Math.round(confidence <= 1 ? confidence * 100 : confidence)),
    [color, make, model].filter(Boolean).join(' '),
  ]);
  return (
    <div class="details">
      <LargePicture url={image_url} alt={words.live.picture(shownPlate(plate))} plate={plate} onEnded={onEnded} />
      <div class="aside">
        <p class={`verdict ${toneOf(reading)}`}>{decisionSentence(reading, words)}</p>
        <p class="facts">{facts}</p>
        {isLate && <p class="notice warn">{words.rows.lateWhat}</p>}
        {isRefused(reading) && <RefusedActions reading={reading} isQueue={isQueue()} />}
        {given?.readingId === id && <CommandLine given={given} withDetails />}
        <Explanation reading={reading} />
      </div>
      <div class="below">
        <RevealButton asked={[{ of: { list: 'plate-readings', id }, plates }]} />
        {mayCorrect.current && <CorrectPlate reading={reading} onChanged={onChanged} />}
        {isRefused(reading) && <BeginStay reading={reading} />}
      </div>
    </div>
  );
}
