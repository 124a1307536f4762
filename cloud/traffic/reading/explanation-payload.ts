/** How the decision on a reading came about, as REST shows it. */
import { z } from '@hono/zod-openapi';
import { ACCESS_RULES } from '../../../shared/access/access-rules.js';
import type { AccessTrace } from '../../../shared/access/access-trace.js';
import type { AccessDecision } from '../../../shared/access/decide-access.js';
import { askedRules, type AskedRule, RULE_OUTCOMES, whatWouldChange } from '../../../shared/access/explain-access.js';
import { ACCESS_DECISION_REASONS, ACCESS_DECISIONS } from '../../../shared/events/event-schemas.js';
import { datetime, id, isoOrNull } from '../../rest/field/answer-schemas.js';

const fact = z.union([z.string(), z.number()]).nullable();

export const decisionParts = {
  access_decision: z.enum(ACCESS_DECISIONS).nullable(),
  access_decision_reason: z.enum(ACCESS_DECISION_REASONS).nullable(),
};

export const askedRuleSchema = z
  .strictObject({
    rule: z.enum(ACCESS_RULES).describe('The name of the rule.'),
    outcome: z
      .enum(RULE_OUTCOMES)
      .describe(
        'What came of it: the next rule was asked (`passed`), it let the vehicle through or not (`admitted`, `denied`), or kept the read from a decision (`undecided`).',
      ),
    facts: z.record(z.string(), fact).describe('What the rule saw, by name: flags are 0 or 1, times are milliseconds.'),
  })
  .openapi('AskedRule');

export const explanationSchema = z
  .strictObject({
    plate_reading_id: id.describe('The plate reading.'),
    decided_by: z
      .string()
      .nullable()
      .describe('The uuid of the gateway that read and decided; null for a reading that was made over REST.'),
    decided_at: datetime.nullable().describe('When it was decided; null without a decision, and where nobody knows.'),
    ...decisionParts,
    rules: z
      .array(askedRuleSchema)
      .describe(
        'The rules that were asked, in their order, up to the one that decided. Empty without a decision, and where nothing was kept of what it saw.',
      ),
    would_change: z
      .array(
        z.strictObject({
          fact: z.string().describe('The name of the fact.'),
          value: fact.describe('What the fact was.'),
          instead: fact.describe('What the fact would have been.'),
          ...decisionParts,
        }),
      )
      .describe('Facts that would have changed the decision, each alone, with what would have been decided.'),
  })
  .openapi('DecisionExplanation');

export type Explanation = z.infer<typeof explanationSchema>;

/** A reading with its gateway and what was kept of its decision. */
export interface ExplainedReading extends Pick<AccessDecision, 'access_decision' | 'access_decision_reason'> {
  id: number;
  gateway_uuid: string | null;
  created_at: number;
  decided_at: number | null;
  /** null: no decision was made, or an older gateway did not say what it saw. */
  trace: AccessTrace | null;
}

export function representExplanation(reading: ExplainedReading): Explanation {
  const { access_decision, access_decision_reason, trace } = reading;
  const isDecided = access_decision !== null;
  // Without a decision no rule was followed; the facts say why there was none.
  const rules: AskedRule[] = trace !== null && isDecided ? askedRules(trace, reading) : [];
  return {
    plate_reading_id: reading.id,
    decided_by: reading.gateway_uuid,
    decided_at: isoOrNull(reading.decided_at ?? (isDecided ? reading.created_at : null)),
    access_decision,
    access_decision_reason,
    rules,
    would_change: trace === null ? [] : whatWouldChange(trace, reading),
  };
}
