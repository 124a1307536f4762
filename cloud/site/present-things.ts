/** Every thing the database has of the accounts a file names. Pure. */
import {
  SITE_LINKS,
  type SiteId,
  type SiteLinkTable,
  type SiteRows,
  type SiteTable,
  type SiteValue,
} from '../store/queries/site.js';
import { type PresentThing, type ThingKey, type ThingName, thingNames } from './site-things.js';

/** Which table the id in a column is of. */
const REFERENCES: readonly (readonly [column: string, table: SiteTable])[] = [
  ['account_id', 'accounts'],
  ['lot_id', 'lots'],
  ['zone_id', 'zones'],
  ['gateway_id', 'gateways'],
  ['product_id', 'products'],
  ['parking_gateway_id', 'parking_gateways'],
  ['license_plate_alert_id', 'license_plate_alerts'],
  ['operation_token_id', 'operation_tokens'],
  ['rgb_display_id', 'rgb_displays'],
];

type AnyRow = Readonly<Record<string, SiteValue>> & { id: SiteId };

interface KindOptions<Row> {
  /** Columns that were decided about since. */
  settled?: (row: Row) => string[];
  partOf?: (row: Row) => ThingKey;
}

/**
 * @param gatewayNames what the file calls gateways, by uuid: a gateway with that uuid is that one, whatever it was called
 */
export function presentThings(rows: SiteRows, gatewayNames: ReadonlyMap<string, ThingName>): PresentThing[] {
  const { add, find, all } = createCollection(rows);
  const account = (row: { account_id: number }) => nameOf(find('accounts', row.account_id));
  const lot = (row: { lot_id: number | null }) => nameOf(find('lots', row.lot_id));
  const product = (row: { product_id: number }) => find('products', row.product_id);
  const deviceId = (row: { product_id: number }) => String(product(row)?.row.device_id);
  const nameByUuid = ({ uuid }: { uuid: string | null }) => (uuid === null ? undefined : gatewayNames.get(uuid));

  add('accounts', rows.accounts, (row) => thingNames.accounts(row.name));
  add('tariffs', rows.tariffs, (row) => thingNames.tariffs(account(row), row.name));
  add('lots', rows.lots, (row) => thingNames.lots(account(row), row.name));
  add('account_users', rows.account_users, (row) => thingNames.account_users(row.email));
  add('api_tokens', rows.api_tokens, (row) => thingNames.api_tokens(account(row), row.name));
  // Those known by their uuid first, so that none takes the name of another.
  const byUuidFirst = rows.gateways.toSorted((a, b) => Number(!nameByUuid(a)) - Number(!nameByUuid(b)));
  add('gateways', byUuidFirst, (row) => nameByUuid(row) ?? thingNames.gateways(account(row), lot(row), row.name), {
    // A code that was used stays used: the gateway keeps its claim.
    settled: (row) => (row.claimed_at === null ? [] : ['claim_code_hash', 'claim_expires_at']),
  });
  add('zones', rows.zones, (row) => thingNames.zones(account(row), lot(row), row.name));
  add('products', rows.products, (row) => thingNames.products(row.device_id), {
    // Paired anew since a file gave its key.
    settled: (row) => (row.pairing_epoch > 1 ? ['master_key_sealed', 'pairing_epoch'] : []),
  });
  add('product_blocks', rows.product_blocks, (row) => thingNames.product_blocks(deviceId(row)), {
    // A product that was heard has told its own settings.
    settled: (row) => (product(row)?.row.seen_at === null ? [] : ['is_autoclose', 'autoclose_time']),
    partOf: (row) => product(row)?.key ?? '',
  });
  add('bound_licenses', rows.bound_licenses, (row) => thingNames.bound_licenses(deviceId(row), row.plate_normalised));
  add('lpr_cameras', rows.lpr_cameras, (row) => thingNames.lpr_cameras(account(row), row.device_id));
  add('parking_gateways', rows.parking_gateways, (row) =>
    thingNames.parking_gateways(account(row), lot(row), row.name),
  );
  add('parking_places', rows.parking_places, (row) => thingNames.parking_places(account(row), lot(row), row.name));
  add('groups', rows.groups, (row) => thingNames.groups(account(row), row.name));
  add('members', rows.members, (row) => thingNames.members(account(row), row.name));
  addRecords(rows, { add, find });
  return all();
}

