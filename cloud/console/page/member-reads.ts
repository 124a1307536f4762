/** Members and groups, as their views read them. */
import type { components } from '@parking-gateway/client';
import { PAGE_MAX } from './loading.js';
import { commonTimezone } from './browser.js';
import { client, totalOf } from './session.js';
import { all, lots } from './store.js';

export type Member = components['schemas']['Member'];
export type Group = components['schemas']['Group'];

/** By whose clocks a member's times are shown and typed. */
export const timezoneOfMembers = (): string => commonTimezone(lots.value.map(({ timezone }) => timezone));

/** Only such a text can be a part of a plate. The audit log has an entry of each search for one. */
const PLATE_PART = /\d/;

export interface FoundMembers {
  members: Member[];
  /** How many there are, of which these are the first. */
  total: number;
}

/** By name, plate or e-mail address: a list has no filter that asks for one of several. */
export async function findMembers(
  text: string,
  { size, signal }: { size: number; signal: AbortSignal },
): Promise<FoundMembers> {
  const wanted = text.trim();
  const filters =
    wanted === ''
      ? [[]]
      : [
          [`name:like:${wanted}`],
          [`email:like:${wanted}`],
          ...(PLATE_PART.test(wanted) ? [[`license_plate:like:${wanted}`]] : []),
        ];
  const lists = await Promise.all(
    filters.map((filter) =>
      client().request('get', '/v2/members', { query: { filter, size, sort: 'name:asc' }, signal }),
    ),
  );
  const found = new Map(lists.flatMap(({ data }) => data).map((each) => [each.id, each]));
  const members = [...found.values()].toSorted((a, b) => (a.name < b.name ? -1 : 1)).slice(0, size);
  return { members, total: Math.max(members.length, ...lists.map(({ meta }) => totalOf(meta) ?? 0)) };
}

const everything = { query: { sort: 'id:asc', size: PAGE_MAX } } as const;

export const allMembers = (): Promise<Member[]> => all(client().list('/v2/members', everything));
/** By their names. */
export const allGroups = async (): Promise<Group[]> =>
  (await all(client().list('/v2/groups', everything))).toSorted((a, b) => a.name.localeCompare(b.name));
