/** Faults on request between an integrator's program and the service. */
import { z } from 'zod';

const RULES_MAX = 100;

const faultSchema = z.discriminatedUnion('kind', [
  /** The service is not asked: an error in the envelope of REST. */
  z.strictObject({
    kind: z.literal('answer'),
    status: z.literal([429, 500, 502, 503, 504]),
    /** Seconds, sent as `Retry-After`. */
    retry_after_s: z.number().int().min(0).max(86_400).optional(),
  }),
  /** The service is asked that much later. */
  z.strictObject({ kind: z.literal('delay'), delay_ms: z.number().int().min(1).max(600_000) }),
  /** The connection is cut, and the service is not asked. */
  z.strictObject({ kind: z.literal('cut') }),
  /** The service does what was asked, and the connection is cut before its answer. */
  z.strictObject({ kind: z.literal('lost_answer') }),
  /** A realtime connection that is open ends; 1006 without a closing frame, as when a network fails. */
  z.strictObject({
    kind: z.literal('close_realtime'),
    code: z
      .number()
      .int()
      .min(1000)
      .max(4999)
      .refine((code) => code !== 1005 && code !== 1015, 'cannot be sent'),
  }),
]);
export type Fault = z.infer<typeof faultSchema>;

const ruleSchema = z.strictObject({
  match: z
    .strictObject({
      method: z
        .string()
        .regex(/^[A-Z]+$/, 'must be a method in upper case')
        .optional(),
      /** Without the query; `*` stands for any text. */
      path: z.string().startsWith('/').max(512).optional(),
    })
    .default({}),
  /** How often; null: until the rules are replaced. */
  times: z.number().int().min(1).max(1_000_000).nullable().default(1),
  fault: faultSchema,
});

export const faultRulesSchema = z.strictObject({ rules: z.array(ruleSchema).max(RULES_MAX) });
export type FaultRules = z.infer<typeof faultRulesSchema>;

export interface FaultView {
  match: { method?: string | undefined; path?: string | undefined };
  /** How often it still happens; null: without end. */
  times: number | null;
  fault: Fault;
  /** How often it has happened. */
  happened: number;
}

export interface Faults {
  set(rules: FaultRules): void;
  view(): FaultView[];
  /** The first rule that fits a request; it counts as having happened. null: nothing goes wrong. */
  ofRequest(method: string, path: string): Exclude<Fault, { kind: 'close_realtime' }> | null;
  /** The same for a realtime connection that is open: the code that it ends with. */
  ofConnection(path: string): number | null;
}

export function createFaults(): Faults {
  let rules: (FaultRules['rules'][number] & { happened: number })[] = [];

  function dequeue(isMeant: (rule: FaultRules['rules'][number]) => boolean): Fault | null {
    const rule = rules.find((each) => (each.times === null || each.happened < each.times) && isMeant(each));
    if (rule === undefined) return null;
    rule.happened += 1;
    return rule.fault;
  }

  return {
    set(given) {
      rules = given.rules.map((rule) => ({ ...rule, happened: 0 }));
    },
    view: () =>
      rules.map(({ match, times, fault, happened }) => ({
        match,
        times: times === null ? null : times - happened,
        fault,
        happened,
      })),
    ofRequest(method, path) {
      const fault = dequeue(
        (rule) =>
          rule.fault.kind !== 'close_realtime' &&
          (rule.match.method ?? method) === method &&
          fitsPath(rule.match.path, path),
      );
      return fault?.kind === 'close_realtime' ? null : fault;
    },
    ofConnection(path) {
      const fault = dequeue((rule) => rule.fault.kind === 'close_realtime' && fitsPath(rule.match.path, path));
      return fault?.kind === 'close_realtime' ? fault.code : null;
    },
  };
}

function fitsPath(pattern: string | undefined, path: string): boolean {
  if (pattern === undefined) return true;
  const parts = pattern.split('*').map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`^${parts.join('.*')}$`).test(path);
}
