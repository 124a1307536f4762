/** Makes the sentences of troubles, in every language. Pure. */
import type { ProductFault, RadioState, Trouble, TroubleFacts, TroubleKind } from './trouble.js';

/** The kinds whose sentences need words from elsewhere. */
type Composed = 'product_error' | 'radio_off';

/** A sentence for each kind, from the name of the thing and the facts. */
export type TroubleSentences = {
  [Kind in Exclude<TroubleKind, Composed>]: (name: string, facts: TroubleFacts[Kind]) => string;
};

interface TroubleWords {
  productErrors: Readonly<Record<ProductFault, string>>;
  radioStates: Readonly<Record<RadioState, string>>;
  troubles: {
    radio(name: string, adapters: string): string;
    noRadio(name: string): string;
    says: TroubleSentences;
  };
}

/** A reason in the words of the device that gave it; null: it gave none. */
export const inBrackets = (reason: string | null): string => (reason === null ? '' : ` (${reason})`);

/** Says a trouble: the same sentence wherever it is said. */
export function sentenceOf(trouble: Trouble, words: TroubleWords): string {
  const { kind, about, facts } = trouble;
  const { name } = about;
  const { troubles: say, productErrors, radioStates } = words;
  if (kind === 'product_error') return `${name}: ${productErrors[facts.error]}`;
  if (kind === 'radio_off') {
    if (facts.adapters.length === 0)
      return facts.state === 'off' ? say.noRadio(name) : say.radio(name, radioStates[facts.state]);
    return say.radio(name, facts.adapters.map((each) => `${each.name} ${radioStates[each.state]}`).join(', '));
  }
  const sentence = say.says[kind] as (of: string, known: typeof facts) => string;
  return sentence(name, facts);
}
