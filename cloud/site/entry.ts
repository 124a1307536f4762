/** What the other wings use of the site: accounts, users and tokens, lots, zones, plans, and mails with their texts. */
export { findUserByEmail, lotsOfAccount } from './account/account-user-queries.js';
export { ownPasswordFault } from './account/account-user-resource.js';
export { findAccountForToken, insertApiToken } from './api-token/api-token-queries.js';
export { apiTokenNameValue } from './api-token/api-token-fields.js';
export { CALLER_TABLES, findCallerOfUser, findCallersOfTokens, nameOfCaller } from './api-token/caller-queries.js';
export { facesOf, shownNameOf } from './face/face-queries.js';
export { productHeldBy } from './lot/in-use-queries.js';
export { placeOfLot } from './lot/lot-payload.js';
export {
  findLotRelease,
  findLotScope,
  lotIdsOfAccount,
  saveReleaseOrder,
  timezoneOfLot,
  timezonesOfLots,
} from './lot/lot-queries.js';
export { PRODUCTS_PER_MAIL_MAX } from './mail/mail-content.js';
export { MAIL_STATES, representMail } from './mail/mail-payload.js';
export { dropMail, newestMails, retryMail, unsentMailIds, waitingMailIds } from './mail/mail-queries.js';
export { type Mail, type MailState, mailStates, type NewMail, queueMails } from './mail/mail-queue-queries.js';
export { withdrawKeyMails } from './mail/mail-withdrawal-queries.js';
export { DRIFT_AFTER_MS, occupiedCountOf, type ZoneCounts } from './zone/decide-drift.js';
export {
  countsOfLot,
  countsOfZones,
  findZone,
  occupiedCountsOfZones,
  sensorCountsOfLot,
} from './zone/occupancy-queries.js';
export { type ExportColumns, linesOf, localTimeOf, timezoneOfRow, utcOffsetOf } from './zone/export-columns.js';
export { namesIn, readExportNames } from './zone/export-names-queries.js';
export { lastRecountsOfLot, recountsOfZone } from './zone/recount-queries.js';
export { lotsOfZones } from './zone/zone-queries.js';
export { ZONE_LIST } from './zone/zone-resource.js';
