import { isSameName } from '../access/find-named.js';
import { renderFacts, renderTable } from '../../shared/node/text-table.js';
import { durationWords } from './duration-words.js';
import { wrongClock } from './product-condition.js';
import type { GatewayStatus, StatusHere } from './status.js';

/** Renders the status for a person at a shell. @param width of the terminal in cells; left out: any */
export function renderStatus(status: StatusHere, width?: number): string {
  const { cloud, radio, clock, store, outbox } = status;
  const lines = [
    ...renderFacts(
      [
        [
          'gateway',
          `${status.name ?? '(no configuration yet)'}  ${status.uuid}  version ${status.version}, up ${durationWords(status.uptime_s)}`,
        ],
        ['lot', status.lot ?? '-'],
        ['cloud', cloud.url === null ? unclaimedLine(status.claim) : cloudWords(cloud)],
        ...deviceCodeFacts(status),
        ['radio', radioLine(radio)],
        ['clock', `${clock.now}${clock.known ? '' : '  NOT SET: times are estimated'}`],
        [
          'store',
          `${store.path}  ${megabytes(store.bytes)}${store.quarantined === null ? '' : `  a damaged file was put aside: ${store.quarantined}`}${store.failed === null ? '' : `  BROKEN: ${store.failed}`}`,
        ],
        ...softwareFacts(status.update),
        ['queue', outbox.pending === null ? 'unknown: the store does not answer' : `${outbox.pending} to send`],
      ],
      width,
    ),
    '',
    ...renderProducts(status, width),
    '',
    ...renderCameras(status, width),
    '',
    ...renderTable(
      ['sensors', 'driver', 'status', 'occupied', 'fault'],
      status.parking_gateways.map((gateway) => [
        gateway.name,
        gateway.driver,
        gateway.status === 'online' ? 'online' : 'OFFLINE',
        `${gateway.occupied_count} of ${gateway.place_count}`,
        [gateway.fault ?? [], gateway.stale_places.length === 0 ? [] : `silent: ${gateway.stale_places.join(', ')}`]
          .flat()
          .join('; '),
      ]),
      width,
    ),
    ...(status.displays.length === 0 ? [] : ['', ...displayTable(status.displays, width)]),
  ];
  return lines.join('\n');
}

function deviceCodeFacts({ device_code: code, device_code_problem: problem }: StatusHere): [string, string][] {
  if (code !== null) return [['device code', `${code}  (the page of this gateway asks for it)`]];
  return problem === null ? [] : [['device code', problem]];
}

const FORMER = {
  replaced: 'THIS DEVICE WAS REPLACED by another one',
  reset: 'this device was reset',
  deleted: 'THE GATEWAY OF THIS DEVICE WAS DELETED',
} as const;

function unclaimedLine({ state, problem, former }: GatewayStatus['claim']): string {
  const was = former === null ? [] : [`${FORMER[former.why]} at ${former.at}, and erased`];
  const now =
    problem === null
      ? 'not claimed: parking-agent claim --cloud URL --code CODE'
      : `NOT CLAIMED: ${problem}${state === 'asking' ? '; it is asked again' : ''}`;
  return [...was, now].join('; ');
}

/** Lists the software that runs, how far an update is, and the bundle that somebody brought on a stick. */
function softwareFacts(update: GatewayStatus['update']): [string, string][] {
  if (update === null) return [];
  if (!update.can_install)
    return [['software', update.error ?? 'no slots on this device: whoever installed it updates it (a package: apt)']];
  const { installed, slot, phase, version, progress, waits_for, error } = update;
  const parts = [
    phase === 'idle' ? [] : `${phase.replace('_', ' ')} ${version ?? ''}${progress === null ? '' : ` (${progress} %)`}`,
    waits_for === null ? [] : `waits for: ${waits_for}`,
    error ?? [],
  ].flat();
  return [
    [
      'software',
      `${installed ?? '(version not known)'} in slot ${slot ?? '-'}${parts.length === 0 ? '' : `  ${parts.join('; ')}`}`,
    ],
    ...update.offers.map(({ path, version: offered, problem }): [string, string] => [
      'on a stick',
      problem === null ? `${offered}, ${path}: parking-agent update` : `${path} cannot be installed: ${problem}`,
    ]),
  ];
}

/** It is no fault, but whoever looks has to know it. */
const WITHOUT_KEY = 'PUSHES WITHOUT A KEY: whoever has its address is heard';

/** @param width of the terminal in cells; left out: any */
export function renderCameras({ cameras }: Pick<GatewayStatus, 'cameras'>, width?: number): string[] {
  return renderTable(
    ['camera', 'name', 'driver', 'status', 'last seen', 'clock', 'problem'],
    cameras.map((camera) => [
      camera.device_id,
      camera.name,
      camera.driver,
      camera.status === 'offline' ? 'OFFLINE' : (camera.status ?? 'not known yet'),
      camera.last_seen ?? 'not yet',
      camera.clock_is_drifting ? wrongClock(camera.clock_behind_s ?? 0) : 'ok',
      [camera.push_without_key ? WITHOUT_KEY : [], camera.problem ?? []].flat().join('; '),
    ]),
    width,
  );
}

