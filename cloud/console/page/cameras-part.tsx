/** Cameras: what each saw last, how much of it could be read, and how its clock goes. */
import {
  cameraBars,
  type CameraDayFacts,
  type CameraFigures,
  cameraFigures,
  DRIFT_MAX_MS,
  UNREADABLE_SHARE_HIGH,
} from '../wording/camera-days.js';
import { dateFormat } from '../wording/clock-text.js';
import { spanOf } from '../wording/sentences.js';
import { DeviceHead, FirstStep, RenameOrDelete } from './admin-parts.js';
import { timeOf, words } from './browser.js';
import { useLastReading } from './last-reading.js';
import { type FactList, Facts, Link, Refused } from './parts.js';
import { shownPlate } from './plate-mask.js';
import { RevealButton } from './plate-part.js';
import { client, mayManage } from './session.js';
import {
  type Camera,
  cameras,
  gatewayOf,
  loadDevices,
  lots,
  minute,
  type Reading,
  timezoneOf,
  zoneOf,
} from './store.js';
import { useRead } from './use-read.js';
import { Picture } from './picture.js';

const say = words.devices;
const WIDTH = 600;
const HEIGHT = 90;
const QUARTER_MS = 900_000;

export function CamerasPart() {
  const ordered = cameras.value.toSorted((a, b) => a.name.localeCompare(b.name));
  if (ordered.length === 0)
    return (
      <FirstStep what={say.noCameras}>
        {mayManage.value && (
          <p class="buttons">
            {lots.value.map(({ id, name }) => (
              <Link key={id} class="button" to={`/lots/${id}`}>
                {name}
              </Link>
            ))}
          </p>
        )}
      </FirstStep>
    );
  return (
    <div class="cards wide">
      {ordered.map((camera) => (
        <CameraCard key={camera.id} camera={camera} />
      ))}
    </div>
  );
}

function CameraCard({ camera }: { camera: Camera }) {
  const { id, name, status, problem, zone_id, last_seen } = camera;
  // The figures of days change slowly; the last reading comes by an event.
  const days = useRead(`${id} ${Math.floor(minute.value / QUARTER_MS)}`, (signal) =>
    client().get('/v2/lpr-cameras/{id}/health', { path: { id }, signal }),
  );
  const last = useLastReading(id);
  const figures = days.found === null ? null : cameraFigures(days.found);
  return (
    <article class="card device" aria-labelledby={`camera-${id}`}>
      <DeviceHead
        id={`camera-${id}`}
        name={name}
        where={zoneOf(zone_id)?.name ?? words.admin.noZone}
        isThere={status === 'online'}
        text={say.cameraStates[status] ?? status}
      />
      {problem !== null && <p class="notice bad">{problem}</p>}
      {camera.push_without_key === 1 && <p class="notice">{say.pushesWithoutKey}</p>}
      <CameraAdvice figures={figures} />
      <div class="seen">
        <LastPicture name={name} reading={last.found} />
        {figures !== null && <Facts facts={figureFacts(figures)} />}
      </div>
      <Refused refusal={days.refusal} onAgain={days.again} />
      {days.found !== null && figures !== null && figures.unreadableShare !== null && (
        <DaysPlot name={name} days={days.found} figures={figures} />
      )}
      <details>
        <summary>{say.details}</summary>
        <Facts
          facts={[
            [say.driver, camera.driver],
            [words.forms.address, withoutSecret(camera.address) || '–'],
            [say.deviceId, camera.device_id],
            [say.readBy, gatewayOf(camera.gateway_id)?.name ?? '–'],
            [words.admin.lastSeen, last_seen === null ? '–' : timeOf(last_seen, timezoneOf(camera.zone_id))],
          ]}
        />
      </details>
      <div class="buttons">
        <Link class="button small" to={`/live?camera=${id}`} label={`${say.toVehicles}: ${name}`}>
          {say.toVehicles}
        </Link>
        {mayManage.value && (
          <RenameOrDelete list="/v2/lpr-cameras" thing={camera} deleteWhat={say.deleteCamera} onChanged={loadDevices} />
        )}
      </div>
    </article>
  );
}

/** Addresses may hold a name and a password: nobody is to read them over a shoulder. */
export const withoutSecret = (address: string): string => address.replace(/\/\/[^/@]*@/, '//…@');

