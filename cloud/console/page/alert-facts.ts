/** What there is to be told of now: vehicles that wait, troubles, watched plates that were read, emergencies. */
import type { components } from '@parking-gateway/client';
import { normalisePlate } from '../../../shared/plate/normalise-plate.js';
import { sentenceOf } from '../../../shared/troubles/trouble-sentences.js';
import { needsPerson, type Trouble } from '../../../shared/troubles/trouble.js';
import { lotPath, VIEW_PATHS } from '../console-paths.js';
import { type Alert, alertsOfRead } from '../wording/browser-alerts.js';
import { leftToLet } from '../wording/waiting.js';
import { browserAlertWords as say } from './browser-alert-words.js';
import { words } from './browser.js';
import { all } from './loading.js';
import { shownPlate } from './plate-mask.js';
import { waiting } from './queue-part.js';
import { serverNow } from './server-clock.js';
import { client } from './session.js';
import { sightings } from './sighting-store.js';
import { isWaiting } from './sightings-part.js';
import { cameraOf, type Lot, lots, readings, released, zoneOf } from './store.js';
import { accountTroubles, troublesOfLot } from './troubles-part.js';

type PlateAlert = components['schemas']['LicensePlateAlert'];

const PAGE = 300;
/** An old read is none of a vehicle that is there. */
const READ_MS = 10 * 60_000;

let plateAlerts: readonly PlateAlert[] = [];

/** No event tells of plate alerts: they are read once in a while. */
export async function loadPlateAlerts(): Promise<void> {
  plateAlerts = await all(client().list('/v2/license-plate-alerts', { query: { sort: 'id:asc', size: PAGE } }));
}

const lotOf = (zoneId: number | null): Lot | undefined => {
  const lotId = zoneId === null ? undefined : zoneOf(zoneId)?.lot_id;
  return lots.value.find(({ id }) => id === lotId);
};

const whereOf = (cameraId: number | null): string => cameraOf(cameraId)?.name ?? say.somewhere;

/** @param since what was read before is not told of: server milliseconds */
export const alertsNow = (since: number): Alert[] => [
  ...emergencies(),
  ...waitingVehicles(),
  ...watchedPlates(since),
  ...troubles(),
];

const emergencies = (): Alert[] =>
  released.value.map(({ id, name, released_at, released_by }) => ({
    key: `emergency ${id} ${released_at}`,
    kind: 'emergency',
    lotId: id,
    title: words.emergency.at(name),
    text: say.emergency(released_by ?? '–'),
    path: lotPath(id),
  }));

function waitingVehicles(): Alert[] {
  const now = serverNow();
  const alert = (zoneId: number | null, key: string, text: string): Alert => {
    const lot = lotOf(zoneId);
    return {
      key,
      kind: 'waits',
      lotId: lot?.id ?? null,
      title: lot === undefined ? say.kinds.waits : say.kindOf(say.kinds.waits, lot.name),
      text,
      path: `${VIEW_PATHS.live}?show=refused`,
    };
  };
  return [
    ...waiting.value
      .filter(({ created_at }) => leftToLet(created_at, now) >= 0)
      .map(({ plate, zone_id, lpr_camera_id }) =>
        // Read again it is the same vehicle.
        alert(zone_id, `waits ${normalisePlate(plate)}`, say.vehicle(shownPlate(plate), whereOf(lpr_camera_id))),
      ),
    ...sightings.value
      .filter(isWaiting)
      .map(({ id, zone_id, lpr_camera_id }) =>
        alert(zone_id, `sighting ${id}`, say.vehicleUnread(whereOf(lpr_camera_id))),
      ),
  ];
}

function watchedPlates(since: number): Alert[] {
  if (plateAlerts.length === 0) return [];
  const begin = Math.max(since, serverNow() - READ_MS);
  return readings.value
    .filter(({ created_at }) => Date.parse(created_at) >= begin)
    .flatMap((read) =>
      alertsOfRead(plateAlerts, read, normalisePlate).map(({ id, name }): Alert => {
        const lot = lotOf(read.zone_id);
        return {
          key: `plate ${id} ${normalisePlate(read.plate)}`,
          kind: 'plate',
          lotId: lot?.id ?? null,
          title: lot === undefined ? say.kinds.plate : say.kindOf(say.kinds.plate, lot.name),
          text: say.plate(name, shownPlate(read.plate), whereOf(read.lpr_camera_id)),
          path: VIEW_PATHS.live,
        };
      }),
    );
}

function troubles(): Alert[] {
  const alert = (trouble: Trouble, lot: Lot | null): Alert => ({
    key: `trouble ${lot?.id} ${trouble.kind} ${trouble.about.kind} ${trouble.about.id}`,
    kind: 'trouble',
    lotId: lot?.id ?? null,
    title: say.kindOf(say.kinds.trouble, lot?.name ?? words.ofAccount),
    text: sentenceOf(trouble, words),
    path: lot === null ? VIEW_PATHS.overview : lotPath(lot.id),
  });
  // An emergency is a kind of its own.
  const isMeant = (trouble: Trouble) => needsPerson(trouble) && trouble.kind !== 'lot_released';
  return [
    ...accountTroubles()
      .filter(isMeant)
      .map((trouble) => alert(trouble, null)),
    ...lots.value.flatMap((lot) =>
      troublesOfLot(lot)
        .filter(isMeant)
        .map((trouble) => alert(trouble, lot)),
    ),
  ];
}
