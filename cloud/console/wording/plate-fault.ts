/** Why a text is not one plate, in words (`shared/plate/typed-plate.ts`). */
import { judgePlate, PLATE_SIGNS_MAX } from '../../../shared/plate/typed-plate.js';
import { cutText } from './cut-text.js';
import type { ConsoleWords } from './en.js';

/** @returns null: it is one */
export function plateFaultSentence(text: string, { forms, signIn }: ConsoleWords): string | null {
  const { fault } = judgePlate(text);
  const say = forms.plateFaults;
  const typed = cutText(text);
  switch (fault?.kind) {
    case undefined:
      return null;
    case 'empty':
      return signIn.missing;
    case 'noLetters':
      return say.noLetters(typed);
    case 'tooLong':
      return say.tooLong(typed, PLATE_SIGNS_MAX);
    case 'several':
      return say.several(cutText(fault.plates.join(', ')));
    case 'sign':
      return say.sign(typed, /[\p{C}\p{Z}\p{M}]/u.test(fault.sign) ? say.hidden : say.seen(fault.sign));
  }
}
