/** The body by which an import of members begins: lines as POST and PATCH of one member have their bodies. */
import { z } from '@hono/zod-openapi';
import {
  changeBody,
  type FieldError,
  idValue,
  LIST_MAX,
  optionalNameValue,
  restFieldsOf,
  type Values,
  wholeValue,
} from '../../rest/entry.js';
import type { SentLine } from './member-import-queries.js';
import { MEMBER } from './member-resource.js';

/** The highest number that a line of a file may have. */
const LINE_MAX = 1_000_000;

/** What POST fills in where a body says nothing. */
const DEFAULTS: Values = Object.fromEntries(
  Object.entries(restFieldsOf(MEMBER)).flatMap(([name, { reference, default: usual }]) =>
    usual === undefined ? [] : [[reference?.id ?? name, usual]],
  ),
);

// The keys of a member, of which each may be left out: so PATCH has them.
const SAID = new Map(
  Object.entries(restFieldsOf(MEMBER)).flatMap(([name, { reference, says }]) =>
    says === undefined ? [] : [[reference?.id ?? name, says] as const],
  ),
);
const memberShape = Object.fromEntries(
  Object.entries((changeBody(MEMBER) as unknown as z.ZodObject).shape).map(([name, value]) => {
    const says = SAID.get(name);
    return [name, says === undefined ? value : (value as z.ZodType).describe(says)];
  }),
);

const lineSchema = z
  .strictObject({
    line: wholeValue(1, LINE_MAX).describe('The number of the line in its file, for people.'),
    id: idValue.optional().describe('The member that is changed; left out: a new one is made.'),
    ...memberShape,
  })
  .superRefine((given: Values, context) => {
    if (given.id === undefined && given.name === undefined)
      context.addIssue({ code: 'custom', message: 'is required', path: ['name'] });
    for (const { fields, problems } of MEMBER.rules) {
      const values = Object.fromEntries(fields.map((field) => [field, given[field]]));
      if (Object.values(values).includes(undefined)) continue;
      for (const { field, reason } of problems(values))
        context.addIssue({ code: 'custom', message: reason, path: [field] });
    }
  });

export const importBody = z.strictObject({
  file_name: optionalNameValue.optional().describe('How the file is called, for people.'),
  lines: z
    .array(lineSchema)
    .min(1, 'must have a line')
    .max(LIST_MAX)
    .describe(
      'The lines in the order in which they are written, each by itself. What is left out of one that changes a member stays.',
    ),
});

/** The lines of a body that was parsed. */
export const sentLines = (lines: readonly Values[]): SentLine[] =>
  lines.map(({ line, id, ...body }) => ({
    line: Number(line),
    id: typeof id === 'number' ? id : null,
    name: typeof body.name === 'string' ? body.name : '',
    body: id === undefined ? { ...DEFAULTS, ...body } : body,
  }));

const groupsOf = (line: unknown): number[] => {
  const ids = typeof line === 'object' && line !== null && 'group_ids' in line ? line.group_ids : [];
  return Array.isArray(ids) ? ids.filter((each): each is number => Number.isSafeInteger(each)) : [];
};

/** The groups that the lines of a body of any shape name, each once. */
export const groupsNamed = ({ lines }: Values): number[] =>
  Array.isArray(lines) ? [...new Set(lines.flatMap(groupsOf))] : [];

/** The problems of lines that name a group of which there is none. */
export const unknownGroups = ({ lines }: Values, known: ReadonlySet<number>): FieldError[] =>
  (Array.isArray(lines) ? lines : []).flatMap((line, at) =>
    groupsOf(line).flatMap((id, place) =>
      known.has(id) ? [] : [{ field: `lines.${at}.group_ids.${place}`, message: 'There is no such thing' }],
    ),
  );
