/** The report of `parking-agent doctor`, as programs get it, gateways send it, and the cloud keeps it. */
import { z } from 'zod';
import { epochMs, textSchema } from '../uplink-bounds.js';
import { withCauses } from './causes.js';
import { type Fact, type Finding, FINDING_LEVELS } from './findings.js';

export const FINDINGS_MAX = 500;
/** The bound for all findings as JSON. */
const FINDINGS_CHARS_MAX = 128 * 1024;
const FACTS_MAX = 8;
const TEXT_MAX = 300;
const NAME = /^[a-z][a-z\d_]{0,39}$/;
const ID = /^[a-z][a-z\d_]{0,39}\.[a-z][a-z\d_]{0,39}$/;

const numberSchema = z.number().min(Number.MIN_SAFE_INTEGER).max(Number.MAX_SAFE_INTEGER);

const idSchema = z.string().regex(ID);

/** Ids of versions that are newer than the reader stay as they are. */
export const doctorFindingSchema = z.object({
  id: idSchema,
  level: z.enum(FINDING_LEVELS),
  about: textSchema(TEXT_MAX).nullable(),
  facts: z
    .record(z.string().regex(NAME), z.union([textSchema(TEXT_MAX), numberSchema, z.null()]))
    .refine((facts) => Object.keys(facts).length <= FACTS_MAX, `at most ${FACTS_MAX} facts`),
  follows: z.object({ id: idSchema, about: textSchema(TEXT_MAX).nullable() }).exactOptional(),
});

export const doctorReportSchema = z.object({
  /** The version of the agent that looked. */
  version: textSchema(64),
  /** By the clock of the gateway, which may be wrong: wall milliseconds. */
  at_ms: epochMs,
  took_ms: z.number().int().nonnegative().max(3_600_000),
  /** Whether the gateway was running: else only the device was looked at. */
  is_running: z.boolean(),
  findings: z
    .array(doctorFindingSchema)
    .max(FINDINGS_MAX)
    .refine(
      (findings) => JSON.stringify(findings).length <= FINDINGS_CHARS_MAX,
      `at most ${FINDINGS_CHARS_MAX} characters`,
    ),
});
export type DoctorReport = z.infer<typeof doctorReportSchema>;

const ORDER = { failure: 0, warning: 1, ok: 2 } as const;

/**
 * Puts findings into a report's bounds: failures first, then warnings; within a level they keep their order. Notes
 * which follow from another one. If there are more than `FINDINGS_MAX`, or they have too many characters, the first ones stay. Texts are cut.
 */
export function boundFindings(findings: readonly Finding[]): Finding[] {
  const cut = (text: string) => (text.length > TEXT_MAX ? `${text.slice(0, TEXT_MAX - 1)}…` : text);
  const bounded = (fact: Fact): Fact => {
    if (typeof fact === 'string') return cut(fact);
    return fact !== null && Math.abs(fact) <= Number.MAX_SAFE_INTEGER ? fact : null;
  };
  let room = FINDINGS_CHARS_MAX - 2;
  const sorted = [...findings]
    .sort((a, b) => ORDER[a.level] - ORDER[b.level])
    .slice(0, FINDINGS_MAX)
    .map(({ id, level, about, facts }) => ({
      id,
      level,
      about: about === null ? null : cut(about),
      facts: Object.fromEntries(Object.entries(facts).map(([name, fact]) => [name, bounded(fact)])),
    }));
  return withCauses(sorted).filter((finding) => (room -= JSON.stringify(finding).length + 1) >= 0);
}
