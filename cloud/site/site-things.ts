/**
 * Things a site file declares and things the database has, in forms that can be compared: named by keys instead of ids. Names
 * are the keys by which the file refers; what carries an identity of its own (device_id, e-mail, uuid) is known by that.
 */
import type { SealPurpose } from '../secrets/secrets.js';
import type { SiteId, SiteLinkTable, SiteTable, SiteValue } from '../store/queries/site.js';
import type { NewRow } from '../store/schema.js';
import type { SitePath } from './site-schema.js';

/** The parts that name a thing, as one text. Unlike an id, it is known before the thing is there. */
export type ThingKey = string;

/** How a thing is known: by programs and by people. */
export interface ThingName {
  key: ThingKey;
  /** `zone North/Level 0` */
  label: string;
}

/** Columns of a table that are neither ids, references nor times. */
type Column<Table extends SiteTable> = Exclude<
  keyof NewRow<Table>,
  | 'account_id'
  | 'lot_id'
  | 'zone_id'
  | 'product_id'
  | 'gateway_id'
  | 'parking_gateway_id'
  | 'license_plate_alert_id'
  | 'rgb_display_id'
  | 'operation_token_id'
  | 'created_at'
  | 'updated_at'
  // Databases give ids that are numbers.
  | (Table extends 'weblinks' ? never : 'id')
>;
type Columns<Table extends SiteTable, Value> = { [Name in Column<Table>]?: Value };

/** A thing as a file declares it. */
export interface DeclaredThing<Table extends SiteTable = SiteTable> extends ThingName {
  table: Table;
  path: SitePath;
  /** Columns that are to have these values. */
  values: Columns<Table, SiteValue>;
  /** Further columns when it is created: what happens decides about them later. */
  initially: Columns<Table, SiteValue>;
  /** Columns that are to hold these secrets, sealed. */
  sealed: Columns<Table, SealedSecret>;
  /** Columns that hold the ids of other things. */
  references: Record<string, ThingKey | null>;
  links: { table: SiteLinkTable; to: ThingKey[] | 'all lots of the account' }[];
  /** A row that belongs to another thing's record and is told with it. */
  partOf: ThingKey | null;
  /** A secret that was made for it, to be told once if it is created. */
  made: { what: 'claim code' | 'token' | 'link'; secret: string } | null;
}

export interface SealedSecret {
  purpose: SealPurpose;
  secret: string;
  encoding: 'hex' | 'utf8';
}

/** A thing as the database has it. */
export interface PresentThing extends ThingName {
  table: SiteTable;
  id: SiteId;
  row: Readonly<Record<string, SiteValue>>;
  references: Record<string, ThingKey | null>;
  links: ReadonlyMap<SiteLinkTable, ThingKey[]>;
  /** Columns that were decided about since: a product has told its settings, a gateway was claimed. */
  settled: ReadonlySet<string>;
  partOf: ThingKey | null;
}

function named(table: SiteTable, parts: string[], label: string): ThingName {
  return { key: JSON.stringify([table, ...parts]), label };
}

export const thingNames = {
  accounts: (name: string) => named('accounts', [name], `account ${name}`),
  account_users: (email: string) => named('account_users', [email], `user ${email}`),
  api_tokens: (account: string, name: string) => named('api_tokens', [account, name], `API token ${name}`),
  tariffs: (account: string, name: string) => named('tariffs', [account, name], `tariff ${name}`),
  lots: (account: string, name: string) => named('lots', [account, name], `lot ${name}`),
  gateways: (account: string, lot: string, name: string) =>
    named('gateways', [account, lot, name], `gateway ${lot}/${name}`),
  zones: (account: string, lot: string, name: string) => named('zones', [account, lot, name], `zone ${lot}/${name}`),
  products: (deviceId: string) => named('products', [deviceId], `product ${deviceId}`),
  product_blocks: (deviceId: string) => named('product_blocks', [deviceId], `settings of product ${deviceId}`),
  bound_licenses: (deviceId: string, plate: string) =>
    named('bound_licenses', [deviceId, plate], `bound license ${plate} of product ${deviceId}`),
  lpr_cameras: (account: string, deviceId: string) => named('lpr_cameras', [account, deviceId], `camera ${deviceId}`),
  parking_gateways: (account: string, lot: string, name: string) =>
    named('parking_gateways', [account, lot, name], `parking gateway ${lot}/${name}`),
  parking_places: (account: string, lot: string, name: string) =>
    named('parking_places', [account, lot, name], `place ${lot}/${name}`),
  terminals: (deviceId: string) => named('terminals', [deviceId], `terminal ${deviceId}`),
  groups: (account: string, name: string) => named('groups', [account, name], `group ${name}`),
  members: (account: string, name: string) => named('members', [account, name], `member ${name}`),
  license_plate_alerts: (account: string, name: string) =>
    named('license_plate_alerts', [account, name], `license plate alert ${name}`),
  alert_plates: (alert: ThingKey, plate: string) => named('alert_plates', [alert, plate], `plate ${plate}`),
  alert_receivers: (alert: ThingKey, email: string) => named('alert_receivers', [alert, email], `receiver ${email}`),
  key_logs: (account: string, name: string) => named('key_logs', [account, name], `key ${name}`),
  operation_tokens: (keyLog: ThingName) => named('operation_tokens', [keyLog.key], `token of ${keyLog.label}`),
  rgb_displays: (account: string, name: string) => named('rgb_displays', [account, name], `display ${name}`),
  rgb_display_rules: (display: { key: ThingKey; name: string }, name: string) =>
    named('rgb_display_rules', [display.key, name], `rule ${display.name}/${name}`),
  weblinks: (account: string, name: string) => named('weblinks', [account, name], `weblink ${name}`),
};

/** What is not in the file, or not as it is stored. */
export interface DeclaredSecrets {
  /** By e-mail, of users whose password the file gives. */
  passwordHashes: ReadonlyMap<string, string>;
  hashToken(token: string): string;
  makeClaimCode(): string;
  makeToken(): string;
  /** 31 bits. */
  makeCredentialId(): number;
  makeWeblink(): { id: string; generation: number; url: string };
  /** Wall milliseconds: when what has no beginning begins. */
  now: number;
}

type Sparse<Table extends SiteTable> = ThingName & { table: Table; path: SitePath } & Partial<DeclaredThing<Table>>;

/** A declared thing; what it has none of may be left out. */
export function declare<Table extends SiteTable>(sparse: Sparse<Table>): DeclaredThing {
  const nothing = { values: {}, initially: {}, sealed: {}, references: {}, links: [], partOf: null, made: null };
  return { ...nothing, ...sparse };
}
