/** Signs at the road: what they show, what they would show, and the rules for it. */
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { secondsTimeOf, words } from './browser.js';
import { DisplayEditor } from './display-editor.js';
import { DisplayPreview } from './display-preview.js';
import { DisplayRules } from './display-rules.js';
import { type Display, SignText } from './display-sign.js';
import { Told } from './form-parts.js';
import { Empty, Refused, SmallButton } from './parts.js';
import { query, setQuery } from './place.js';
import { client } from './session.js';
import { all, isLoaded, lots, onEvent } from './store.js';
import { useRead } from './use-read.js';
import { zoneName } from './zone-names.js';

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
  const edited = query.value.get('edit') ?? '';
  const told = useSignal('');
  const round = useShownRound();
  const list = useRead('displays', () =>
    all(client().list('/v2/rgb-displays', { query: { sort: 'id:asc', size: 100 } })),
  );
  if (!isLoaded.value) return <Empty>{words.loading}</Empty>;
  const found = list.value.value;
  const chosen = found?.find(({ id }) => String(id) === edited) ?? null;
  const say = words.displays;
  return (
    <>
      <div class="head">
        <h1 tabIndex={-1}>{say.title}</h1>
        <button type="button" class="main" onClick={() => setQuery({ edit: 'new' })}>
          {say.make}
        </button>
      </div>
      <Told text={told.value} />
      <Refused refusal={list.refusal.value} onAgain={list.again} />
      {found === null && list.refusal.value === null && <Empty>{words.loading}</Empty>}
      {found?.length === 0 && <Empty>{say.none}</Empty>}
      <ul class="displays">
        {found?.map((display) => (
          <DisplayCard key={display.id} display={display} round={round} />
        ))}
      </ul>
      {(edited === 'new' || chosen !== null) && (
        <DisplayEditor
          key={edited}
          display={chosen}
          onClose={(said) => {
            setQuery({ edit: '' });
            told.value = said;
            if (said !== '') list.again();
          }}
        />
      )}
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
        <SmallButton word={say.settings} about={name} onClick={() => setQuery({ edit: String(id) })} />
      </header>
      <ShownNow id={id} round={round} />
      <DisplayPreview display={display} round={round + rulesRound.value} onRule={(rule) => (chosenRule.value = rule)} />
      <DisplayRules display={display} decided={chosenRule.value} onChanged={() => (rulesRound.value += 1)} />
    </li>
  );
}

function ShownNow({ id, round }: { id: number; round: number }) {
  const read = useRead(`${id} ${round}`, (signal) =>
    client().get('/v2/rgb-displays/{id}/shown', { path: { id }, signal }),
  );
  const say = words.displays;
  const shown = read.value.value;
  return (
    <section class="shown-now" aria-label={say.shownNow}>
      <h3>{say.shownNow}</h3>
      <Refused refusal={read.refusal.value} onAgain={read.again} />
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
