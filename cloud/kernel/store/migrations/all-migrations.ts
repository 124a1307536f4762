import type { Migration } from 'kysely';
import { up as first } from './0001-first.js';
import { up as commandsAndPlaces } from './0002-commands-and-places.js';
import { up as autocloseSetting } from './0003-autoclose-setting.js';
import { up as records } from './0004-records.js';
import { up as sessionPayments } from './0005-session-payments.js';
import { up as webhooks } from './0006-webhooks.js';
import { up as weblinkEvents } from './0007-weblink-events.js';
import { up as sessionIndices } from './0008-session-indices.js';
import { up as pendingPairings } from './0009-pending-pairings.js';
import { up as refinements } from './0010-refinements.js';
import { up as cameraProblem } from './0011-camera-problem.js';
import { up as journalHeads } from './0012-journal-heads.js';
import { up as earlyRecords } from './0013-early-records.js';
import { up as deletedThings } from './0014-deleted-things.js';
import { up as lateRecords } from './0015-late-records.js';
import { up as apiTokenScopes } from './0016-api-token-scopes.js';
import { up as webhookSecrets } from './0017-webhook-secrets.js';
import { up as tariffVersions } from './0018-tariff-versions.js';
import { up as historyOfDeletedThings } from './0019-history-of-deleted-things.js';
import { up as changedAtIndices } from './0020-changed-at-indices.js';
import { up as repeatedVersions } from './0021-repeated-versions.js';
import { up as clockRecords } from './0022-clock-records.js';
import { up as readingIndices } from './0023-reading-indices.js';
import { up as webhookLots } from './0024-webhook-lots.js';
import { up as lotsAndAccounts } from './0025-lots-and-accounts.js';
import { up as endsOfUserTokens } from './0026-ends-of-user-tokens.js';
import { up as signInHistory } from './0027-sign-in-history.js';
import { up as newestFaults } from './0028-newest-faults.js';
import { up as claimedCodes } from './0029-claimed-codes.js';
import { up as cloudProcesses } from './0030-cloud-processes.js';
import { up as whatProcessesShare } from './0031-what-processes-share.js';
import { up as vehicleIndex } from './0032-vehicle-index.js';
import { up as serverKeyCheck } from './0033-server-key-check.js';
import { up as tokenDenials } from './0034-token-denials.js';
import { up as keyInvitations } from './0035-key-invitations.js';
import { up as alertMails } from './0036-alert-mails.js';
import { up as mails } from './0037-mails.js';
import { up as productSignals } from './0038-product-signals.js';
import { up as gatewayHealth } from './0039-gateway-health.js';
import { up as slotRevocations } from './0040-slot-revocations.js';
import { up as sensorMappings } from './0041-sensor-mappings.js';
import { up as zoneRecounts } from './0042-zone-recounts.js';
import { up as occupancyHistory } from './0043-occupancy-history.js';
import { up as displaysShown } from './0044-displays-shown.js';
import { up as receiverLocales } from './0045-receiver-locales.js';
import { up as decisionTraces } from './0046-decision-traces.js';
import { up as cameraConfidence } from './0047-camera-confidence.js';
import { up as cameraDays } from './0048-camera-days.js';
import { up as cameraMapping } from './0049-camera-mapping.js';
import { up as gatewayRecoveries } from './0050-gateway-recoveries.js';
import { up as imageRetention } from './0051-image-retention.js';
import { up as lotPlans } from './0052-lot-plans.js';
import { up as maskedPlates } from './0053-masked-plates.js';
import { up as toldRefusals } from './0054-told-refusals.js';
import { up as heardPlaces } from './0055-heard-places.js';
import { up as timeSources } from './0056-time-sources.js';
import { up as gatewayStores } from './0057-gateway-stores.js';
import { up as plateDigits } from './0058-plate-digits.js';
import { up as unhandledMessages } from './0059-unhandled-messages.js';
import { up as lotReleases } from './0060-lot-releases.js';
import { up as occupancyDifferences } from './0061-occupancy-differences.js';
import { up as neighbourIndices } from './0062-neighbour-indices.js';
import { up as pushWithoutKey } from './0063-push-without-key.js';
import { up as machineTables } from './0064-machine-tables.js';
import { up as devicePasswords } from './0066-device-passwords.js';
import { up as releaseChanges } from './0067-release-changes.js';
import { auditChain } from './0065-audit-chain.js';
import { up as gatewayDoctors } from './0068-gateway-doctors.js';
import { up as retiredDevices } from './0069-retired-devices.js';
import { up as releases } from './0070-releases.js';
import { up as deliveryColumns } from './0071-delivery-columns.js';
import type { DeriveKey } from '../cloud-store.js';

/**
 * The migrations in the order of their names; each has its own number. A released migration is never changed: a new one changes what it
 * created.
 */
