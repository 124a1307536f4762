/**
 * Bare dates (`2026-10-25`) of filters and queries: each is a whole day of the lots that are asked about, with the 23 or 25 hours that it has
 * there. With lots of several time zones, and where no lot is concerned, it is a day of UTC (REST contract, "Lists").
 */
import { sql } from 'kysely';
import { countedZone } from '../../../shared/counted-zone.js';
import type { Caller } from '../../kernel/auth/entry.js';
import type { Db } from '../../kernel/store/entry.js';
import { dayBounds } from '../../../shared/periods.js';
import type { MomentOrDate } from '../field/iso-time-codec.js';
import type { Condition, DaySpan, FilterRule, FilterValue } from './filter-parser.js';
import { type FilterField, integerField } from './list-fields.js';
import { type ListTable, matchingRows } from './list-table.js';

interface Asked {
  caller: Pick<Caller, 'account_id' | 'lot_ids'>;
  table: Pick<ListTable<unknown, never>, 'scope'>;
  conditions: readonly Condition[];
  /** Of the thing that the list belongs to; left out: of none. */
  lot_id?: number | undefined;
}

/** Replaces the dates of conditions by days. @returns `timezone`: whose days they are; null: there was no bare date */
export async function inLocalDays(
  db: Db,
  asked: Asked,
): Promise<{ conditions: readonly Condition[]; timezone: string | null }> {
  const { conditions } = asked;
  if (!hasDates(conditions)) return { conditions, timezone: null };
  const timezone = await timezoneAsked(db, asked);
  return {
    timezone,
    conditions: conditions.map((condition) =>
      condition.isTime ? { ...condition, values: condition.values.map((each) => dayOf(each, timezone)) } : condition,
    ),
  };
}

/** Whether a condition has a bare date, which `inLocalDays` has not replaced yet. */
export const hasDates = (conditions: readonly Condition[]): boolean =>
  conditions.some(({ isTime, values }) => isTime && values.some((each) => typeof each === 'string'));

const dayOf = (value: FilterValue, timezone: string): FilterValue =>
  typeof value === 'string' ? daySpan(value, timezone) : value;

/** A date as a day of a time zone. */
const daySpan = (date: string, timezone: string): DaySpan => dayBounds(timezone, Date.parse(`${date}T00:00:00Z`));

/** When a moment is, or a day begins. */
export const beginOf = (moment: MomentOrDate, timezone: string): number =>
  typeof moment === 'number' ? moment : daySpan(moment, timezone).from_ms;

/** The end of a range, which it ends just before: a moment, or the end of a day, which is thereby in the range. */
export const endOf = (moment: MomentOrDate, timezone: string): number =>
  typeof moment === 'number' ? moment : daySpan(moment, timezone).to_ms;

/** The time zone that all lots share in which the rows of a list may be, else UTC. */
export async function timezoneAsked(db: Db, { caller, table, conditions, lot_id }: Asked): Promise<string> {
  const { scope } = table;
  if (scope.lot_id === undefined && scope.lots === undefined) return 'UTC';
  const ofThing: Condition[] = lot_id === undefined ? [] : [{ field: 'lot_id', rule: 'eq', values: [lot_id] }];
  const rows = await matchingRows(
    db,
    {
      from: knownLots,
      scope: { account_id: 'lots.account_id', lot_id: 'lots.id' },
      filters: { lot_id: integerField('lots.id'), zone_id: ZONE_OF_LOT },
    },
    {
      caller,
      conditions: [...ofThing, ...conditions.filter(({ field }) => field === 'lot_id' || field === 'zone_id')],
    },
  )
    // A deleted lot counts if it has any stays.
    .where(sql<boolean>`(
      exists (select 1 from lots as living where living.id = lots.id)
      or exists (select 1 from sessions where sessions.lot_id = lots.id))`)
    .select('lots.timezone')
    .distinct()
    .execute();
  const [timezone = 'UTC', ...others] = new Set(rows.map((row) => countedZone(row.timezone)));
  return others.length === 0 ? timezone : 'UTC';
}

/** All lots, including the deleted ones, whose history continues to use their time zone. */
export const knownLots = (db: Db) =>
  db.selectFrom((eb) =>
    eb
      .selectFrom('lots')
      .select(['id', 'account_id', 'timezone'])
      .unionAll(eb.selectFrom('deleted_lots').select(['id', 'account_id', 'timezone']))
      .as('lots'),
  );

const zoneIds = integerField('zones.id');
const ZONE_OF_LOT: FilterField = {
  kind: zoneIds.kind,
  where: (rule: FilterRule, values: readonly FilterValue[]) =>
    sql`exists (
      select 1 from (select id, lot_id from zones union all select id, lot_id from deleted_zones) as zones
      where zones.lot_id = lots.id and ${zoneIds.where(rule, values)})`,
};
