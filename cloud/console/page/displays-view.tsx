/** Signs at the road: what they show, what they would show, and the rules for it. */
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { Listed } from './admin-parts.js';
import { words } from './browser.js';
import { DisplayEditor } from './display-editor.js';
import { DisplayPreview } from './display-preview.js';
import { DisplayRules } from './display-rules.js';
import { ShownNow } from './display-now.js';
import type { Display } from './display-sign.js';
import { useEdit } from './editor.js';
import { LoadingSign } from './loading-sign.js';
import { Button, Notice } from './parts.js';
import { setQuery } from './place.js';
import { client } from './session.js';
import { all, isLoaded, lots, onEvent, zoneName } from './store.js';
import { useRead } from './use-read.js';

/** A gateway writes within two seconds after the count has changed, and says so. */
const AFTER_CHANGE_MS = 3_000;
/** Nothing else tells that a display has fallen silent. */
const LOOK_AGAIN_MS = 30_000;

/** Counts the times at which displays may have another text. */
function useShownRound(): number {
  const round = useSignal(0);
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const look = () => {
      timer = undefined;
      round.value += 1;
    };
    const stop = onEvent(({ event }) => {
      if (event === 'zone_change') timer ??= setTimeout(look, AFTER_CHANGE_MS);
    });
    const again = setInterval(look, LOOK_AGAIN_MS);
    return () => {
      stop();
      clearTimeout(timer);
      clearInterval(again);
    };
  }, []);
  return round.value;
}

export function DisplaysView() {
  const round = useShownRound();
  const list = useRead('displays', () =>
    all(client().list('/v2/rgb-displays', { query: { sort: 'id:asc', size: 100 } })),
  );
  const edit = useEdit(list.found, list.again);
  if (!isLoaded.value) return <LoadingSign />;
  const say = words.displays;
  const make = <Button look="main" word={say.make} onClick={() => setQuery({ edit: 'new' })} />;
  return (
    <>
      <div class="head">
        <h1 tabIndex={-1}>{words.views.displays}</h1>
        {list.found?.length !== 0 && make}
      </div>
      <Notice text={edit.notice} />
      <Listed
        list={list}
        none={say.none}
        first={make}
        class="displays"
        row={(display) => <DisplayCard key={display.id} display={display} round={round} />}
      />
      {edit.isOpen && <DisplayEditor key={edit.thing?.id} display={edit.thing} onClose={edit.onClose} />}
    </>
  );
}

function DisplayCard({ display, round }: { display: Display; round: number }) {
  const { id, name, zone_id, lot_id } = display;
  const chosenRule = useSignal<number | null>(null);
  const rulesRound = useSignal(0);
  const say = words.displays;
  const lot = lots.value.find((each) => each.id === lot_id)?.name ?? '–';
  return (
    <li class="card display">
      <header>
        <div>
          <h2>{name}</h2>
          <p class="facts">{say.counts(zone_id === null ? say.wholeLot(lot) : zoneName(zone_id))}</p>
        </div>
        <Button look="small" word={say.settings} about={name} onClick={() => setQuery({ edit: String(id) })} />
      </header>
      <ShownNow id={id} round={round} />
      <DisplayPreview display={display} round={round + rulesRound.value} onRule={(rule) => (chosenRule.value = rule)} />
      <DisplayRules display={display} decided={chosenRule.value} onChanged={() => (rulesRound.value += 1)} />
    </li>
  );
}
