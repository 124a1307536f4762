/** How something was when it was last heard: what it is now, nobody knows. */
import { formerText } from '../../../shared/troubles/age.js';
import { words } from './browser.js';
import { serverMinute } from './store.js';

/** `was closed 12 min ago` */
export const formerly = ({ state, at }: { state: keyof typeof words.formerly; at: string }): string =>
  formerText(words.formerly[state], {
    ageMs: serverMinute() - Date.parse(at),
    words: words.ages,
  });