/** Terminals, alerts, keys, displays and weblinks. */
function addRecords(rows: SiteRows, { add, find }: Pick<ReturnType<typeof createCollection>, 'add' | 'find'>): void {
  const account = (row: { account_id: number }) => nameOf(find('accounts', row.account_id));
  const alert = (row: { license_plate_alert_id: number }) =>
    find('license_plate_alerts', row.license_plate_alert_id)?.key ?? '';
  add('terminals', rows.terminals, (row) => thingNames.terminals(row.device_id));
  add('license_plate_alerts', rows.license_plate_alerts, (row) =>
    thingNames.license_plate_alerts(account(row), row.name),
  );
  add('alert_plates', rows.alert_plates, (row) => thingNames.alert_plates(alert(row), row.plate_normalised), {
    partOf: alert,
  });
  add('alert_receivers', rows.alert_receivers, (row) => thingNames.alert_receivers(alert(row), row.receiver_email), {
    partOf: alert,
  });
  add('key_logs', rows.key_logs, (row) => thingNames.key_logs(account(row), row.name));
  const keyLogIds = new Map(rows.key_logs.map(({ id, operation_token_id }) => [operation_token_id, id]));
  const keyLog = ({ id }: { id: number }) => find('key_logs', keyLogIds.get(id));
  add('operation_tokens', rows.operation_tokens, (row) => thingNames.operation_tokens(keyLog(row) ?? NOBODY), {
    partOf: (row) => keyLog(row)?.key ?? '',
  });
  add('rgb_displays', rows.rgb_displays, (row) => thingNames.rgb_displays(account(row), row.name));
  add('rgb_display_rules', rows.rgb_display_rules, (row) => {
    const display = find('rgb_displays', row.rgb_display_id);
    return thingNames.rgb_display_rules({ key: display?.key ?? '', name: nameOf(display) }, row.name);
  });
  add('weblinks', rows.weblinks, (row) => thingNames.weblinks(account(row), row.name));
}

const NOBODY: ThingName = { key: '', label: '' };

function nameOf(thing: Pick<PresentThing, 'row'> | undefined): string {
  return String(thing?.row.name ?? '');
}

/** Things by table and id. What is named by another comes after it; references and links may go either way. */
function createCollection(rows: SiteRows) {
  const things = new Map<string, Omit<PresentThing, 'references' | 'links'>>();
  const keys = new Set<ThingKey>();
  const linkedIds = groupLinks(rows);
  const find = (table: SiteTable, id: SiteValue | undefined) => things.get(`${table} ${id}`);

  /** The REST interface lets things share a name: the oldest is the one that a file means. */
  function nameOnce(name: ThingName, id: SiteId): ThingName {
    const own = keys.has(name.key) ? { key: `${name.key}#${id}`, label: `${name.label} (id ${id})` } : name;
    keys.add(own.key);
    return own;
  }

  function referencesOf(row: PresentThing['row']): PresentThing['references'] {
    const columns = REFERENCES.filter(([column]) => column in row);
    return Object.fromEntries(columns.map(([column, table]) => [column, find(table, row[column])?.key ?? null]));
  }

  function linksOf(table: SiteTable, id: SiteId): PresentThing['links'] {
    const links = [...(linkedIds.get(`${table} ${id}`) ?? [])];
    return new Map(
      links.map(([link, ids]) => [link, ids.flatMap((linked) => find(SITE_LINKS[link].toTable, linked)?.key ?? [])]),
    );
  }

  return {
    find,
    all: () =>
      [...things.values()].map((thing) => ({
        ...thing,
        references: referencesOf(thing.row),
        links: linksOf(thing.table, thing.id),
      })),
    add<Row extends AnyRow>(
      table: SiteTable,
      ofTable: readonly Row[],
      name: (row: Row) => ThingName,
      options: KindOptions<Row> = {},
    ): void {
      for (const row of ofTable) {
        things.set(`${table} ${row.id}`, {
          table,
          ...nameOnce(name(row), row.id),
          id: row.id,
          row,
          settled: new Set(options.settled?.(row)),
          partOf: options.partOf?.(row) ?? null,
        });
      }
    },
  };
}

/** Ids a thing is joined with, by `table id` and by the table of pairs. */
function groupLinks(rows: SiteRows): Map<string, Map<SiteLinkTable, number[]>> {
  const grouped = new Map<string, Map<SiteLinkTable, number[]>>();
  for (const table of Object.keys(SITE_LINKS) as SiteLinkTable[]) {
    const { fromTable, from, to } = SITE_LINKS[table];
    for (const pair of rows[table] as unknown as Record<string, number>[]) {
      const key = `${fromTable} ${pair[from]}`;
      const ofThing = grouped.get(key) ?? new Map<SiteLinkTable, number[]>();
      grouped.set(key, ofThing.set(table, [...(ofThing.get(table) ?? []), Number(pair[to])]));
    }
  }
  return grouped;
}
