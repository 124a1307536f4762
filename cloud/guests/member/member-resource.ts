/** Members: their plates are admitted by the zones of their groups, in their time. */
import { ApiError } from '../../../shared/errors.js';
import { groupBy } from '../../../shared/grouping.js';
import { decodeJson } from '../../../shared/json-text-codec.js';
import { normalisePlate } from '../../../shared/plate/normalise-plate.js';
import {
  anyField,
  type Columns,
  defineResource,
  endsAfter,
  type FilterValue,
  integerField,
  listTable,
  momentField,
  personField,
  plateField,
  type Problem,
  representationOf,
  searchField,
  sentence,
  type Values,
  type ValuesOf,
  type Warning,
  type Where,
} from '../../rest/entry.js';
import type { Db } from '../../kernel/store/entry.js';
import { lotIdsOfAccount } from '../../site/entry.js';
import { MEMBER_FIELDS } from './member-fields.js';
import {
  alignMemberPlates,
  LOTS_OF_MEMBER,
  memberIsIn,
  type MemberRow,
  membersByIds,
  sharedPlatesOf,
  someGroupOfMember,
  someOf,
  somePlateOfMember,
} from './member-queries.js';

const PLATE_FILTER = anyField(plateField('member_plates.plate_normalised'), somePlateOfMember);

/** Only such a text can be a part of a plate. */
const PLATE_PART = /\d/;

/** By name, mail or plate: a list has no filter that asks for one of several. */
function isLike(text: FilterValue): Where {
  const plate = normalisePlate(String(text));
  const named = (['members.name', 'members.email'] as const).map((column) => personField(column).where('like', [text]));
  const all = PLATE_PART.test(plate) ? [...named, PLATE_FILTER.where('like', [plate])] : named;
  return someOf(all);
}

export const MEMBER_LIST = listTable({
  from: 'members',
  id: 'members.id',
  scope: { account_id: 'members.account_id' },
  actsOn: LOTS_OF_MEMBER,
  fields: MEMBER_FIELDS,
  filters: {
    license_plate: PLATE_FILTER,
    group_id: anyField(integerField('group_members.group_id'), someGroupOfMember),
    admitted_at: momentField(memberIsIn),
    search: searchField(isLike),
  },
  sorts: {
    license_plate: 'members.plate_normalised',
    valid_from: 'members.valid_from',
    valid_until: 'members.valid_until',
  },
  rows: membersByIds,
});

export const MEMBER_ANSWER = representationOf('Member', MEMBER_FIELDS);

export const MEMBER = defineResource({
  table: 'members',
  one: 'member',
  many: 'members',
  fields: MEMBER_FIELDS,
  rules: [endsAfter('valid_from', 'valid_until')],
  complete: (values) => ({ ...values, ...plateFields(values) }),
  unique: [{ field: 'name', within: 'account' }],
  rest: {
    path: '/v2/members',
    tag: 'Members and groups',
    list: MEMBER_LIST,
    item: MEMBER_ANSWER.schema,
    items: (rows) => rows.map((row) => MEMBER_ANSWER.of(row)),
    gatewaysOf: ({ account_id }, db) => lotIdsOfAccount(db, account_id),
    sections: ['plates'],
    async beforeInsert(_tx, { given, now }) {
      refuse(otherFirst(given));
      return blockedNew(given, now);
    },
    afterInsert: (tx, { id }) => alignMemberPlates(tx, id),
    async beforeUpdate(_tx, { given, row, now }) {
      refuse([...otherFirst(given), ...blockedForNothing(given)]);
      return { ...changedPlates(given, row), ...blockedNow(given, { row, now }) };
    },
    afterUpdate: (tx, { row: { id } }) => alignMemberPlates(tx, id),
    warnings: sharedPlates,
  },
  file: {
    at: ['members'],
    check: (item) => [...withoutPlate(item), ...otherFirst(item), ...blockedForNothing({ blocked_at: null, ...item })],
    afterWrite: alignMemberPlates,
  },
});

