import type { GatewayStatus } from './status.js';

/** Renders the status for a person at a shell. */
export function renderStatus(status: GatewayStatus): string {
  const { cloud, radio, clock, store, outbox } = status;
  const lines = [
    `gateway   ${status.name ?? '(no configuration yet)'}  ${status.uuid}  version ${status.version}, up ${duration(status.uptime_s)}`,
    `lot       ${status.lot ?? '-'}`,
    `cloud     ${cloud.url === null ? 'not claimed: parking-agent claim --cloud URL --code CODE' : `${cloud.url}  ${cloud.connected ? 'connected' : 'NOT CONNECTED'}${cloud.since === null ? '' : ` since ${cloud.since}`}`}`,
    `radio     ${radioLine(radio)}`,
    `clock     ${clock.now}${clock.known ? '' : '  NOT SET: times are estimated'}`,
    `store     ${store.path}  ${megabytes(store.bytes)}${store.quarantined === null ? '' : `  a damaged file was put aside: ${store.quarantined}`}${store.failed === null ? '' : `  BROKEN: ${store.failed}`}`,
    ...softwareLines(status.update),
    `queue     ${outbox.pending === null ? 'unknown: the store does not answer' : `${outbox.pending} to send`}`,
    '',
    ...renderTable(
      ['product', 'name', 'type', 'seen', 'state', 'signal', 'battery', 'clock', 'may act'],
      status.products.map((product) => [
        product.device_id,
        product.name,
        product.type,
        product.paired ? seen(product) : 'not paired',
        product.state ?? '-',
        product.rssi === null ? '-' : `${product.rssi} dBm`,
        product.battery === null ? '-' : `${product.battery} %`,
        product.clock_off_s === null ? '-' : wrongClock(-product.clock_off_s),
        mayAct(product),
      ]),
    ),
    '',
    ...renderCameras(status),
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
    ),
    ...(status.displays.length === 0 ? [] : ['', ...displayTable(status.displays)]),
  ];
  return lines.join('\n');
}

/** What runs, how far an update is, and what somebody brought on a stick. */
function softwareLines(update: GatewayStatus['update']): string[] {
  if (update === null) return [];
  if (!update.can_install) return [`software  ${update.error ?? 'updated by apt: this device has no slots'}`];
  const { installed, slot, phase, version, progress, waits_for, error } = update;
  const parts = [
    phase === 'idle' ? [] : `${phase.replace('_', ' ')} ${version ?? ''}${progress === null ? '' : ` (${progress} %)`}`,
    waits_for === null ? [] : `waits for: ${waits_for}`,
    error ?? [],
  ].flat();
  return [
    `software  ${installed ?? '(version not known)'} in slot ${slot ?? '-'}${parts.length === 0 ? '' : `  ${parts.join('; ')}`}`,
    ...update.offers.map(({ path, version: offered, problem }) =>
      problem === null
        ? `          on a stick: ${offered}, ${path}: parking-agent update`
        : `          on a stick: ${path} cannot be installed: ${problem}`,
    ),
  ];
}

/** It is no fault, but whoever looks has to know it. */
const WITHOUT_KEY = 'PUSHES WITHOUT A KEY: whoever has its address is heard';

export function renderCameras({ cameras }: GatewayStatus): string[] {
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
  );
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
  const cause = `last ${duration(last.ago_s)} ago at ${last.adapter}: ${last.step}, ${last.reason}`;
  return `${state}${each}  healed itself: ${counts.join(', ')}; ${cause}`;
}

function mayAct({ credential_days_left: days, is_credential_low }: GatewayStatus['products'][number]): string {
  if (days === null) return '-';
  return is_credential_low ? `ONLY ${days} days: connect the gateway to its cloud` : `${days} days`;
}

const displayTable = (displays: GatewayStatus['displays']): string[] =>
  renderTable(
    ['display', 'driver', 'text', 'shown', 'fault'],
    displays.map(({ name, driver, text, shown_ago_s, fault }) => [
      name,
      driver,
      text ?? '-',
      shown_ago_s === null ? 'not yet' : `${shown_ago_s} s ago`,
      fault ?? '',
    ]),
  );

function seen(product: GatewayStatus['products'][number]): string {
  if (product.seen_ago_s === null) return 'not yet';
  return product.status === 'online' ? `${product.seen_ago_s} s ago` : `LOST ${duration(product.seen_ago_s)} ago`;
}

function wrongClock(behindS: number): string {
  return `WRONG: ${Math.abs(behindS)} s ${behindS < 0 ? 'ahead' : 'behind'}`;
}

/** Renders rows under their head, in columns. */
export function renderTable(head: string[], rows: string[][]): string[] {
  const widths = head.map((title, column) => Math.max(title.length, ...rows.map((row) => row[column]?.length ?? 0)));
  const line = (cells: string[]) =>
    cells
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd();
  return [line(head), ...(rows.length === 0 ? ['(none)'] : rows.map(line))];
}

function duration(seconds: number): string {
  if (seconds < 120) return `${Math.round(seconds)} s`;
  if (seconds < 7_200) return `${Math.round(seconds / 60)} min`;
  if (seconds < 172_800) return `${Math.round(seconds / 3_600)} h`;
  return `${Math.round(seconds / 86_400)} days`;
}

function megabytes(bytes: number): string {
  return `${(bytes / 1_048_576).toFixed(1)} MB`;
}

/** The parking gateways and places of a name, each with the places that are asked for; null: all of them. */
export function sensorsNamed(
  { parking_gateways }: GatewayStatus,
  name: string | null,
): GatewayStatus['parking_gateways'] {
  return parking_gateways.flatMap((gateway) => {
    const places = gateway.places.filter((place) => name === null || gateway.name === name || place.name === name);
    return places.length === 0 && name !== null ? [] : [{ ...gateway, places }];
  });
}

/** Renders the sensors for a person at a shell. @param name of a parking gateway or of a place; null: all. @returns null when there is none */
export function renderSensors(status: GatewayStatus, name: string | null): string | null {
  const rows = sensorsNamed(status, name).flatMap((gateway) =>
    gateway.places.map((place) => [
      place.name,
      gateway.name,
      place.sensor,
      place.occupancy ?? 'not known',
      place.raw ?? '-',
      place.heard_ago_s === null ? 'not yet' : `${duration(place.heard_ago_s)} ago`,
      [place.is_stale ? 'SILENT' : [], gateway.fault ?? []].flat().join('; '),
    ]),
  );
  if (rows.length === 0 && name !== null) return null;
  return renderTable(['place', 'parking gateway', 'sensor', 'state', 'heard', 'when', 'fault'], rows).join('\n');
}

/** Says which of these sensors do not answer, and since when; null: all of them answer. */
export function silenceOf(gateways: GatewayStatus['parking_gateways']): string | null {
  const silent = gateways.flatMap(({ places }) =>
    places.flatMap(({ name, answers, heard_ago_s }) => {
      if (answers) return [];
      return `${name} (${heard_ago_s === null ? 'never heard since the gateway started' : `last heard ${duration(heard_ago_s)} ago`})`;
    }),
  );
  if (silent.length === 0) return null;
  const faults = gateways.flatMap(({ name, fault }) => (fault === null ? [] : `${name}: ${fault}`));
  return [`no answer from ${silent.join(', ')}`, ...faults].join('; ');
}
