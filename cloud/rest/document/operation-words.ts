/** What each operation does and when it fails, beside its summary and the errors that every endpoint of its kind has. */

/** By the operation's name; those of a list and of the common four of a resource follow from their kind. */
export const OPERATION_WORDS: Readonly<Record<string, string>> = {
  getPlateReadingExplanation:
    'Shows the rules as the gateway asked them, with the facts that each saw, and what would have been decided if one fact had been another, which the same code is asked. Of a reading of an older gateway only the decision is known.',
  getLotWouldAdmit:
    'Asks the code that gateways decide by, with what this service knows of that time: sessions, members, keys, earlier reads. Of what sensors counted it knows the present only; earlier than now a zone is as full as its sessions say. The direction is that of the position of the camera. 422 when the camera is not in the lot.',
  listLotPlateCollisions:
    'Of the plates of members, bound licenses and keys of the lot. The first 100000 pairs are found.',
  revealPlateReading:
    'The plate is in the record as ever: a console that masks plates (`mask_plates` of the account) asks before it shows one, so that the audit log has who asked for which.',
  revealSession: 'As of a plate reading, for all plates and pictures of the session.',
  revealMember: 'As of a plate reading, for the plate of the member.',
  revealLicensePlateAlert: 'As of a plate reading, for all plates of the alert.',
  revealKeyLog: 'As of a plate reading, for the plate that is let through by the key.',
  revealLot: 'As of a plate reading, for everything in the lot at once: the list of an emergency.',
  updateAccount: 'Another right than that to plates: who may see a record may ask for its plate.',
  resetGateway:
    'Broker and products refuse the device from then on. It erases itself when it next comes, also weeks later; the gateway waits for a device and a new claim code. 422 on `confirm` for another text than the name of the gateway.',
  getGatewayDoctor: 'The last report, of whoever asked for it; null before the first one.',
  doctorGateway:
    'The report comes within seconds, and is then the last one. 403 code 704 when the gateway is not connected; 429 when it was asked within the last minute.',
  getGatewayCameraSearch:
    'The last answer. A camera of the lot is known again by the host of its address, or by its serial number as its identifier. null before the first search.',
  searchCameras:
    'Asks by WS-Discovery, SADP and DHIP; no camera is changed. The answer comes within ten seconds, and is then the last one. 403 code 704 when the gateway is not connected; 429 when the same was asked within the last ten seconds and is not answered yet.',
  getGatewayProductSearch: 'The last answer; null before the first search.',
  searchProducts:
    'Listens for six seconds to everything that calls itself a product, also to what belongs to nobody yet. Asked and answered as a search for cameras.',
  getLprCameraSetup: 'The last answer, of any mode; null before the first.',
  setUpLprCamera:
    'Reads the settings of the camera, and says what would be changed so that it works with its gateway; `apply` changes it and looks again, `undo` writes back the settings from before the first setup, which the gateway keeps. It takes up to a minute. Neither keys nor passwords are in the answer. 403 code 704 when the gateway is not connected, or the camera has none; 429 when the same was asked within the last ten seconds and is not answered yet.',
  getLprCameraProbe: 'The last answer; null before the first.',
  probeLprCamera:
    'Asks the camera whether it is there, and finds by which address it reaches its gateway. Asked and answered as a setup.',
  showLprCameraPushAddress:
    'For who types it into the web page of the camera. The key is a secret: whoever has it can send reads in the name of the camera; the audit log has who asked. It changes nothing.',
  getRgbDisplayTest: 'Whether the display accepted the last test text; null before the first.',
  testRgbDisplay:
    'The text stands on the display for ten seconds, and is then replaced by what the gateway counts. Asked and answered as the setup of a camera.',
  getParkingGatewaySensors: 'The last answer; null before the first.',
  askParkingGatewaySensors:
    'What the gateway last heard of each sensor, for installers. Asked and answered as the setup of a camera.',
  getLotPlan:
    'Where people arranged the things of the lot, in units of the drawing, from 0 to 10000. Nothing that nobody arranged is in it: a console puts that where it fits. What was deleted is left out.',
  setLotPlan:
    'The whole arrangement, at most 5000 things: it replaces the one before, and an empty one gives all of it back to the console. 422 on `items.3.id` for a thing that is not in the lot, or stands in the list twice.',
  listOpenings:
    'Of commands, of admissions by cameras, and of what was done at gateways; an opening is there when it has ended, and is kept for 366 days. A guest whose phone opens a product over Bluetooth asks no gateway, and is not in it; neither is what a product does by itself.',
  getLprCameraHealth:
    'By the time zone of the camera; days are kept for 400 days, and one on which nothing was seen has zeros. Time counts as offline while the gateway of the camera reports, and cannot reach it.',
  recountZone:
    'The count goes on from what somebody counted as sessions begin and end. Of too many open sessions the oldest count no more; vehicles without a session count for `occupancy_max_hours`. What sensors say stays.',
  getZoneOccupancy:
    'Of its sensors where the zone has some, else of its sessions. Periods are cut in the time zone of the lot, and the last one ends now. It is kept for 366 days; what arrives late counts at its own time.',
  getParkingPlaceOccupancy:
    'Periods are cut in the time zone of the lot, and the last one ends now. It is kept for 366 days; what arrives late counts at its own time.',
  previewRgbDisplay: 'Decides as the gateway does, with the present count where none is given. Nothing is stored.',
  getRgbDisplayShown: 'What the display last took from its gateway, which sends each text again every minute.',
  getHealth: 'Answers as long as the process runs. It looks at nothing else: ask for readiness before sending work.',
  getReadiness: 'Asks the database and the broker. 503 names what does not work.',
  getMetrics: 'The text format of Prometheus. Others than this machine are answered 404 unless METRICS_PUBLIC is true.',
  getReferencePage: 'A page without anything from elsewhere, which shows `/openapi.json`.',
  getOpenApiDocument: 'Built from the schemas that check requests and answers.',
  getAsyncApiDocument: 'Built from the schemas that check every event before it is kept.',
  logIn:
    "Gives a user token, and deletes the user's other tokens of the same type, unless it names its `device`: then only the oldest beyond ten ends. It is sent as `Authorization: Bearer` from then on. It ends when nobody uses it for 30 days (`USER_TOKEN_DAYS`). 403 code 8 for a wrong email or password, code 9 for an email that is not confirmed; 429 after too many failures.",
  logOut:
    'The user token that asks is refused from now on, and the realtime connections that it opened are closed with 4401. An API token is revoked by a Super Admin instead: 403.',
  requestPasswordReset:
    'Sends a link to each user who has this email, one for each account. The answer is the same, and comes in the same time, whether anybody has it. A user gets three mails an hour at most; 429 when the same address asks for the same email more often than sign-ins may fail.',
  resetPassword:
    'The token of the link authorizes it. It works for an hour, once, and no more when the password or the email was changed. All tokens of the user end. 422 on `token` for one that does not work, on `password` for one that is too easy to guess.',
  setAccountLogo:
    'Whatever picture comes in, a PNG of at most 512 pixels and 64 KiB is made of it, without anything else that the picture says. Of a picture that moves the first page is used. 422 on `image` for another format, for one that cannot be read, and for more than 4096 pixels on a side.',
  removeAccountLogo: 'Its address names nothing from then on.',
  listSignIns:
    'The user tokens of whoever asks, the newest first. Each is a device, a browser or a program where the person signed in.',
  endSignIn: 'The token is refused from now on, and the realtime connections that it opened are closed with 4401.',
  endOtherSignIns: "Ends the user's tokens, but for the one that asks.",
  createApiToken:
    'The token is for a program: it acts for the account, over REST and realtime, and may no more than its `role` and `lot_ids` say, until `expires_at`. Only people create one.',
  deleteApiToken: 'The token is refused from now on, and the realtime connections that it opened are closed with 4401.',
  updateProfile:
    "Changes what is named in the body. A new password needs the present one as `old_password`, and ends the user's other tokens.",
  updateAccountUser:
    'Changes what is named in the body and leaves the rest. A new password ends the tokens of the user; the own one needs the present one as `old_password`. Wrong values are 422, with one error for each field, all at once.',
  deleteAccountUser: 'The user cannot sign in any more, and its tokens are refused from now on.',
  getAuditHead:
    'The service writes the same into its own log every hour. Whoever keeps it elsewhere notices by `parking-cloud audit verify --entries N --head HASH` when the log was cut off or written anew.',
  listAuditEntries:
    'Every request that may change something has an entry, and so have exports, sign-ins, and reads that name a person or a plate. Those of no one lot are for Super Admins alone.',
  listEvents:
    'The same events that realtime connections get, for whoever missed them: ask again with the last `id` until the answer is empty. 422 on `since` for a cursor that is unknown or older than the journal.',
  createWebhook:
    'From now on every event of the account is posted to the address, signed as Standard Webhooks has it. Keep the secret: it is not shown again.',
  testWebhook:
    'The sample has the form of the event and is signed like any other. It is sent once, whatever events the webhook has chosen, and stands among the deliveries.',
  rotateWebhookSecret:
    'Deliveries are signed with both secrets for 24 hours, then with the new one alone. Keep it: it is not shown again.',
  redeliverWebhookDelivery:
    'The event is sent once more, with the `webhook-id` that it had, so that a receiver knows it again.',
  getImage:
    'The link is signed and ends after 15 minutes: it needs no bearer. 404 for a link that was changed or has ended, and with `Retry-After` for a picture that is still on its way.',
  createGateway: 'The claim code in the answer works once, for 15 minutes: give it to the device.',
  claimGateway:
    'Called by the device itself; the code authorizes it. 404 for a code that is wrong, used or has ended. The same device is answered the same within the 15 minutes of the code.',
  renewGatewayClaimCode:
    'The new code works once, for 15 minutes. Until it is used, the device that has the gateway works on.',
  getGatewayConsolePassword:
    'People sign in with it at the local console of the gateway, also without a network. Each time it is shown, the audit log has an entry. Null for a gateway that has none: make one.',
  renewGatewayConsolePassword:
    'The old password ends when the gateway has heard of it, at once while it is connected, and with it the sessions at its local console. Null for a repeated answer.',
  deleteGateway: 'The device is cut off, and products are told to refuse it as they are next heard.',
  registerTerminal:
    'The terminal is asked over MQTT, and has to confirm with its signature: waits for its answer. 503 code 40 when there is none, or none that is signed by its key; nothing is stored then.',
  createProductBoundLicense: 'A bound plate is let pass at this product, whatever groups and tariffs say.',
  deleteProductBoundLicense: 'The plate is no longer let pass because of the binding.',
  addGroupMember: 'Putting a member into a group twice changes nothing. Answers the group.',
  removeGroupMember: 'The member itself stays. Answers the group.',
  deleteLicensePlateAlertReceiver: 'The receiver is no longer notified of the alert.',
  retryMail:
    'The mail is tried now, and for two days from now on, with the `Message-ID` that it had. 422 on `status` for a mail that was sent.',
  createWeblink:
    'Whoever has the link can do with the product what `operations` says, without signing in. Keep the address: it is not shown again.',
  getWeblinkQrSvg:
    'The picture holds the address of the link with its token: who sees it can use the link. The audit log says who asked.',
  getWeblinkQrPng:
    'The picture holds the address of the link with its token: who sees it can use the link. The audit log says who asked.',
  deleteWeblink: 'The link is refused from now on; afterwards it is 404.',
  createKeyLog:
    'Makes the token and its key log. A key for an email address is mailed with a link, a key for a licence plate is let pass by the cameras of the product, and one for a telephone number is neither: hand its credentials over yourself.',
  updateKeyLog:
    'A status decides that of the token: `active` and `reactived` make it active with other credentials, 422 on `status` when its window is over or it is invalid; all others end it. The product refuses the old credentials as soon as a gateway has told it: `GET /v2/operation-tokens/{id}/delivery` shows whether it knows. `deleted` is final.',
  updateMembers:
    'As the change of a single one, for each of at most 1,000 ids, and answers in their order which of them were changed, and why another one was not. `add_group_ids` and `remove_group_ids` leave the other groups as they are; 422 for all when one of these is not yours.',
  deleteMembers:
    'As the deletion of a single one, for each of at most 1,000 ids. Answers as the change of several does.',
  createMemberImport:
    'Judges at most 10,000 lines at once, 422 names what is wrong with each, and answers when they are stored; the service then writes them by itself, one after the other, each as the POST or PATCH of one member. Who began it may sign out. 422 on `lines` while another import of the account has not ended. It is kept for 30 days.',
  cancelMemberImport: 'What was written stays, the other lines are left out. 422 when it has ended.',
  listMemberImportLines: 'What became of each line, and why one was refused.',
  updateKeyLogs:
    'As the change of a single one, for each id, and answers in their order which of them were changed. Ids that are not there, and changes that are refused, are `success` false.',
  deleteKeyLog:
    'The key and its link are refused from now on, and by the product as soon as a gateway has told it. Afterwards it is 404.',
  resendKeyLogs: 'Queues the mail of each key again, with the link that it had. Answers in the order of the ids.',
  resendKeyInvitations: 'Takes the ids of key logs, and does the same as `POST /v2/key-logs/resend`.',
  listKeyReceivers: 'The people to whom the account has mailed keys, each once.',
  createOperationKeys:
    'Makes a key for each product and receiver, at most 1,000 at once, all or none, and mails the receivers a link for each product. With a bearer it is for Super Admins and Admins. Without one it works only for products whose account has switched public key requests on, else 401: the keys end after 24 hours at the latest, their links only open, and there are at most 20 at once.',
  getOperationTokenDelivery:
    'A product works offline, so that it has to be told that a token was blocked. `pending` until it has confirmed it to a gateway.',
  operateByWeblink:
    'Waits until the product has answered. 404 for a link that is wrong, has ended or was revoked; 503 code 40 when the product did not answer in time; 429 when it is asked too often.',
  getWeblinkStatus:
    'Shows also what became of the last operation of the link. Read by its page, again and again. 404 for a link that is wrong, has ended or was revoked.',
  updatePlateReading:
    'What the camera read stays in `original_plate`. It sends no event. The session that the reading began is found and ended by the corrected plate from now on. 422 on `plate` when that plate has another open session in the lot. A correction settles a refused exit, unless the plate has an open session, which has to be ended.',
  updateSighting:
    'Nobody waits for it any more, in any console and at any gateway of the lot, which show who passed it over. Null has it wait again. A vehicle that was let in stays so.',
  listSightings:
    'Vehicles that no reading tells of, as no plate could be read. They are kept for 24 hours, with their picture.',
  operateProduct:
    'Answers at once, before the product has moved. What came of it follows as `lot_change` or `gateway_error` with the `event_id`, and stands at `GET /v2/commands/{event_id}`. 403 code 214 while an earlier command is not finished, code 704 when no gateway heard the product lately, code 30 without a subscription. Of a barrier, `open` is passable and `close` is blocking.',
  changeProductSettings:
    'Sets at least one of them; which ones there are depends on the kind of product. Answered and finished like an operation.',
  pairProduct:
    'The secret on the label proves that the product is meant. All credentials that were made before are refused by it afterwards. Answered and finished like an operation.',
  getCommand: 'A command always ends: `status` is `pending` until then. A lost event is never a lost result.',
  pauseGatewayUpdates:
    'While it is paused the gateway begins no update, and activates none that it has installed. What it proves already goes on.',
  updateGatewayNow:
    'It does not wait for the hours of its lot, tries again what failed or fell back, and is paused no more. It still waits until nothing moves and nobody waits.',
  listReleases:
    'The operator of the service publishes releases and says which part of the gateways has them. One that is rolled out to other accounts alone is not listed.',
  listReleaseGateways:
    'Gateways for which the release is not, by the kind of their device, are left out. What a gateway says of its update is as old as its last report.',
  pauseRelease:
    'Pauses each of these gateways as `PATCH /v2/gateways/{id}/update` does, in one change; gateways that have the release keep it. Gateways that the roll-out has not come to are not paused.',
  resumeRelease:
    'Also of gateways that were paused one by one. A release that the operator of the service paused stays paused.',
  getReleaseBundle:
    'For the gateway whose configuration names this address; `Range` fetches a part of it. 404 for a key that is not that of the gateway.',
  releaseLot:
    'Gives each product of the lot the command to open; with `hold` 1 it stays open until the release is cleared. It checks nothing beforehand and waits for no earlier command; the command of a product that no gateway hears fails.',
  clearLotRelease: 'Gives each product of the lot that is held open the command to end it.',
  getSessionAnalytics:
    'Filters as the list of sessions has them. Periods without sessions are there, with zeros; at most 10,000 of them.',
  getVehicleAnalytics:
    'One row for each plate. Filters as the list of sessions has them; kind, make, model and colour are of the newest reading.',
  exportSessions: 'Sent while it is read, so that it may be large. Filters as the list of sessions has them.',
  exportPlateReadings:
    'Sent while it is read, so that it may be large. Filters as the list of readings has them; plates are whole, and the audit log has an entry of each file.',
  exportOpenings: 'Sent while it is read, so that it may be large. Filters as the list of openings has them.',
  countOpenings:
    'Filters as the list of openings has them. Hours one by one go over 31 days at most, the hours of the day over 366; 422 on `from` for more, and where there would be more than 20000 counts.',
  exportVehicleAnalytics: 'Sent while it is read, so that it may be large. Filters as the list of sessions has them.',
  createSession:
    'For vehicles that no camera saw. 422 on `entry_license_plate` when the plate has an open session in the lot.',
  updateSession: 'Of an open session only: 422 on `ended_at` for another one.',
  closeSession: 'Ends it at `ended_at`, or now. Closing it twice changes nothing.',
  createSessionPayment:
    'Adds to what was paid, in the currency of the session. 422 on `amount` when no tariff applies: there is no currency then.',
  getTariffQuote:
    "From `start` to `end`, at most 100 years. Windows are meant in the time zone of the zone's lot. Nothing is stored.",
};

const LISTED =
  'One page of what the caller may see. `filter` narrows it down, `sort` puts it in order; `meta` says how many pages there are.';
const FETCHED = 'Answers 404 when there is none, or when the caller may not see it: the two are not told apart.';
const CREATED = 'Answers it with its id. Wrong values are 422, with one error for each field, all at once.';
const CHANGED =
  'Changes what is named in the body and leaves the rest. Wrong values are 422, with one error for each field, all at once.';
const DELETED = 'Answers it as it was. 404 when there is none, or the caller may not see it.';

const KINDS: readonly (readonly [RegExp, string])[] = [
  [/^list[A-Z]/, LISTED],
  [/^get[A-Z]/, FETCHED],
  [/^create[A-Z]/, CREATED],
  [/^update[A-Z]/, CHANGED],
  [/^delete[A-Z]/, DELETED],
];

/** @returns undefined for an operation of no kind that the table does not have either */
export function wordsOfOperation(operationId: string): string | undefined {
  if (Object.hasOwn(OPERATION_WORDS, operationId)) return OPERATION_WORDS[operationId];
  return KINDS.find(([pattern]) => pattern.test(operationId))?.[1];
}
