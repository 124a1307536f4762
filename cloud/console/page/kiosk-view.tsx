/** What stands on a wall: free places, who is inside, gates, the last vehicles and troubles, of one lot or of all. There is nothing to press. */
import { useEffect, useLayoutEffect } from 'preact/hooks';
import { neededPart } from '../../../shared/page/needed-part.js';
import { StateSign } from '../../../shared/page/parts.js';
import { sentenceOf } from '../../../shared/troubles/trouble-sentences.js';
import { needsPerson, type Trouble } from '../../../shared/troubles/trouble.js';
import { VIEW_PATHS } from '../console-paths.js';
import { lotFigures } from '../wording/kiosk-figures.js';
import { passStateOf } from '../wording/product-view.js';
import { decisionSentence } from '../wording/sentences.js';
import { timeOf, words } from './browser.js';
import { insideTotal } from './inside-store.js';
import { releasedText } from './emergency.js';
import { keepAwake } from './keep-awake.js';
import { goTo, queryOf } from './place.js';
import { shownPlate } from './plate-mask.js';
import { loadKioskWords } from './rare-words.js';
import { readingTime, toneOf } from './reading-rows.js';
import {
  inside,
  isLoaded,
  lostSince,
  type Lot,
  lots,
  minute,
  products,
  readings,
  released,
  zoneOf,
  zones,
} from './store.js';
import { watched } from './trouble-store.js';
import { accountTroubles, troublesOfLot } from './troubles-part.js';

const say = await neededPart(loadKioskWords);

/** What is read from three metres has room for so many rows. */
const PASSAGES_MAX = 5;
const TROUBLES_MAX = 4;
const GATES_MAX = 8;

export function KioskView() {
  useEffect(keepAwake, []);
  useLayoutEffect(() => {
    // Who stands at the wall with a keyboard gets back to the console.
    const leave = ({ key }: KeyboardEvent) => key === 'Escape' && goTo(VIEW_PATHS.overview);
    addEventListener('keydown', leave);
    return () => removeEventListener('keydown', leave);
  }, []);
  const asked = queryOf('lot');
  const shown = lots.value.filter(({ id }) => asked === '' || String(id) === asked);
  const [only, ...others] = shown;
  if (!isLoaded.value) return <Bare text={words.loading} />;
  if (only === undefined) return <Bare text={asked === '' ? say.noLots : say.noLot} />;
  const isOne = others.length === 0;
  return (
    <>
      <Head title={isOne ? only.name : say.allLots} timezone={only.timezone} />
      <Emergencies of={shown} />
      {isOne ? <OneLot lot={only} /> : <AllLots of={shown} />}
    </>
  );
}

const Bare = ({ text }: { text: string }) => (
  <>
    <h1>{words.views.kiosk}</h1>
    <p class="said">{text}</p>
  </>
);

/** Of when it is: while the connection lives it is now. */
function Head({ title, timezone }: { title: string; timezone: string }) {
  const since = lostSince.value;
  const at = timeOf(new Date(since ?? minute.value).toISOString(), timezone);
  return (
    <header>
      <h1>{title}</h1>
      <p role="status" class={since === null ? 'as-of' : 'as-of lost'}>
        {since === null ? say.asOf(at) : say.lost(at)}
      </p>
    </header>
  );
}

function Emergencies({ of }: { of: readonly Lot[] }) {
  const own = released.value.filter(({ id }) => of.some((lot) => lot.id === id));
  if (own.length === 0) return null;
  return (
    <p role="alert" class="alarm">
      {own.map(({ id, name, timezone, released_at, released_by }) => (
        <span key={id}>
          {words.emergency.at(name)} {released_at !== null && releasedText({ id, timezone, released_at, released_by })}
        </span>
      ))}
    </p>
  );
}

function OneLot({ lot }: { lot: Lot }) {
  return (
    <div class="one">
      <section class="figures-of-lot">
        <Figures lot={lot} isLarge />
      </section>
      <section class="gates" aria-label={say.gates}>
        <h2>{say.gates}</h2>
        <Gates lotId={lot.id} />
      </section>
      <Passages of={[lot]} />
      <Needs of={[lot]} />
    </div>
  );
}