function LastPicture({ name, reading }: { name: string; reading: Reading | undefined | null }) {
  if (reading === null) return <span class="picture none">{words.loading}</span>;
  if (reading === undefined) return <span class="picture none">{say.noRead}</span>;
  return (
    <figure>
      <Picture url={reading.image_url ?? reading.cropped_image_url} alt={say.lastPicture(name)} plate={reading.plate} />
      <figcaption>
        {say.lastRead(shownPlate(reading.plate), timeOf(reading.created_at, timezoneOf(reading.zone_id)))}{' '}
        <RevealButton asked={[{ of: { list: 'plate-readings', id: reading.id }, plates: [reading.plate] }]} />
      </figcaption>
    </figure>
  );
}

/** What is to be done at the camera. */
function CameraAdvice({ figures }: { figures: CameraFigures | null }) {
  if (figures === null) return null;
  return (
    <>
      {(figures.unreadableLately ?? 0) > UNREADABLE_SHARE_HIGH && <p class="notice bad">{say.lensDirty}</p>}
      {Math.abs(figures.driftMs ?? 0) > DRIFT_MAX_MS && <p class="notice bad">{say.driftTooFar}</p>}
    </>
  );
}

const percent = new Intl.NumberFormat(words.locale, { style: 'percent', maximumFractionDigits: 1 });
const decimal = new Intl.NumberFormat(words.locale, { maximumFractionDigits: 1 });

function figureFacts(figures: CameraFigures): FactList {
  const { perDay, unreadableShare, unreadableLately, offlineSeconds, driftMs, driftPerDayMs } = figures;
  return [
    [say.readsPerDay, decimal.format(perDay)],
    [
      say.unreadable,
      unreadableShare === null
        ? '–'
        : [
            percent.format(unreadableShare),
            ...(unreadableLately === null ? [] : [say.unreadableLately(percent.format(unreadableLately))]),
          ].join(', '),
    ],
    [say.silentFor, spanOf(offlineSeconds, words)],
    [say.drift, driftMs === null ? '–' : clockWords(driftMs)],
    [say.driftPerDay, driftPerDayMs === null ? '–' : say.driftSeconds(secondsOf(driftPerDayMs))],
  ];
}

/** Without the minus of a zero that was rounded. */
const secondsOf = (ms: number): string => decimal.format(Math.round(ms / 100) / 10 || 0);

function clockWords(driftMs: number): string {
  const seconds = secondsOf(Math.abs(driftMs));
  if (Math.abs(driftMs) < 500) return say.inTime;
  return driftMs > 0 ? say.ahead(seconds) : say.behind(seconds);
}

const DAY = { day: 'numeric', month: 'short', timeZone: 'UTC' } as const;

function DaysPlot(props: { name: string; days: readonly CameraDayFacts[]; figures: CameraFigures }) {
  const { name, days, figures } = props;
  const dayOf = (date: string | undefined) =>
    date === undefined ? '' : dateFormat(words.locale, DAY).format(new Date(date));
  return (
    <>
      <svg
        class="plot"
        role="img"
        aria-label={say.daysPlot(name, figures.reads, percent.format(figures.unreadableShare ?? 0))}
        viewBox={`0 0 ${WIDTH} ${HEIGHT + 34}`}
      >
        <line class="grid" x1={0} x2={WIDTH} y1={HEIGHT} y2={HEIGHT} />
        {cameraBars(days, { width: WIDTH, height: HEIGHT }).map(({ date, x, width, read, unreadable }) => (
          <g key={date}>
            <rect class="read" x={x} width={width} {...read} />
            <rect class="unread" x={x} width={width} {...unreadable} />
          </g>
        ))}
        <text class="first" x={0} y={HEIGHT + 8}>
          {dayOf(days[0]?.date)}
        </text>
        <text class="last" x={WIDTH} y={HEIGHT + 8}>
          {dayOf(days.at(-1)?.date)}
        </text>
      </svg>
      <ul class="legend">
        <li class="read">
          <span class="swatch" aria-hidden="true" /> {say.plotRead}
        </li>
        <li class="unread">
          <span class="swatch" aria-hidden="true" /> {say.plotUnreadable}
        </li>
      </ul>
    </>
  );
}
