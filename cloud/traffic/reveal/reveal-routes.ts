/**
 * POST .../{id}/reveal: a user asks for a plate that their console masks. The answer adds nothing, because the record shows the plate
 * already; the entry in the audit log says who asked for which plate.
 */
import { ALERT_LIST, KEY_LOG_LIST, MEMBER_LIST } from '../../guests/entry.js';
import { ALL_ROLES, type Caller, type Role } from '../../kernel/auth/entry.js';
import type { CloudStore } from '../../kernel/store/entry.js';
import { type Endpoint, MANAGERS, protectedEndpoint, successSchema, visibleRow, visibleTo } from '../../rest/entry.js';
import { findLotScope } from '../../site/entry.js';
import { PLATE_READING_LIST } from '../reading/plate-reading-list.js';
import { SESSION_LIST } from '../session/session-list.js';

interface Revealed {
  /** null: the record is in no lot, or in several. */
  lot_id: number | null;
}

const inNoLot = (row: object | null): Revealed | null => (row === null ? null : { lot_id: null });

/** Whoever sees a record may ask for its plates. */
export function revealEndpoints({ store }: { store: CloudStore }): Endpoint[] {
  const db = store.reader;
  const reveal = (of: {
    list: string;
    tag: string;
    summary: string;
    roles?: readonly Role[];
    find: (asked: { caller: Caller; id: number }) => Promise<Revealed | null>;
  }): Endpoint =>
    protectedEndpoint({
      method: 'post',
      path: `/v2/${of.list}/{id}/reveal`,
      summary: of.summary,
      tag: of.tag,
      roles: of.roles ?? ALL_ROLES,
      answer: successSchema,
      find: ({ caller, ids }) => of.find({ caller, id: ids.id }),
      async handle({ change }) {
        // The transaction changes nothing but the audit log, whose entry is added to every change.
        await change(() => Promise.resolve());
        return { success: true as const };
      },
    });
  return [
    reveal({
      list: 'plate-readings',
      tag: 'Plate readings',
      summary: 'Note that somebody asks for the masked plate of a reading',
      find: (asked) => visibleRow(db, PLATE_READING_LIST, asked),
    }),
    reveal({
      list: 'sessions',
      tag: 'Sessions',
      summary: 'Note that somebody asks for the masked plates of a session',
      find: (asked) => visibleRow(db, SESSION_LIST, asked),
    }),
    reveal({
      list: 'members',
      tag: 'Members and groups',
      summary: 'Note that somebody asks for the masked plate of a member',
      find: async (asked) => inNoLot(await visibleRow(db, MEMBER_LIST, asked)),
    }),
    reveal({
      list: 'license-plate-alerts',
      tag: 'License plate alerts',
      summary: 'Note that somebody asks for the masked plates of an alert',
      find: async (asked) => inNoLot(await visibleRow(db, ALERT_LIST, asked)),
    }),
    reveal({
      list: 'key-logs',
      tag: 'Key logs',
      summary: 'Note that somebody asks for the masked plate of a key',
      roles: MANAGERS,
      find: async (asked) => inNoLot(await visibleRow(db, KEY_LOG_LIST, asked)),
    }),
    reveal({
      list: 'lots',
      tag: 'Lots',
      summary: 'Note that somebody asks for all masked plates of a lot',
      find: async ({ caller, id }) => visibleTo(caller, await findLotScope(db, id)),
    }),
  ];
}
