/** Members and groups, as their views read them. */
import type { components } from '@parking-gateway/client';
import { PAGE_MAX } from './loading.js';
import { commonTimezone } from './browser.js';
import { client } from './session.js';
import { all, lots } from './store.js';

export type Member = components['schemas']['Member'];
export type Group = components['schemas']['Group'];

/** By whose clocks a member's times are shown and typed. */
export const timezoneOfMembers = (): string => commonTimezone(lots.value.map(({ timezone }) => timezone));

/** By name, plate or e-mail address. The audit log has an entry of each search. */
export const findMembers = (text: string, { size, signal }: { size: number; signal: AbortSignal }): Promise<Member[]> =>
  client().get('/v2/members', { query: { filter: [`search:like:${text.trim()}`], size, sort: 'name:asc' }, signal });

const everything = { query: { sort: 'id:asc', size: PAGE_MAX } } as const;

export const allMembers = (): Promise<Member[]> => all(client().list('/v2/members', everything));
/** By their names. */
export const allGroups = async (): Promise<Group[]> =>
  (await all(client().list('/v2/groups', everything))).toSorted((a, b) => a.name.localeCompare(b.name));
