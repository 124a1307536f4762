/** What a display shows, by what its gateway said. */
import { useSignal } from '@preact/signals';
import { secondsTimeOf, words } from './browser.js';
import { type Display, SignText } from './display-sign.js';
import { DisplayTest } from './display-test-part.js';
import { Refused } from './parts.js';
import { client, mayManage } from './session.js';
import { setupWords } from './setup-words.js';
import { useAgain } from './use-again.js';
import { useRead } from './use-read.js';

const AGAIN_MS = 3_000;

/** @param props.round counts the times at which it may have another text */
export function ShownNow({ id, round }: { id: number; round: number }) {
  const read = useRead(`${id} ${round}`, (signal) =>
    client().get('/v2/rgb-displays/{id}/shown', { path: { id }, signal }),
  );
  const say = words.displays;
  const shown = read.found;
  return (
    <section class="shown-now" aria-label={say.shownNow}>
      <h3>{say.shownNow}</h3>
      <Refused refusal={read.refusal} onAgain={read.again} />
      {shown !== null && shown.text === null && <p class="notice">{say.neverShown}</p>}
      {shown !== null && shown.text !== null && (
        <>
          <SignText text={shown.text} label={say.shownNow} />
          <p class="facts">
            {shown.shown_at !== null && say.shownAt(secondsTimeOf(shown.shown_at))}{' '}
            {shown.is_stale === 1 && <span class="tag warn">{say.stale}</span>}
          </p>
        </>
      )}
    </section>
  );
}

/** The same with what is known against it, as long as somebody sets it up. */
export function DisplayNow({ display }: { display: Display }) {
  const { id, problem } = display;
  const round = useSignal(0);
  useAgain({ again: () => (round.value += 1), at: round.value, refusal: null }, AGAIN_MS);
  const say = setupWords.display;
  return (
    <section aria-label={say.now}>
      <h3>{say.now}</h3>
      <p class={problem === null ? 'facts' : 'notice bad'}>{problem ?? say.noProblem}</p>
      <ShownNow id={id} round={round.value} />
      {mayManage.value && <DisplayTest display={display} />}
    </section>
  );
}
