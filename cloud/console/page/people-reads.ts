/** People as the palette finds them: members, and who signs in. */
import type { FoundPerson } from '../wording/find-entries.js';
import { client } from './session.js';

/** Of each kind. */
const FOUND_MAX = 5;
/** Shorter texts fit too many. */
const TEXT_MIN = 2;

/** Searches by name or mail, never by plate. The audit log has an entry of each such search. */
export async function findPeople(
  text: string,
  kinds: ReadonlySet<FoundPerson['kind']>,
  signal: AbortSignal,
): Promise<FoundPerson[]> {
  const wanted = text.trim();
  if (wanted.length < TEXT_MIN) return [];
  const asked = ['name', 'email'].map((field) => ({
    query: { filter: [`${field}:like:${wanted}`], size: FOUND_MAX, sort: 'name:asc' as const },
    signal,
  }));
  const lists = await Promise.all(
    asked.flatMap((each) => [
      ...(kinds.has('member')
        ? [
            client()
              .get('/v2/members', each)
              .then((found) => named('member', found)),
          ]
        : []),
      ...(kinds.has('user')
        ? [
            client()
              .get('/v2/account-users', each)
              .then((found) => named('user', found)),
          ]
        : []),
    ]),
  );
  return [...new Map(lists.flat().map((each) => [`${each.kind} ${each.id}`, each])).values()];
}

const named = (
  kind: FoundPerson['kind'],
  found: readonly { id: number; name: string; email: string }[],
): FoundPerson[] => found.map(({ id, name, email }) => ({ kind, id, name, email }));
