/** GET /v2/releases, GET /v2/releases/{id}/gateways, POST /v2/releases/{id}/pause and /resume */
import { z } from '@hono/zod-openapi';
import type { Caller, Role } from '../../kernel/auth/entry.js';
import type { Change, CloudStore } from '../../kernel/store/entry.js';
import { type ConfigChanged, type Endpoint, id, protectedEndpoint } from '../../rest/entry.js';
import { accountRollOutState, concerns, isUnderWay } from './decide-account-roll-out.js';
import type { RingedRelease } from './decide-wanted-releases.js';
import { findReleases, saveUpdateWishes } from './release-queries.js';
import { releasesSchema, representRelease, representRollOut, rollOutSchema } from './roll-out-payload.js';
import { findUpdatedGateways } from './roll-out-queries.js';

const TAG = 'Gateways';
const ROLES: readonly Role[] = ['Super Admin'];
const changedSchema = z.strictObject({
  gateway_ids: z.array(id).describe('The gateways whose updates are paused now, or go on.'),
});

interface RollOutDeps {
  store: CloudStore;
  configChanged: ConfigChanged;
}

interface RollOut {
  release: RingedRelease;
  /** All of them. */
  releases: readonly RingedRelease[];
}

/** What people of an account see and steer of the releases that the operator of the service rolls out. */
export function rollOutEndpoints(deps: RollOutDeps): Endpoint[] {
  const { store } = deps;
  const find = async ({ caller, ids }: { caller: Caller; ids: { id: number } }): Promise<RollOut | null> => {
    const releases = await findReleases(store.reader);
    const release = releases.find((each) => each.id === ids.id && concerns(each, caller.account_id));
    return release === undefined ? null : { release, releases };
  };
  return [
    protectedEndpoint({
      method: 'get',
      path: '/v2/releases',
      summary: 'The releases that gateways of the account have or get, the newest first, and how far each is',
      tag: TAG,
      roles: ROLES,
      answer: releasesSchema,
      async handle({ caller }) {
        const { account_id } = caller;
        const releases = await findReleases(store.reader);
        const gateways = await findUpdatedGateways(store.reader, caller);
        return releases
          .filter((release) => concerns(release, account_id))
          .map((release) => representRelease(release, { releases, gateways, account_id }));
      },
    }),
    protectedEndpoint({
      method: 'get',
      path: '/v2/releases/{id}/gateways',
      summary: 'How far each gateway is with a release',
      tag: TAG,
      roles: ROLES,
      answer: rollOutSchema,
      find,
      handle: async ({ caller, found: { release, releases } }) =>
        representRollOut(release, { releases, gateways: await findUpdatedGateways(store.reader, caller) }),
    }),
    protectedEndpoint({
      method: 'post',
      path: '/v2/releases/{id}/pause',
      summary: 'Pause the updates of all gateways that shall have a release and have it not yet',
      tag: TAG,
      roles: ROLES,
      answer: changedSchema,
      find,
      handle: ({ caller, found, change }) => wish(deps, caller, found, { is_paused: 1 }, change),
    }),
    protectedEndpoint({
      method: 'post',
      path: '/v2/releases/{id}/resume',
      summary: 'Let the updates of all gateways go on that shall have a release and were paused',
      tag: TAG,
      roles: ROLES,
      answer: changedSchema,
      find,
      handle: ({ caller, found, change }) => wish(deps, caller, found, { is_paused: 0 }, change),
    }),
  ];
}

/** Says it of all gateways that shall have the release and have it not, and of which it was not said before. */
async function wish(
  { store, configChanged }: RollOutDeps,
  caller: Caller,
  { release, releases }: RollOut,
  said: { is_paused: 0 | 1 },
  change: Change,
) {
  const gateways = await findUpdatedGateways(store.reader, caller);
  const meant = gateways.filter(
    (gateway) =>
      gateway.wishes.is_paused !== said.is_paused && isUnderWay(accountRollOutState(release, releases, gateway)),
  );
  await change(async (tx) => {
    for (const gateway of meant) await saveUpdateWishes(tx, gateway.id, said);
    tx.onCommit(() => {
      for (const lot_id of new Set(meant.map((each) => each.lot_id))) configChanged({ lot_id }, ['gateway']);
    });
  });
  return { gateway_ids: meant.map((gateway) => gateway.id) };
}
