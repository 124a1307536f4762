/** What a display shows, by what its gateway said. */
import { secondsTimeOf, words } from './browser.js';
import { type Display, SignText } from './display-sign.js';
import { DisplayTest } from './display-test-part.js';
import { Refused } from './parts.js';
import { client, mayManage } from './session.js';
import { setupWords } from './setup-words.js';
import { useAgain } from './use-again.js';
import { useRead } from './use-read.js';

const AGAIN_MS = 3_000;

/** @param round counts the times at which the display may have another text */
const useShown = (id: number, round = 0) =>
  useRead(`${id} ${round}`, (signal) => client().get('/v2/rgb-displays/{id}/shown', { path: { id }, signal }));

/** @param props.round counts the times at which it may have another text */
export const ShownNow = ({ id, round }: { id: number; round: number }) => <ShownText read={useShown(id, round)} />;

function ShownText({ read }: { read: ReturnType<typeof useShown> }) {
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
  const shown = useShown(id);
  useAgain(shown, AGAIN_MS);
  const say = setupWords.display;
  return (
    <section aria-label={say.now}>
      <h3>{say.now}</h3>
      <p class={problem === null ? 'facts' : 'notice bad'}>{problem ?? say.noProblem}</p>
      <ShownText read={shown} />
      {mayManage.value && <DisplayTest display={display} />}
    </section>
  );
}
