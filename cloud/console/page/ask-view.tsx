/** Questions about plates: would one get through, and which could be taken for each other. The address holds the question. */
import type { components } from '@parking-gateway/client';
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { localTime } from '../../site/words/local-time.js';
import { momentAt } from '../wording/lot-time.js';
import { decisionSentence } from '../wording/sentences.js';
import { words } from './browser.js';
import { useKeyedDraft } from './draft.js';
import { Choice, fieldsOf, named } from './fields.js';
import { LoadingSign } from './loading-sign.js';
import { Button, CallShown, Empty, Refused } from './parts.js';
import { queryOf, setQuery } from './place.js';
import { shownPlate } from './plate-mask.js';
import { RevealButton } from './plate-part.js';
import { Rules } from './rules-part.js';
import { client } from './session.js';
import { type Camera, cameras, isLoaded, type Lot, lots, zoneOf } from './store.js';
import { useRead } from './use-read.js';

type Schemas = components['schemas'];
type Admission = Schemas['Admission'];

const camerasOf = (lot: Lot): Camera[] => cameras.value.filter(({ zone_id }) => zoneOf(zone_id)?.lot_id === lot.id);
const idText = ({ id }: { id: number }): string => String(id);

export function AskView() {
  if (!isLoaded.value) return <LoadingSign />;
  const lot = lots.value.find((each) => idText(each) === queryOf('lot')) ?? lots.value[0];
  return (
    <>
      <h1 tabIndex={-1}>{words.views.ask}</h1>
      {lot === undefined ? (
        <Empty>{words.overview.noLots}</Empty>
      ) : (
        <>
          <WouldAdmit key={`question ${lot.id}`} lot={lot} />
          <Collisions key={`pairs ${lot.id}`} lot={lot} />
        </>
      )}
    </>
  );
}

const EMPTY = { plate: '', camera: '', at: '' };

/** The local time in an address, as a browser's field has it; empty for what is none. */
const localTimeIn = (text: string): string => (/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}$/.test(text) ? text : '');

function WouldAdmit({ lot }: { lot: Lot }) {
  const say = words.ask;
  const own = camerasOf(lot);
  const question = { plate: queryOf('plate'), camera: queryOf('camera'), at: localTimeIn(queryOf('at')) };
  const { form, set, reset } = useKeyedDraft(`ask-${lot.id}`, EMPTY);
  const isTried = useSignal(false);
  // The question of the address is filled into the form.
  useEffect(() => {
    if (question.plate !== '') set(question);
  }, [question.plate, question.camera, question.at]);
  const { plate, at } = form;
  const { field } = fieldsOf(form, set, (name) =>
    name === 'plate' && isTried.value && plate.trim() === '' ? words.signIn.missing : undefined,
  );
  const camera = own.find((each) => idText(each) === form.camera) ?? firstEntry(own);
  const ask = (event: SubmitEvent) => {
    event.preventDefault();
    isTried.value = true;
    if (plate.trim() === '' || camera === undefined) return;
    setQuery({ lot: idText(lot), plate: plate.trim(), camera: idText(camera), at });
  };
  return (
    <>
      <form class="card question" noValidate onSubmit={ask} aria-labelledby="would-admit">
        <h2 id="would-admit">{say.wouldAdmit}</h2>
        <Choice
          label={words.forms.lot}
          value={idText(lot)}
          options={named(lots.value)}
          onValue={(value) => {
            reset();
            setQuery({ lot: value, plate: '', camera: '', at: '' });
          }}
        />
        {camera !== undefined && (
          <>
            {field('plate', words.forms.plate)}
            <Choice
              label={say.camera}
              value={idText(camera)}
              options={named(own)}
              onValue={(value) => set({ camera: value })}
            />
            {field('at', say.at, { type: 'datetime-local', hint: say.atHint(lot.timezone) })}
            <p class="hint">{say.nobody}</p>
            <div class="buttons">
              <Button look="main" word={say.button} />
            </div>
          </>
        )}
        {camera === undefined && <p class="hint">{say.noCamera}</p>}
      </form>
      {question.plate !== '' && question.camera !== '' && <Answer lot={lot} asked={question} />}
    </>
  );
}

const firstEntry = (own: readonly Camera[]): Camera | undefined =>
  own.find(({ lpr_position }) => lpr_position !== 'out') ?? own[0];

function Answer({ lot, asked }: { lot: Lot; asked: typeof EMPTY }) {
  const at = momentAt(asked.at, lot.timezone);
  const question = { plate: asked.plate, lpr_camera_id: Number(asked.camera), ...(at === null ? {} : { at }) };
  const { found, refusal } = useRead(JSON.stringify(question), (signal) =>
    client().get('/v2/lots/{id}/would-admit', { path: { id: lot.id }, query: question, signal }),
  );
  const search = new URLSearchParams(Object.entries(question).map(([name, value]) => [name, String(value)]));
  return (
    <>
      <Refused refusal={refusal} />
      {found !== null && refusal === null && <Answered lot={lot} answer={found} />}
      <CallShown call={{ method: 'GET', path: `/v2/lots/${lot.id}/would-admit?${search}` }} />
    </>
  );
}

function Answered({ lot, answer }: { lot: Lot; answer: Admission }) {
  const say = words.ask;
  const { access_decision, plate, lpr_camera_id, rules } = answer;
  const camera = cameras.value.find(({ id }) => id === lpr_camera_id);
  const direction = camera?.lpr_position === 'out' ? 'out' : 'in';
  const sentence = say.answer({
    plate,
    camera: camera?.name ?? '–',
    at: localTime(Date.parse(answer.at), { locale: words.locale, timezone: lot.timezone }),
    decision: decisionSentence({ direction, ...answer }, words),
  });
  const [head, tone] =
    access_decision === null
      ? [say.undecided, '']
      : access_decision === 'triggered'
        ? [say.yes, 'good']
        : [say.no, 'bad'];
  return (
    <div class={`answer ${tone}`} role="status">
      <p>
        <strong>{head}</strong> {sentence}
      </p>
      <Rules rules={rules} />
    </div>
  );
}

const PAGE = 50;

function Collisions({ lot }: { lot: Lot }) {
  const say = words.ask;
  const size = useSignal(PAGE);
  const pairs = useRead(String(size.value), (signal) =>
    client().get('/v2/lots/{id}/plate-collisions', { path: { id: lot.id }, query: { size: size.value }, signal }),
  );
  return (
    <section class="card" aria-labelledby="confusable">
      <h2 id="confusable">{say.confusable}</h2>
      <p class="hint">{say.confusableWhat}</p>
      <Refused refusal={pairs.refusal} />
      {pairs.found?.length === 0 && <p>{say.noPairs}</p>}
      <ul class="pairs">
        {pairs.found?.map(({ kind, plates, members }) => (
          <li key={plates.join(' ')} class="card">
            <span>
              {plates.map((plate, at) => (
                <span key={plate}>
                  {at > 0 && ' · '}
                  <span class="plate">{shownPlate(plate)}</span>
                </span>
              ))}{' '}
              <RevealButton asked={[{ of: { list: 'lots', id: lot.id }, plates }]} />
            </span>
            <span class="tag warn">{kind === 'look_alike' ? say.lookAlike : say.oneEdit}</span>
            <span class="facts">
              {members.length === 0 ? say.noMember : members.map(({ name }) => name).join(', ')}
            </span>
          </li>
        ))}
      </ul>
      {pairs.found?.length === size.value && size.value < PAGE * 6 && (
        <div class="buttons">
          <Button word={words.forms.more} onClick={() => (size.value += PAGE)} />
        </div>
      )}
    </section>
  );
}
