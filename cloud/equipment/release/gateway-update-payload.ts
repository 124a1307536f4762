/** The software of a gateway, as REST shows it. What the gateway has never reported is null. */
import { z } from '@hono/zod-openapi';
import { UPDATE_PHASES, type UpdateReport } from '../../../shared/releases.js';
import { compareVersions } from '../../../shared/version-order.js';
import { datetime, flag, flagOf, id, isoOrNull, orNull } from '../../rest/http/answer-schemas.js';
import { decideWantedReleases, type RingedRelease } from './decide-wanted-releases.js';
import type { GatewayUpdateWishes } from './release-queries.js';

export const gatewayUpdateSchema = z
  .strictObject({
    gateway_id: id,
    is_paused: flag,
    asked_at: datetime.nullable(),
    update_hours: z.string().nullable(),
    can_install: orNull(flag),
    machine: z.string().nullable(),
    installed: z.string().nullable(),
    slot: z.string().nullable(),
    wanted: z.strictObject({ version: z.string(), notes: z.string() }).nullable(),
    phase: z.enum(UPDATE_PHASES).nullable(),
    version: z.string().nullable(),
    progress: z.number().int().nullable(),
    waits_for: z.string().nullable(),
    error: z.string().nullable(),
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
