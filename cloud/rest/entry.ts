/** What the other wings use to make endpoints: resources, lists, the document, envelope and checks. */
export { describedSchema } from './document/describe-schema.js';
export {
  EXPORT_PIECE_ROWS,
  type ExportAsked,
  type ExportEndpoint,
  exportOf,
  type LineOf,
} from './endpoints/export-endpoint.js';
export { filterQuery, listEndpoint, listQuery, pageQuery } from './endpoints/list-endpoint.js';
export {
  checkIds,
  MANAGERS,
  readEndpoints,
  referencesOf,
  refusingConflicts,
  type ResourceDeps,
  resourceEndpoints,
} from './endpoints/resource-endpoints.js';
export { isRestResource, type RestResource } from './endpoints/rest-resource.js';
export { insertResource, requireOwner, updateResource } from './endpoints/resource-writes.js';
export {
  datetime,
  flag,
  flagOf,
  givenFlag,
  id,
  iso,
  isoOrNull,
  named,
  orNull,
  successSchema,
  times,
} from './field/answer-schemas.js';
export { answerError } from './server/answer-socket.js';
export type { AddressOf } from './server/client-address.js';
export { BODY_BYTES } from './request/body.js';
export { countRefusal } from './request/bad-requests.js';
export { type Endpoint, openEndpoint, protectedEndpoint, publicEndpoint, sendingEndpoint } from './request/endpoint.js';
export { knownError, listResponse, successPieces, successResponse } from './request/envelope.js';
export type { HttpEnv } from './request/http-env.js';
export { isDate, isoTime, type MomentOrDate, parseTime } from './field/iso-time-codec.js';
export { jsonItems } from './request/long-work.js';
export {
  addHeader,
  createSharedText,
  reply,
  replyJson,
  replyShared,
  replyText,
  type SharedText,
} from './request/reply.js';
export { visibleTo } from './request/require-caller.js';
export { documentRoute, errorResponses, OVERLOAD } from './request/route-description.js';
export { idParameter, momentParameter, timeParameter, timeText } from './request/parameters.js';
export { type FieldError, parseBody } from './request/validation.js';
export type { Condition, FilterValue } from './list/filter-parser.js';
export {
  anyField,
  type FilterField,
  NEVER,
  caseField,
  choiceField,
  codeField,
  integerField,
  momentField,
  personField,
  personIdField,
  plateField,
  searchField,
  textField,
  timeField,
  type Where,
} from './list/list-fields.js';
export { listMeta } from './list/list-meta-payload.js';
export { beginOf, endOf, hasDates, inLocalDays, knownLots, timezoneAsked } from './list/local-day-queries.js';
export {
  type AnyQuery,
  type ListRequest,
  type ListTable,
  lotOfRow,
  matchingRows,
  readPieces,
  visibleIds,
  visibleRow,
  writableIds,
  writableRow,
} from './list/list-table.js';
export { listTable } from './list/listed-fields.js';
export { auditAction, auditTarget, type AuditVerb } from './resource/audit-word.js';
export { changeBody, mapping, newBody, valuesOfBody } from './resource/bodies.js';
export { plainColumns, problemsOf, referenceColumns, secretsOf, valuesOfRow } from './resource/columns.js';
export type { ConfigChanged } from './resource/config-changed.js';
export type { Deciding, Deletion, Gone, Hold } from './resource/deletion.js';
export { type AnswerOf, representationOf, type TableOf } from './field/answer.js';
export {
  accountField,
  always,
  type Columns,
  type ColumnValue,
  computed,
  type Field,
  type Fields,
  flagField,
  identity,
  inFile,
  inFileAndAnswers,
  inner,
  inRest,
  jsonColumn,
  keptElsewhere,
  neverDeleted,
  optional,
  type Reference,
  plateColumns,
  required,
  type SealedColumn,
  secretField,
  shown,
  TIMES,
  momentOrNullField,
  timeOrNullField,
  type Values,
  type ValuesOf,
  withDefault,
} from './field/field.js';
export {
  gatewayOfLot,
  namedReferencesTo,
  namedReferenceTo,
  referencesTo,
  referenceTo,
  wholeReferenceTo,
} from './field/reference-field.js';
export { FLAG, HIDDEN, MASKED_ADDRESS, OPEN_WORD, shownAs, TIME, TIME_OR_NULL } from './field/form.js';
export { holdsAddressSecret, MASK } from './field/masked-secret-codec.js';
export { hasSecretsForGateway, redirectedSecrets, secretHolders } from './resource/secret-destination.js';
export {
  decodeHolders,
  deviceHolder,
  firstDeviceOf,
  holderOf,
  withheldProblem,
  withheldSecrets,
} from './resource/secret-holder-codec.js';
export { keptAddress, maskRefused, refuseMasked } from './resource/masked-secret.js';
export type { Problem } from './resource/problem.js';
export { findHolder, lotOf } from './resource/resource-lot-queries.js';
export { checkSameLot } from './resource/resource-lot.js';
export {
  defineResource,
  endsAfter,
  endsAfterStart,
  fileFieldsOf,
  type Resource,
  type RestChange,
  restFieldsOf,
  rule,
  type Unique,
} from './resource/resource.js';
export type { Warning } from './resource/warning.js';
export { sentence } from './resource/sentence.js';
export {
  type Declared,
  type FileForm,
  type FileRow,
  type GeneratedSecrets,
  userKey,
} from './resource/site-file-form.js';
export { siteReason } from './resource/value-reasons.js';
export {
  addressValue,
  credentialValue,
  emailValue,
  flagValue,
  idsValue,
  idValue,
  keepSecretsValue,
  latitudeValue,
  LIST_MAX,
  longitudeValue,
  macValue,
  NAME_LENGTH_MAX,
  nameValue,
  nameValueOf,
  oneLine,
  optionalEmailValue,
  optionalNameValue,
  PASSWORD_LENGTH_MAX,
  platesValue,
  plateValue,
  repeated,
  reasonValue,
  textValue,
  timeOrNullValue,
  timeValue,
  timezoneValue,
  wholeValue,
} from './field/values.js';