export const MIGRATIONS: Record<string, Migration> = {
  '0001-first': { up: first },
  '0002-commands-and-places': { up: commandsAndPlaces },
  '0003-autoclose-setting': { up: autocloseSetting },
  '0004-records': { up: records },
  '0005-session-payments': { up: sessionPayments },
  '0006-webhooks': { up: webhooks },
  '0007-weblink-events': { up: weblinkEvents },
  '0008-session-indices': { up: sessionIndices },
  '0009-pending-pairings': { up: pendingPairings },
  '0010-refinements': { up: refinements },
  '0011-camera-problem': { up: cameraProblem },
  '0012-journal-heads': { up: journalHeads },
  '0013-early-records': { up: earlyRecords },
  '0014-deleted-things': { up: deletedThings },
  '0015-late-records': { up: lateRecords },
  '0016-api-token-scopes': { up: apiTokenScopes },
  '0017-webhook-secrets': { up: webhookSecrets },
  '0018-tariff-versions': { up: tariffVersions },
  '0019-history-of-deleted-things': { up: historyOfDeletedThings },
  '0020-changed-at-indices': { up: changedAtIndices },
  '0021-repeated-versions': { up: repeatedVersions },
  '0022-clock-records': { up: clockRecords },
  '0023-reading-indices': { up: readingIndices },
  '0024-webhook-lots': { up: webhookLots },
  '0025-lots-and-accounts': { up: lotsAndAccounts },
  '0026-ends-of-user-tokens': { up: endsOfUserTokens },
  '0027-sign-in-history': { up: signInHistory },
  '0028-newest-faults': { up: newestFaults },
  '0029-claimed-codes': { up: claimedCodes },
  '0030-cloud-processes': { up: cloudProcesses },
  '0031-what-processes-share': { up: whatProcessesShare },
  '0032-vehicle-index': { up: vehicleIndex },
  '0033-server-key-check': { up: serverKeyCheck },
  '0034-token-denials': { up: tokenDenials },
  '0035-key-invitations': { up: keyInvitations },
  '0036-alert-mails': { up: alertMails },
  '0037-mails': { up: mails },
  '0038-product-signals': { up: productSignals },
  '0039-gateway-health': { up: gatewayHealth },
  '0040-slot-revocations': { up: slotRevocations },
  '0041-sensor-mappings': { up: sensorMappings },
  '0042-zone-recounts': { up: zoneRecounts },
  '0043-occupancy-history': { up: occupancyHistory },
  '0044-displays-shown': { up: displaysShown },
  '0045-receiver-locales': { up: receiverLocales },
  '0046-decision-traces': { up: decisionTraces },
  '0047-camera-confidence': { up: cameraConfidence },
  '0048-camera-days': { up: cameraDays },
  '0049-camera-mapping': { up: cameraMapping },
  '0050-gateway-recoveries': { up: gatewayRecoveries },
  '0051-image-retention': { up: imageRetention },
  '0052-lot-plans': { up: lotPlans },
  '0053-masked-plates': { up: maskedPlates },
  '0054-told-refusals': { up: toldRefusals },
  '0055-heard-places': { up: heardPlaces },
  '0056-time-sources': { up: timeSources },
  '0057-gateway-stores': { up: gatewayStores },
  '0058-plate-digits': { up: plateDigits },
  '0059-unhandled-messages': { up: unhandledMessages },
  '0060-lot-releases': { up: lotReleases },
  '0061-occupancy-differences': { up: occupancyDifferences },
  '0062-neighbour-indices': { up: neighbourIndices },
  '0063-push-without-key': { up: pushWithoutKey },
  '0064-machine-tables': { up: machineTables },
  '0065-audit-chain': { up: (db) => auditChain(db, undefined) },
  '0066-device-passwords': { up: devicePasswords },
  '0067-release-changes': { up: releaseChanges },
  '0068-gateway-doctors': { up: gatewayDoctors },
  '0069-retired-devices': { up: retiredDevices },
  '0070-releases': { up: releases },
  '0071-delivery-columns': { up: deliveryColumns },
};

/** The same with the server's key: one of them has to chain what there is. */
export const migrationsWith = (derive: DeriveKey | undefined): typeof MIGRATIONS => ({
  ...MIGRATIONS,
  '0065-audit-chain': { up: (db) => auditChain(db, derive) },
});

/** Names from earlier versions, whose numbers were not unique. Databases in the field know these migrations by them. */
export const RENAMED_MIGRATIONS: Readonly<Record<string, string>> = {
  '0003-records': '0004-records',
  '0003-session-payments': '0005-session-payments',
  '0004-webhooks': '0006-webhooks',
  '0004-weblink-events': '0007-weblink-events',
  '0005-session-indices': '0008-session-indices',
  '0006-pending-pairings': '0009-pending-pairings',
  '0006-refinements': '0010-refinements',
  '0007-camera-problem': '0011-camera-problem',
};
