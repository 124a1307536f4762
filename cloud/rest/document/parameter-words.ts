/**
 * What the parameters of paths and queries mean, each with an example. Pure. The page of the document sends what an example says, so each
 * is harmless as it stands. Headers have none for this: a version or a key of another request would stop a request, or repeat one.
 */
import { isObject, type JsonObject } from './json-schema.js';

interface ParameterWords {
  /** Left out where the schema of the parameter says it. */
  description?: string;
  example?: unknown;
}

/** By name, or by the path's first steps and name where that is another thing. */
export const PARAMETER_WORDS: Readonly<Record<string, ParameterWords>> = {
  id: { description: 'The id of the thing: digits. Anything else names nothing, which is 404.', example: '1' },
  '/v2/weblinks/id': { description: 'The id of the weblink, as it stands in the link.', example: 'q7Zt0aVbX3mK' },
  event_id: { description: 'The id of the command: 8 hexadecimal digits.', example: '1f0a93bc' },
  deliveryId: { description: 'The id of the delivery.', example: '1' },
  licenseId: { description: 'The id of the bound license.', example: '1' },
  memberId: { description: 'The id of the member.', example: '1' },
  reciverId: { description: 'The id of the receiver.', example: '1' },
  uid: {
    description: 'The id of the picture, as it stands in the link.',
    example: '0b9e2c1c-54f7-4f0e-8a58-2f5f3c9d1a77',
  },
  expires: { description: 'When the link ends, as it stands in the link.', example: '1772439330000' },
  signature: { description: 'The signature of the link, as it stands in it.', example: 'Xb1c9mYq0r2n' },
  gateway: {
    description: 'The uuid of the gateway, as it stands in the address.',
    example: '0d3c2a54-5a1f-4b7e-9a51-3f1f6f0b7d01',
  },
  key: {
    description: 'The key of the gateway for this release, as it stands in the address.',
    example: 'Xb1c9mYq0r2n',
  },
  page: { description: 'Which page is answered.', example: 1 },
  size: { description: 'How many items a page has.', example: 50 },
  filter: { example: ['id:gt:0'] },
  sort: { description: 'By which field the items are put in order, and in which direction.', example: 'id:asc' },
  since: { description: 'A cursor: the `id` of the last event that is known.', example: '0' },
  limit: { description: 'The most events that are answered.', example: 100 },
  date_from: {
    description:
      'The first moment of the range, or its first day in the time zone of the lots; 30 days before its end when it is left out.',
    example: '2026-03-01T00:00:00.000Z',
  },
  date_to: {
    description: 'The last moment of the range, or its last day, which is in it; now when it is left out.',
    example: '2026-03-31T23:59:59.999Z',
  },
  '/v2/openings/from': {
    description:
      'When the range begins, or its first day in the time zone of the lots; 7 days before its end when it is left out.',
    example: '2026-03-01T00:00:00.000Z',
  },
  group: {
    description: 'Whether each hour is counted by itself, or all days together by the hour of the day.',
    example: 'hour',
  },
  group_by: { description: 'The length of a period.', example: 'day' },
  zone_id: { description: 'The zone in whose time zone the stay is priced.', example: 1 },
  from: {
    description:
      'When the range begins, or its first day in the time zone of the lot; 24 hours before its end when it is left out, 30 days with the step `day`.',
    example: '2026-03-01T00:00:00.000Z',
  },
  to: {
    description: 'When the range ends, or its last day, which is in it; now when it is left out.',
    example: '2026-03-02T00:00:00.000Z',
  },
  step: { description: 'The length of a period.', example: 'hour' },
  bom: {
    description: '1 or true: the file begins with a byte order mark, by which Excel knows that it is UTF-8.',
    example: '1',
  },
  text: {
    description:
      '1 or true: a plate that a spreadsheet would turn into a number or a date, such as 0012 or 12E5, is written as `="0012"`, which stays a text.',
    example: '1',
  },
  plate: { description: 'The plate, as a camera would write it.', example: 'ZG 1234-AB' },
  lpr_camera_id: { description: 'The camera that would read it.', example: 1 },
  confirm: {
    description: 'The name of what is deleted: needed when it has equipment and no `If-Match` is sent.',
    example: 'North',
  },
  at: {
    description:
      'The time for which it is asked; of a date the beginning of its day in the lot; now when it is left out.',
    example: '2026-03-02T08:15:00.000Z',
  },
  days: { description: 'How many days are shown, today among them.', example: 30 },
  start: {
    description: 'When the stay begins; a date is the beginning of its day.',
    example: '2026-03-02T08:15:00.000Z',
  },
  end: { description: 'When the stay ends; a date is the end of its day.', example: '2026-03-02T10:40:00.000Z' },
};

/** The parameter with its description and example; what its schema says of itself stands at the end of the description. */
export function describedParameter(parameter: unknown, { path }: { path: string }): unknown {
  if (!isObject(parameter)) return parameter;
  const words = wordsOfParameter(path, String(parameter.name));
  const own = parameter.description ?? (isObject(parameter.schema) ? parameter.schema.description : undefined);
  const description = [words?.description, own].filter((each) => each !== undefined).join(' ');
  return {
    ...parameter,
    ...(description === '' ? {} : { description }),
    ...exampleOf(words, parameter.schema),
  };
}

/** The key of the table under which a parameter is described. */
export function parameterKey(path: string, name: string): string {
  const precise = `${/^\/v2\/[^/]+/.exec(path)?.[0] ?? ''}/${name}`;
  return precise in PARAMETER_WORDS ? precise : name;
}

const wordsOfParameter = (path: string, name: string): ParameterWords | undefined =>
  PARAMETER_WORDS[parameterKey(path, name)];

/** A choice that does not have the usual example begins with another one. */
function exampleOf(words: ParameterWords | undefined, schema: unknown): JsonObject {
  if (words?.example === undefined) return {};
  const choice = isObject(schema) && Array.isArray(schema.enum) ? schema.enum : [words.example];
  return { example: choice.includes(words.example) ? words.example : choice[0] };
}