function AllLots({ of }: { of: readonly Lot[] }) {
  return (
    <div class="all">
      <div class="grid">
        {of.map((lot) => (
          <section key={lot.id} aria-label={lot.name} class={troublesOfLot(lot).some(needsPerson) ? 'troubled' : ''}>
            <h2>{lot.name}</h2>
            <Figures lot={lot} />
            <GateSum lotId={lot.id} />
          </section>
        ))}
      </div>
      <Passages of={of} />
      <Needs of={of} />
    </div>
  );
}

function Figures({ lot, isLarge = false }: { lot: Lot; isLarge?: boolean }) {
  const isWhole = insideTotal.value !== null && insideTotal.value === inside.value.length;
  const { free, spots, occupied, insideCount } = lotFigures(lot.id, zones.value, isWhole ? inside.value : null);
  return (
    <p class={isLarge ? 'count large' : 'count'}>
      <strong class={free === 0 ? 'full' : ''}>{free ?? occupied}</strong>
      <span>
        {free === null ? say.occupied : free === 0 ? say.full : say.free}{' '}
        <small>{spots === 0 ? say.noLimit : say.ofSpots(spots)}</small>
      </span>
      <span class="inside">{say.inside(insideCount)}</span>
    </p>
  );
}

function Gates({ lotId }: { lotId: number }) {
  const own = products.value.filter(({ lot_id }) => lot_id === lotId);
  if (own.length === 0) return <p class="said">{say.noGates}</p>;
  return (
    <ul>
      {own.slice(0, GATES_MAX).map((product) => {
        const state = passStateOf(product);
        return (
          <li key={product.id}>
            <span>{product.name}</span> <StateSign state={state} word={words.states[state]} />
          </li>
        );
      })}
      {own.length > GATES_MAX && <li class="said">{say.more(own.length - GATES_MAX)}</li>}
    </ul>
  );
}

function GateSum({ lotId }: { lotId: number }) {
  const own = products.value.filter(({ lot_id }) => lot_id === lotId);
  if (own.length === 0) return null;
  return <p class="said">{say.passable(own.filter((each) => passStateOf(each) === 'passable').length, own.length)}</p>;
}

function Passages({ of }: { of: readonly Lot[] }) {
  const ids = new Set(of.map(({ id }) => id));
  const own: typeof readings.value = [];
  for (const reading of readings.value) {
    if (own.length === PASSAGES_MAX) break;
    if (ids.has(zoneOf(reading.zone_id ?? 0)?.lot_id ?? 0)) own.push(reading);
  }
  return (
    <section class="passages" aria-label={say.passages}>
      <h2>{say.passages}</h2>
      {own.length === 0 && <p class="said">{say.noPassages}</p>}
      <ol>
        {own.map((reading) => (
          <li key={reading.id} class={toneOf(reading)}>
            <strong>{shownPlate(reading.plate)}</strong> <span>{decisionSentence(reading, words)}</span>{' '}
            <small>
              {words.live.directions[reading.direction]} · {readingTime(reading)}
            </small>
          </li>
        ))}
      </ol>
    </section>
  );
}

/** Nothing is well before everything was read, and while nothing new comes. */
function Needs({ of }: { of: readonly Lot[] }) {
  const named = (lot: Lot | null) => (trouble: Trouble) => ({ trouble, lot });
  const own = [
    ...of.flatMap((lot) => troublesOfLot(lot).map(named(lot))),
    ...accountTroubles().map(named(null)),
  ].filter(({ trouble }) => needsPerson(trouble));
  const isKnown = watched.value !== null && lostSince.value === null;
  return (
    <section class={own.length === 0 ? 'needs' : 'needs bad'} aria-label={say.troubles}>
      <h2>{say.troubles}</h2>
      {own.length === 0 && <p class={isKnown ? 'said good' : 'said'}>{isKnown ? say.calm : say.unsure}</p>}
      <ul>
        {own.slice(0, TROUBLES_MAX).map(({ trouble, lot }) => (
          <li key={`${lot?.id}-${trouble.kind}-${trouble.about.kind}-${trouble.about.id}`}>
            {of.length > 1 && lot !== null && `${lot.name}: `}
            {sentenceOf(trouble, words)}
          </li>
        ))}
        {own.length > TROUBLES_MAX && <li class="said">{say.more(own.length - TROUBLES_MAX)}</li>}
      </ul>
    </section>
  );
}
