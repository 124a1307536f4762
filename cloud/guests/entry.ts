/** What the other wings use of guests: members, alerts, guest keys and weblinks. */
export { type AlertedReading, mailAlerts } from './alert/alert-mails.js';
export { ALERT_LIST } from './alert/alert-resource.js';
export { sendDeclaredKeys } from './guest-key/declared-keys.js';
export { KEY_LOG_LIST } from './guest-key/key-log-routes.js';
export { alignWeblinks, lockKeysOfAccounts } from './guest-key/key-queries.js';
export { END_OF_MEMBER, memberIsIn, memberLasts } from './member/member-queries.js';
export { MEMBER_LIST } from './member/member-resource.js';
export { generateWeblink } from './weblink/weblink-tokens.js';
