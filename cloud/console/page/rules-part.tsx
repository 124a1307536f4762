/** The rules of a decision in their order, each with what it saw. */
import type { components } from '@parking-gateway/client';
import { maskedPlate } from '../wording/masked-plate.js';
import { otherSentence, ruleSentence } from '../wording/rule-sentences.js';
import { words } from './browser.js';

type Schemas = components['schemas'];

const TONES: Readonly<Record<string, string>> = { admitted: 'good', denied: 'bad', passed: '', undecided: '' };

/** @param props.isMasked of a plate that nobody typed or asked for */
export function Rules(props: { rules: readonly Schemas['AskedRule'][]; isMasked?: boolean }) {
  const { rules, isMasked = false } = props;
  const say = words.rules;
  return (
    <ol class="rules" aria-label={say.title}>
      {rules.map(({ rule, outcome, facts }, at) => (
        <li key={rule} class={at === rules.length - 1 ? 'last' : ''}>
          <strong>{say.names[rule] ?? rule}</strong>
          <span>{ruleSentence({ rule, facts: isMasked ? withMaskedPlate(facts) : facts }, words)}</span>
          <span class={`tag ${TONES[outcome] ?? ''}`}>{say.outcomes[outcome]}</span>
        </li>
      ))}
    </ol>
  );
}

const withMaskedPlate = (facts: Schemas['AskedRule']['facts']) =>
  typeof facts.plate === 'string' ? { ...facts, plate: maskedPlate(facts.plate) } : facts;

/** What would have changed the outcome, one fact at a time. */
export function Otherwise(props: { others: Schemas['DecisionExplanation']['would_change']; direction: string }) {
  const sentences = props.others.flatMap((other) => otherSentence(other, props.direction, words) ?? []);
  if (sentences.length === 0) return null;
  return (
    <>
      <p class="facts">{words.rules.otherwise}:</p>
      <ul class="others-list">
        {sentences.map((sentence) => (
          <li key={sentence}>{sentence}</li>
        ))}
      </ul>
    </>
  );
}
