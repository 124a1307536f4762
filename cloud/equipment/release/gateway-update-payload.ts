/** The software of a gateway, as REST shows it. What the gateway has never reported is null. */
import { z } from '@hono/zod-openapi';
import { UPDATE_PHASES, type UpdateReport } from '../../../shared/releases.js';
import { compareVersions } from '../../../shared/version-order.js';
import { datetime, flag, flagOf, id, isoOrNull, orNull } from '../../rest/field/answer-schemas.js';
import { decideWantedReleases, type RingedRelease } from './decide-wanted-releases.js';
import type { GatewayUpdateWishes } from './release-queries.js';

export const gatewayUpdateSchema = z
  .strictObject({
    gateway_id: id.describe('The gateway.'),
    is_paused: flag.describe('Whether it begins no update: 1 or 0.'),
    asked_at: datetime.nullable(),
    update_hours: z.string().nullable(),
    can_install: orNull(flag).describe(
      'Whether the device has slots into which releases are installed (1), or is updated on the device itself, by apt where it came as a package (0); null before it said so.',
    ),
    machine: z.string().nullable().describe('For which releases the device is; null when it is not known.'),
    installed: z.string().nullable().describe('The release that the gateway runs; null when it is not known.'),
    slot: z.string().nullable().describe('The slot that the gateway runs from; null when it is not known.'),
    wanted: z
      .strictObject({
        version: z.string().describe('Its version.'),
        notes: z.string().describe('What the release changes, for people.'),
      })
      .nullable()
      .describe('The release that the gateway shall have and has not; null for none.'),
    phase: z
      .enum(UPDATE_PHASES)
      .nullable()
      .describe(
        'How far the update is: `fetching`, `installing`, `ready` (it waits for a quiet moment), `activating`, `proving` (the new software runs and has not shown yet that it works), `failed`, `fallen_back` (it did not work, and the one before runs again), or `idle`; null before the gateway said so.',
      ),
    version: z.string().nullable().describe('The release that the phase is about; null for none.'),
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
  })
  .openapi('GatewayUpdate');

export type GatewayUpdate = z.infer<typeof gatewayUpdateSchema>;

export function representGatewayUpdate(details: {
  gateway: { id: number; uuid: string | null; account_id: number };
  update_hours: string | null;
  wishes: GatewayUpdateWishes;
  report: UpdateReport | undefined;
  releases: readonly RingedRelease[];
}): GatewayUpdate {
  const { gateway, update_hours, wishes, report } = details;
  return {
    gateway_id: gateway.id,
    is_paused: flagOf(wishes.is_paused),
    asked_at: isoOrNull(wishes.asked_at),
    update_hours,
    can_install: report === undefined ? null : flagOf(report.can_install ? 1 : 0),
    machine: report?.machine ?? null,
    installed: report?.installed ?? null,
    slot: report?.slot ?? null,
    wanted: wantedOf(details),
    phase: report?.phase ?? null,
    version: report?.version ?? null,
    progress: report?.progress ?? null,
    waits_for: report?.waits_for ?? null,
    error: report?.error ?? null,
  };
}

/** The release that the gateway shall have and has not, as far as it said what it is and has. */
function wantedOf({
  gateway,
  report,
  releases,
}: {
  gateway: { uuid: string | null; account_id: number };
  report: UpdateReport | undefined;
  releases: readonly RingedRelease[];
}): GatewayUpdate['wanted'] {
  const { uuid, account_id } = gateway;
  if (uuid === null || report === undefined) return null;
  const wanted = decideWantedReleases(releases, { uuid, account_id }).find(({ machine }) => machine === report.machine);
  if (wanted === undefined || compareVersions(report.installed ?? '', wanted.version) >= 0) return null;
  return { version: wanted.version, notes: wanted.notes };
}
