/** GET /v2/lots/{id}/would-admit, GET /v2/lots/{id}/plate-collisions */
import { setImmediate as giveWay } from 'node:timers/promises';
import { z } from '@hono/zod-openapi';
import type { Clock } from '../../../shared/clock.js';
import { ApiError, VALIDATION } from '../../../shared/errors.js';
import { COLLISION_KINDS, findCollisions } from '../../../shared/plate/find-collisions.js';
import { PLATE_LENGTH_MAX } from '../../../shared/plate/normalise-plate.js';
import { ALL_ROLES } from '../../kernel/auth/entry.js';
import type { CloudStore } from '../../kernel/store/entry.js';
import {
  beginOf,
  datetime,
  type Endpoint,
  id,
  idParameter,
  iso,
  isDate,
  listMeta,
  listResponse,
  momentParameter,
  named,
  OVERLOAD,
  pageQuery,
  protectedEndpoint,
  sendingEndpoint,
  visibleTo,
} from '../../rest/entry.js';
import { findLotScope, timezoneOfLot } from '../../site/entry.js';
import { askedRuleSchema, decisionParts } from '../reading/explanation-payload.js';
import { findAdmittingCamera } from './admission-queries.js';
import { membersOfPlates, platesOfLot } from './collision-queries.js';
import { wouldAdmit } from './would-admit.js';

const TAG = 'Lots';

/** How many pairs of plates are shown of a lot. A lot with more has numbered plates, which all look alike. */
const COLLISIONS_MAX = 100_000;

const admissionQuery = z.object({
  plate: z.string().min(1).max(PLATE_LENGTH_MAX),
  lpr_camera_id: idParameter,
  at: momentParameter.optional(),
});

const admissionSchema = z
  .strictObject({
    plate: z.string(),
    lpr_camera_id: id,
    at: datetime.describe('The time for which it is asked.'),
    ...decisionParts,
    rules: z.array(askedRuleSchema).describe('The rules that were asked, in their order, up to the one that decided.'),
  })
  .openapi('Admission');

const collisionsSchema = z.array(
  z
    .strictObject({
      kind: z
        .enum(COLLISION_KINDS)
        .describe(
          'Why an exit could take one for the other: they differ in characters that look alike only (`look_alike`), or by one character more, less or other (`one_edit`).',
        ),
      plates: z.array(z.string()).length(2).describe('The two plates, as they are compared.'),
      members: z.array(named).describe('The members whose plates they are.'),
    })
    .openapi('PlateCollision'),
);

interface AccessDeps {
  store: Pick<CloudStore, 'reader' | 'report'>;
  clock: Clock;
}

export const accessEndpoints = (deps: AccessDeps): Endpoint[] => [wouldAdmitEndpoint(deps), collisionsEndpoint(deps)];

function wouldAdmitEndpoint({ store, clock }: AccessDeps): Endpoint {
  return protectedEndpoint({
    method: 'get',
    path: '/v2/lots/{id}/would-admit',
    summary: 'What a camera of the lot would decide for a plate, now or at a time',
    tag: TAG,
    roles: ALL_ROLES,
    query: admissionQuery,
    auditAs: 'lot.would_admit',
    auditQuery: ['plate', 'lpr_camera_id', 'at'],
    answer: admissionSchema,
    otherStatuses: OVERLOAD,
    find: async ({ caller, ids }) => visibleTo(caller, await findLotScope(store.reader, ids.id)),
    async handle({ caller, found: { lot_id }, query, signal, daysAre }) {
      const { plate, lpr_camera_id } = query;
      const camera = await findAdmittingCamera(store.reader, { id: lpr_camera_id, lot_id });
      if (camera === null) {
        throw new ApiError(VALIDATION, { field: 'lpr_camera_id', message: 'There is no such camera in the lot' });
      }
      const now = clock.now();
      const timezone = await timezoneOfLot(store.reader, lot_id);
      if (isDate(query.at)) daysAre(timezone);
      const at = query.at === undefined ? now : beginOf(query.at, timezone);
      // For a past time it reads all stays of the lot at that time, so it runs as a report, in the account's share.
      const report = { account_id: caller.account_id, kind: 'sum', signal: signal() } as const;
      const decided = await store.report(report, (db) => wouldAdmit(db, { camera, plate, at, now }));
      return { plate, lpr_camera_id, at: iso(at), ...decided };
    },
  });
}

function collisionsEndpoint({ store, clock }: AccessDeps): Endpoint {
  return sendingEndpoint({
    method: 'get',
    path: '/v2/lots/{id}/plate-collisions',
    summary: 'List pairs of plates that may enter the lot and that an exit could take for each other',
    tag: TAG,
    roles: ALL_ROLES,
    query: pageQuery,
    answer: collisionsSchema,
    sent: 'list',
    otherStatuses: OVERLOAD,
    find: async ({ caller, ids }) => visibleTo(caller, await findLotScope(store.reader, ids.id)),
    async send(c, { caller, found: { lot_id }, query: { page, size }, search, signal }) {
      const report = { account_id: caller.account_id, kind: 'sum', signal: signal() } as const;
      const lot = { lot_id, now: clock.now() };
      const plates = await store.report(report, (db) => platesOfLot(db, lot));
      // The search gives way to other requests.
      const found = await findCollisions(plates, { pairsMax: COLLISIONS_MAX, pause: () => giveWay() });
      const shown = found.slice((page - 1) * size, page * size);
      const members = await membersOfPlates(
        store.reader,
        lot,
        shown.flatMap((pair) => pair.plates),
      );
      const items = shown.map((pair) => ({
        ...pair,
        members: pair.plates.flatMap((plate) => members.get(plate) ?? []),
      }));
      return listResponse(
        c,
        JSON.stringify(items),
        listMeta({ path: c.req.path, search, page, size, total: found.length }),
      );
    },
  });
}
