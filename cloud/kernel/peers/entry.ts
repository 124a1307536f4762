/** The door to the other processes on the same database. */
export { partOfGateway } from './gateway-parts.js';
export { measureMembership } from './membership-metrics.js';
export { joinProcesses } from './membership.js';
export { allProcesses } from './peer-queries.js';
export type { PeerTalk } from './peer-talk.js';