type Given = Partial<ValuesOf<typeof MEMBER_FIELDS>>;

/** The first plate and all plates follow from each other; where both are given they stay as they are. */
function plateFields({ license_plate = '', plates = [] }: Given): Pick<Given, 'license_plate' | 'plates'> {
  const [first = ''] = plates;
  if (license_plate === '') return { license_plate: first, plates };
  return { license_plate, plates: plates.length === 0 ? [license_plate] : plates };
}

/** The columns of the plates after a change of one or both fields. */
function changedPlates({ license_plate, plates }: Given, row: Pick<MemberRow, 'plates'>): Columns {
  if (license_plate === undefined && plates === undefined) return {};
  const [, ...others] = decodeJson(row.plates);
  const own = normalisePlate(license_plate ?? '');
  const all = plates ?? [license_plate ?? '', ...others.filter((each) => normalisePlate(each) !== own)];
  const left = all.filter((each) => each !== '');
  const [first = ''] = left;
  return { license_plate: first, plate_normalised: normalisePlate(first), plates: JSON.stringify(left) };
}

/** @param given of any shape: what is no plate is refused by the schema */
function otherFirst({ license_plate, plates }: Values): Problem[] {
  if (typeof license_plate !== 'string' || !Array.isArray(plates)) return [];
  const isFirst = normalisePlate(license_plate) === normalisePlate(String(plates[0] ?? ''));
  return isFirst ? [] : [{ field: 'license_plate', reason: 'must be the first of plates' }];
}

const withoutPlate = ({ license_plate, plates }: Values): Problem[] =>
  license_plate === undefined && plates === undefined ? [{ field: 'license_plate', reason: 'is required' }] : [];

const blockedForNothing = ({ blocked_at, blocked_reason }: Values): Problem[] =>
  blocked_at === null && typeof blocked_reason === 'string'
    ? [{ field: 'blocked_reason', reason: 'must be null without blocked_at' }]
    : [];

/** Who gives a reason blocks. */
const blockedNew = ({ blocked_at = null, blocked_reason = null }: Given, now: number): Columns =>
  blocked_reason === null ? {} : { blocked_at: blocked_at ?? now };

/** The same of a member that is there; who unblocks it forgets the reason as well. */
function blockedNow({ blocked_at, blocked_reason }: Given, { row, now }: { row: MemberRow; now: number }): Columns {
  if (blocked_at === null) return { blocked_reason: null };
  if (typeof blocked_reason !== 'string' || blocked_at !== undefined) return {};
  return { blocked_at: row.blocked_at ?? now };
}

/** @throws ApiError VALIDATION with every problem */
function refuse(problems: readonly Problem[]): void {
  if (problems.length === 0) return;
  throw ApiError.validation(problems.map(({ field, reason }) => ({ field, message: sentence(reason) })));
}

/** How many of those who have the plate a warning names. */
const NAMES_SHOWN = 3;

/** Warnings of plates that another member has. They name the fields of the body. */
async function sharedPlates(db: Db, { id, body }: { id: number; body: Values }): Promise<Warning[]> {
  const { license_plate = '', plates = [] } = body as Given;
  if (license_plate === '' && plates.length === 0) return [];
  const shared = groupBy(await sharedPlatesOf(db, id), ({ position }) => position);
  return [...shared].flatMap(([position, others]) => {
    if (plates.length === 0 && position > 0) return [];
    const names = others.slice(0, NAMES_SHOWN).map(({ name }) => name);
    const more = others.length > NAMES_SHOWN ? ` and ${others.length - NAMES_SHOWN} more` : '';
    const field = plates.length === 0 ? 'license_plate' : `plates.${position}`;
    return [{ code: 'plate_taken', message: `Another member has this plate: ${names.join(', ')}${more}`, field }];
  });
}
