/** Releases, and how far gateways are with them, as REST shows them. */
import { z } from '@hono/zod-openapi';
import { datetime, flag, flagOf, id, iso } from '../../rest/field/answer-schemas.js';
import {
  ACCOUNT_ROLL_OUT_STATES,
  type AccountRollOutState,
  accountRollOutState,
  isUnderWay,
  percentOf,
  turnOf,
  type UpdatedGateway,
} from './decide-account-roll-out.js';
import type { RingedRelease } from './decide-wanted-releases.js';
import type { AccountGateway } from './roll-out-queries.js';

const state = z.enum(ACCOUNT_ROLL_OUT_STATES);

const releaseSchema = z
  .strictObject({
    id,
    machine: z.string().describe('For which devices the release is.'),
    version: z.string().describe('The version of the release.'),
    notes: z.string().describe('What the release changes, for people.'),
    bytes: z.number().int().describe('How large its file is, in bytes.'),
    security_floor: z
      .string()
      .nullable()
      .describe('Gateways that have this release install nothing older than this version; null: it sets no floor.'),
    is_paused: flag.describe(
      'Whether the operator of the service paused it: no further gateway begins to install it (1 or 0).',
    ),
    percent: z
      .number()
      .int()
      .describe("The part of the account's gateways that shall have the release, in percent; 0: none of them yet."),
    counts: z
      .array(
        z.strictObject({ state, gateways_count: z.number().int().describe('How many gateways are in this state.') }),
      )
      .describe('How many gateways are how far; those for which the release is not are left out.'),
    held_count: z
      .number()
      .int()
      .describe(
        'How many of the gateways that shall have the release, and have it not, were paused by people of the account.',
      ),
    created_at: datetime.describe('When the release was published.'),
  })
  .openapi('Release');

export const releasesSchema = z.array(releaseSchema);

export const rollOutSchema = z.array(
  z
    .strictObject({
      gateway_id: id.describe('The gateway.'),
      state: state.describe(
        'How far the gateway is with the release: a phase of its update, `installed`, `waiting`, `paused` (by the operator of the service), `held` (its updates are paused), `superseded` (it shall have a newer one), `outside` (the roll-out has not come to it yet), `updated_by_apt` (the service installs nothing there), or `never_reported`.',
      ),
      is_paused: flag.describe('Whether it begins no update: 1 or 0.'),
      installed: z.string().nullable().describe('The release that the gateway runs; null when it is not known.'),
      progress: z
        .number()
        .int()
        .nullable()
        .describe('How much of this phase is done, in percent; null when that is not known.'),
      waits_for: z.string().nullable().describe('What the update waits for, in words for people; null for nothing.'),
      error: z
        .string()
        .nullable()
        .describe('Why the update failed or fell back, or what stands in its way; null when nothing does.'),
      turn: z
        .number()
        .int()
        .describe('From which part of the gateways on, in percent, a roll-out comes to this gateway.'),
    })
    .openapi('ReleaseGateway'),
);

/** @param releases all of them. @param gateways those that the caller sees */
export function representRelease(
  release: RingedRelease,
  {
    releases,
    gateways,
    account_id,
  }: { releases: readonly RingedRelease[]; gateways: readonly UpdatedGateway[]; account_id: number },
): z.infer<typeof releaseSchema> {
  const { id: releaseId, machine, version, notes, bytes, security_floor, is_paused, created_at } = release;
  const counts = new Map<AccountRollOutState, number>();
  for (const gateway of gateways) {
    const found = accountRollOutState(release, releases, gateway);
    if (found !== null) counts.set(found, (counts.get(found) ?? 0) + 1);
  }
  return {
    id: releaseId,
    machine,
    version,
    notes,
    bytes,
    security_floor,
    is_paused: flagOf(is_paused),
    percent: percentOf(release, account_id),
    counts: ACCOUNT_ROLL_OUT_STATES.flatMap((each) => {
      const gateways_count = counts.get(each);
      return gateways_count === undefined ? [] : [{ state: each, gateways_count }];
    }),
    held_count: gateways.filter(
      (gateway) => gateway.wishes.is_paused === 1 && isUnderWay(accountRollOutState(release, releases, gateway)),
    ).length,
    created_at: iso(created_at),
  };
}

/** One row for each gateway that the release is for. */
export function representRollOut(
  release: RingedRelease,
  { releases, gateways }: { releases: readonly RingedRelease[]; gateways: readonly AccountGateway[] },
): z.infer<typeof rollOutSchema> {
  return gateways.flatMap((gateway) => {
    const found = accountRollOutState(release, releases, gateway);
    if (found === null) return [];
    const { report, wishes } = gateway;
    const isOfThis = report?.version === release.version;
    return {
      gateway_id: gateway.id,
      state: found,
      is_paused: flagOf(wishes.is_paused),
      installed: report?.installed ?? null,
      progress: isOfThis ? report.progress : null,
      waits_for: isOfThis ? report.waits_for : null,
      error: isOfThis ? report.error : null,
      turn: turnOf(gateway),
    };
  });
}
