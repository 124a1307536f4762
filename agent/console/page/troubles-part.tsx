/** The list of the troubles of this gateway, each with its age and the way to its remedy. */
import { sinceText } from '../../../shared/troubles/age.js';
import { sentenceOf } from '../../../shared/troubles/trouble-sentences.js';
import { needsPerson, type SubjectKind, type Trouble } from '../../../shared/troubles/trouble.js';
import { Button } from '../../../shared/page/parts.js';
import type { LocalView } from '../view/local-view.js';
import { timeOf, words } from './browser.js';
import { gatewayNow } from './view-store.js';

export function TroublesPart({ view: { troubles } }: { view: LocalView }) {
  if (troubles.length === 0) return null;
  return (
    <ul class="troubles" aria-label={words().troubles.title}>
      {troubles.map((each) => (
        <li
          key={`${each.kind} ${each.about.id} ${JSON.stringify(each.facts)}`}
          class={needsPerson(each) ? '' : 'awaited'}
        >
          <span>
            {sentenceOf(each, words())} <Age trouble={each} />
          </span>
          <Help trouble={each} />
        </li>
      ))}
    </ul>
  );
}

function Age({ trouble }: { trouble: Trouble }) {
  const text = sinceText(trouble, words().ages, {
    nowMs: gatewayNow.value,
    timeOf: (ms) => timeOf(new Date(ms).toISOString()),
  });
  return text === null ? null : <span class="age">{text}</span>;
}

/** Where each kind of thing stands: below, or in another view. */
const PLACES: Partial<Record<SubjectKind, { view: string } | { at: (id: number | string) => string }>> = {
  product: { at: (id) => `product-${id}` },
  camera: { at: (id) => `camera-${id}` },
  parking_gateway: { view: 'places' },
  display: { view: 'places' },
  gateway: { view: 'health' },
};

function Help({ trouble: { about } }: { trouble: Trouble }) {
  const place = PLACES[about.kind];
  const help: Partial<Record<SubjectKind, string>> = words().troubleHelp;
  const word = help[about.kind];
  if (place === undefined || word === undefined) return null;
  const go = () => {
    if ('view' in place) location.hash = place.view;
    else document.getElementById(place.at(about.id))?.scrollIntoView({ block: 'center' });
  };
  return <Button look="small" word={word} about={about.name} onClick={go} />;
}
