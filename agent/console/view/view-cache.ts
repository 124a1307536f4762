/** The newest document that the page shows, and its ETag. It is built at most twice a second, however many phones ask for it. */
import { createHash } from 'node:crypto';
import type { Clock } from '../../../shared/clock.js';

const KEPT_MS = 500;
const TAG_LENGTH = 22;

export interface TaggedText {
  text: string;
  /** As HTTP has it, with its quotes. */
  tag: string;
}

/** @param build makes the document; everybody who asks while it is being built gets the same one */
export function createViewCache(deps: { clock: Clock; build: () => Promise<object> }): () => Promise<TaggedText> {
  const { clock, build } = deps;
  let kept: { untilMs: number; view: Promise<TaggedText> } | null = null;
  return () => {
    if (kept !== null && clock.monotonic() < kept.untilMs) return kept.view;
    // While it is built nobody has it built once more, however long a slow disk takes.
    const made = { untilMs: Number.POSITIVE_INFINITY, view: build().then(tagged) };
    kept = made;
    const end = (untilMs: number) => void (made.untilMs = untilMs);
    made.view.then(
      () => end(clock.monotonic() + KEPT_MS),
      // A failure goes to whoever asked, and the next one asks anew.
      () => end(0),
    );
    return made.view;
  };
}

function tagged(document: object): TaggedText {
  const text = JSON.stringify(document);
  return { text, tag: `"${createHash('sha256').update(text).digest('base64url').slice(0, TAG_LENGTH)}"` };
}