/** Says whether the cloud is there, and since when. */
export function cloudWords({ url, connected, since }: GatewayStatus['cloud']): string {
  if (url === null) return 'not claimed: parking-agent claim --cloud URL --code CODE';
  return `${url}  ${connected ? 'connected' : 'NOT CONNECTED'}${since === null ? '' : ` since ${since}`}`;
}

function radioLine({ state, adapters, recoveries, last_recovery: last }: GatewayStatus['radio']): string {
  const [only] = adapters;
  const linksOf = (links: number) => (links === 0 ? '' : `, ${links} ${links === 1 ? 'connection' : 'connections'}`);
  const each =
    adapters.length < 2
      ? linksOf(only?.links ?? 0)
      : `  (${adapters.map((adapter) => `${adapter.name} ${adapter.state}${linksOf(adapter.links)}`).join('; ')})`;
  if (last === null) return `${state}${each}`;
  const counts = Object.entries(recoveries).flatMap(([step, count]) => (count === 0 ? [] : `${count} x ${step}`));
  const cause = `last ${durationWords(last.ago_s)} ago at ${last.adapter}: ${last.step}, ${last.reason}`;
  return `${state}${each}  healed itself: ${counts.join(', ')}; ${cause}`;
}

const displayTable = (displays: GatewayStatus['displays'], width?: number): string[] =>
  renderTable(
    ['display', 'driver', 'text', 'shown', 'fault'],
    displays.map(({ name, driver, text, shown_ago_s, fault }) => [
      name,
      driver,
      text ?? '-',
      shown_ago_s === null ? 'not yet' : `${shown_ago_s} s ago`,
      fault ?? '',
    ]),
    width,
  );

export function renderProducts({ products }: Pick<GatewayStatus, 'products'>, width?: number): string[] {
  return renderTable(
    ['product', 'name', 'type', 'passage', 'state', 'signal', 'battery', 'seen', 'acts alone', 'problem'],
    products.map((product) => [
      product.device_id,
      product.name,
      product.type,
      product.passage,
      product.state ?? '-',
      product.rssi === null ? '-' : `${product.rssi} dBm`,
      product.battery === null ? '-' : `${product.battery} %`,
      product.seen_ago_s === null ? 'not yet' : `${durationWords(product.seen_ago_s)} ago`,
      product.credential_days_left === null ? '-' : `${product.credential_days_left} days`,
      product.problem ?? '',
    ]),
    width,
  );
}

export function megabytes(bytes: number): string {
  return `${(bytes / 1_048_576).toFixed(1)} MB`;
}

/** The parking gateways and places of a name, each with the places that are asked for; null: all of them. */
export function sensorsNamed(
  { parking_gateways }: GatewayStatus,
  name: string | null,
): GatewayStatus['parking_gateways'] {
  return parking_gateways.flatMap((gateway) => {
    if (name === null || isSameName(name, gateway.name)) return [gateway];
    const places = gateway.places.filter((place) => isSameName(name, place.name));
    return places.length === 0 ? [] : [{ ...gateway, places }];
  });
}

/** Renders the sensors for a person at a shell. @param name of a parking gateway or of a place; null: all. @returns null when there is none */
export function renderSensors(status: GatewayStatus, name: string | null, width?: number): string | null {
  const rows = sensorsNamed(status, name).flatMap((gateway) =>
    gateway.places.map((place) => [
      place.name,
      gateway.name,
      place.sensor,
      place.occupancy ?? 'not known',
      place.raw ?? '-',
      place.heard_ago_s === null ? 'not yet' : `${durationWords(place.heard_ago_s)} ago`,
      [place.is_stale ? 'SILENT' : [], gateway.fault ?? []].flat().join('; '),
    ]),
  );
  if (rows.length === 0 && name !== null) return null;
  return renderTable(['place', 'parking gateway', 'sensor', 'state', 'heard', 'when', 'fault'], rows, width).join('\n');
}

/** Says which of these sensors do not answer, and since when; null: all of them answer. */
export function silenceOf(gateways: GatewayStatus['parking_gateways']): string | null {
  const silent = gateways.flatMap(({ places }) =>
    places.flatMap(({ name, answers, heard_ago_s }) => {
      if (answers) return [];
      return `${name} (${heard_ago_s === null ? 'never heard since the gateway started' : `last heard ${durationWords(heard_ago_s)} ago`})`;
    }),
  );
  if (silent.length === 0) return null;
  const faults = gateways.flatMap(({ name, fault }) => (fault === null ? [] : `${name}: ${fault}`));
  return [`no answer from ${silent.join(', ')}`, ...faults].join('; ');
}
