/** `/v2/gateways/standing`: a device asks whether it still is the gateway that it was claimed as. The answer is signed (`cloud-key.ts`). */
import { addressNetwork } from '../../../shared/address-seats.js';
import type { Clock } from '../../../shared/clock.js';
import {
  type Standing,
  standingAnswerSchema,
  standingAnswerText,
  type StandingQuestion,
  standingQuestionSchema,
  standingQuestionText,
} from '../../../shared/gateway-standing.js';
import type { Logger } from '../../../shared/logger.js';
import type { Change, CloudStore, Tx } from '../../kernel/store/entry.js';
import type { FailureLimiter } from '../../kernel/limit/entry.js';
import { noteAudit } from '../../kernel/audit/entry.js';
import type { Secrets } from '../../kernel/secrets/entry.js';
import { type Endpoint, publicEndpoint, type ResourceDeps } from '../../rest/entry.js';
import { cloudKeyOf } from './cloud-key.js';
import { findGatewayByDevice } from './gateway-queries.js';
import { resetGateway } from './replace-device.js';
import { requireSigned } from './require-signed.js';
import { findRetired, saveRetiredNotice } from './retired-device-queries.js';

export interface StandingDeps extends Pick<ResourceDeps, 'configChanged' | 'services'> {
  store: Pick<CloudStore, 'reader'>;
  secrets: Pick<Secrets, 'derive'>;
  clock: Clock;
  logger: Logger;
}

/** @param refusals counts questions that nobody could have asked, per address */
export function gatewayStandingEndpoint(deps: StandingDeps, refusals: FailureLimiter): Endpoint {
  const key = cloudKeyOf(deps.secrets);
  const endpoint = publicEndpoint({
    method: 'post',
    path: '/v2/gateways/standing',
    summary: 'Whether a device still is its gateway',
    tag: 'Gateways',
    body: standingQuestionSchema,
    answer: standingAnswerSchema,
    repeats: 'by itself',
    auditValues: ['uuid', 'waiting', 'leaves'],
    refusals,
    handle({ body, address, change }) {
      return refusals.attempt({ owner: addressNetwork(address) }, async () => {
        requireSigned(body, { text: standingQuestionText(body), what: 'the question' });
        const standing = await standingOf(deps, body, change);
        return { standing, signature: key.sign(standingAnswerText(body, standing)) };
      });
    },
  });
  return { ...endpoint, isInternal: true };
}

async function standingOf(deps: StandingDeps, asked: StandingQuestion, change: Change): Promise<Standing> {
  const present = await findGatewayByDevice(deps.store.reader, asked);
  if (present !== undefined && !asked.leaves) return 'current';
  if (present === undefined) {
    const retired = await findRetired(deps.store.reader, asked);
    if (retired === undefined) return 'unknown';
    // It is told as often as it asks, and the audit log has that once.
    if (retired.told_at !== null) return retired.why;
  }
  return change((tx) => answerEnd(deps, tx, asked));
}

async function answerEnd(deps: StandingDeps, tx: Tx, asked: StandingQuestion): Promise<Standing> {
  const now = deps.clock.now();
  const { uuid, waiting } = asked;
  const present = await findGatewayByDevice(tx, asked);
  if (present !== undefined) {
    if (!asked.leaves) return 'current';
    await resetGateway(tx, present, now);
    tx.onCommit(async () => {
      deps.configChanged({ lot_id: present.lot_id });
      await deps.services.cutOffGateway({ id: present.id, uuid });
    });
  }
  const retired = await findRetired(tx, asked);
  if (retired === undefined) return 'unknown';
  const { id, account_id, lot_id, gateway_id, why, told_at } = retired;
  if (told_at === null) {
    await saveRetiredNotice(tx, { id, told_at: now, waiting });
    noteAudit(tx, { account_id, lot_id, target: `gateway ${gateway_id}`, details: { why, waiting } });
    deps.logger.info({ uuid, gateway_id, why, waiting }, 'a device was told that it is the gateway no more');
  }
  return why;
}
