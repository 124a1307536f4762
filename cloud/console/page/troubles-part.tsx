/** The list of troubles: the overview, a lot's list and its plan draw from it. Each has its age, and the way to what helps. */
import { sinceText } from '../../../shared/troubles/age.js';
import { sentenceOf } from '../../../shared/troubles/trouble-sentences.js';
import { needsPerson, type Subject, type Trouble } from '../../../shared/troubles/trouble.js';
import { lotPath, VIEW_PATHS } from '../console-paths.js';
import { troublesOf, troublesOfAccount } from '../wording/lot-troubles.js';
import { timeOf, words } from './browser.js';
import { Link } from './parts.js';
import { cameras, gateways, healths, type Lot, products, serverMinute, timezoneOfLot, zones } from './store.js';
import { watched } from './trouble-store.js';

export function troublesOfLot(lot: Lot): Trouble[] {
  const isOwn = ({ lot_id }: { lot_id: number | null }) => lot_id === lot.id;
  const ownZones = zones.value.filter(isOwn);
  const zoneIds = new Set(ownZones.map(({ id }) => id));
  const facts = {
    lot,
    products: products.value.filter(isOwn),
    gateways: gateways.value.filter(isOwn),
    healths: healths.value,
    cameras: cameras.value.filter(({ zone_id }) => zoneIds.has(zone_id)),
    zones: ownZones,
    sensors: watched.value?.sensors.filter(isOwn) ?? [],
    silentPlaces: watched.value?.silentPlaces.filter(isOwn) ?? [],
    displays: watched.value?.displays.filter(isOwn) ?? [],
  };
  return troublesOf(facts, serverMinute());
}

/** What no lot has: webhooks and mails. */
export const accountTroubles = (): Trouble[] =>
  watched.value === null ? [] : troublesOfAccount(watched.value, serverMinute());

/** @param props.lotId left out: the troubles are the account's. @param props.title says whose they are */
export function Troubles(props: { troubles: readonly Trouble[]; lotId?: number; title?: string }) {
  const { troubles, lotId, title } = props;
  if (troubles.length === 0) return null;
  return (
    <ul class="troubles" aria-label={title ?? words.troubles.title}>
      {troubles.map((trouble, at) => (
        <li key={`${trouble.kind}-${trouble.about.id}-${at}`} class={needsPerson(trouble) ? '' : 'awaited'}>
          <span>
            {sentenceOf(trouble, words)} <Age trouble={trouble} lotId={lotId} />
          </span>
          <Help about={trouble.about} lotId={lotId} />
        </li>
      ))}
    </ul>
  );
}

function Age({ trouble, lotId }: { trouble: Trouble; lotId: number | undefined }) {
  const timezone = timezoneOfLot(lotId);
  const text = sinceText(trouble, words.ages, {
    nowMs: serverMinute(),
    timeOf: (ms) => timeOf(new Date(ms).toISOString(), timezone),
  });
  return text === null ? null : <span class="age">{text}</span>;
}

function Help({ about, lotId }: { about: Subject; lotId: number | undefined }) {
  return (
    <Link class="button small" to={pathOf(about, lotId)} label={`${words.troubleHelp[about.kind]}: ${about.name}`}>
      {words.troubleHelp[about.kind]}
    </Link>
  );
}

function pathOf({ kind, id }: Subject, lotId: number | undefined): string {
  const lot = lotId === undefined ? VIEW_PATHS.overview : lotPath(lotId);
  switch (kind) {
    case 'product':
      return `${lot}?product=${id}`;
    case 'lot':
    case 'zone':
      return lot;
    case 'gateway':
      return VIEW_PATHS.devices;
    case 'camera':
      return `${VIEW_PATHS.devices}?show=cameras`;
    case 'parking_gateway':
      return `${VIEW_PATHS.devices}?show=sensors`;
    case 'display':
      return VIEW_PATHS.displays;
    case 'webhook':
      return VIEW_PATHS.webhooks;
    case 'mails':
      return `${VIEW_PATHS.mails}?status=failed`;
  }
}
