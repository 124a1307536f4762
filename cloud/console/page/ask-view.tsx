/** Questions about plates: would one get through, and which could be taken for each other. The address holds the question. */
import { useSignal } from '@preact/signals';
import type { components } from '@parking-gateway/client';
import { useEffect } from 'preact/hooks';
import { localTime } from '../../site/words/local-time.js';
import { momentAt } from '../wording/lot-time.js';
import { decisionSentence, type Refusal } from '../wording/sentences.js';
import { words } from './browser.js';
import { useDraft } from './draft.js';
import { CallShown, Choice, Empty, Field, Refused } from './parts.js';
import { query, setQuery } from './place.js';
import { shownPlate } from './plate-mask.js';
import { RevealButton } from './plate-part.js';
import { Rules } from './rules-part.js';
import { client, refusalOf } from './session.js';
import { type Camera, cameras, isLoaded, type Lot, lots, zoneOf } from './store.js';

type Schemas = components['schemas'];
type Admission = Schemas['Admission'];

const camerasOf = (lot: Lot): Camera[] => cameras.value.filter(({ zone_id }) => zoneOf(zone_id)?.lot_id === lot.id);
const idText = ({ id }: { id: number }): string => String(id);

export function AskView() {
  if (!isLoaded.value) return <Empty>{words.loading}</Empty>;
  const lot = lots.value.find((each) => idText(each) === query.value.get('lot')) ?? lots.value[0];
  return (
    <>
      <h1 tabIndex={-1}>{words.ask.title}</h1>
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
  const asked = {
    plate: query.value.get('plate') ?? '',
    camera: query.value.get('camera') ?? '',
    at: localTimeIn(query.value.get('at') ?? ''),
  };
  const [form, reset] = useDraft(`ask-${lot.id}`, EMPTY);
  const isMissing = useSignal(false);
  // Who opens an address finds its question in the form.
  useEffect(() => {
    if (asked.plate !== '') form.value = asked;
  }, [asked.plate, asked.camera, asked.at]);
  const { plate, at } = form.value;
  const camera = own.find((each) => idText(each) === form.value.camera) ?? firstEntry(own);
  const ask = (event: SubmitEvent) => {
    event.preventDefault();
    isMissing.value = plate.trim() === '';
    if (isMissing.value || camera === undefined) return;
    setQuery({ lot: idText(lot), plate: plate.trim(), camera: idText(camera), at });
  };
  return (
    <>
      <form class="card question" noValidate onSubmit={ask} aria-labelledby="would-admit">
        <h2 id="would-admit">{say.wouldAdmit}</h2>
        <Choice
          label={say.lot}
          value={idText(lot)}
          options={lots.value.map((each) => ({ value: idText(each), text: each.name }))}
          onValue={(value) => {
            reset();
            setQuery({ lot: value, plate: '', camera: '', at: '' });
          }}
        />
        {camera !== undefined && (
          <>
            <Field
              label={say.plate}
              value={plate}
              onValue={(value) => (form.value = { ...form.value, plate: value })}
              fault={isMissing.value && plate.trim() === '' ? words.signIn.missing : undefined}
            />
            <Choice
              label={say.camera}
              value={idText(camera)}
              options={own.map((each) => ({ value: idText(each), text: each.name }))}
              onValue={(value) => (form.value = { ...form.value, camera: value })}
            />
            <Field
              label={say.at}
              type="datetime-local"
              hint={say.atHint(lot.timezone)}
              value={at}
              onValue={(value) => (form.value = { ...form.value, at: value })}
            />
            <p class="hint">{say.nobody}</p>
            <div class="buttons">
              <button type="submit" class="main">
                {say.button}
              </button>
            </div>
          </>
        )}
        {camera === undefined && <p class="hint">{say.noCamera}</p>}
      </form>
      {asked.plate !== '' && asked.camera !== '' && <Answer lot={lot} asked={asked} />}
    </>
  );
}

const firstEntry = (own: readonly Camera[]): Camera | undefined =>
  own.find(({ lpr_position }) => lpr_position !== 'out') ?? own[0];

function Answer({ lot, asked }: { lot: Lot; asked: typeof EMPTY }) {
  const answer = useSignal<Admission | null>(null);
  const refusal = useSignal<Refusal | null>(null);
  const at = momentAt(asked.at, lot.timezone);
  const question = { plate: asked.plate, lpr_camera_id: Number(asked.camera), ...(at === null ? {} : { at }) };
  useEffect(() => {
    const abort = new AbortController();
    const read = async () => {
      try {
        answer.value = await client().get('/v2/lots/{id}/would-admit', {
          path: { id: lot.id },
          query: question,
          signal: abort.signal,
        });
        refusal.value = null;
      } catch (error) {
        if (!abort.signal.aborted) refusal.value = refusalOf(error);
      }
    };
    void read();
    return () => abort.abort();
  }, [JSON.stringify(question)]);
  const search = new URLSearchParams(Object.entries(question).map(([name, value]) => [name, String(value)]));
  return (
    <>
      <Refused refusal={refusal.value} />
      {answer.value !== null && refusal.value === null && <Answered lot={lot} answer={answer.value} />}
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
  const pairs = useSignal<readonly Schemas['PlateCollision'][] | null>(null);
  const refusal = useSignal<Refusal | null>(null);
  const size = useSignal(PAGE);
  useEffect(() => {
    client()
      .get('/v2/lots/{id}/plate-collisions', { path: { id: lot.id }, query: { size: size.value } })
      .then(
        (read) => (pairs.value = read),
        (error: unknown) => (refusal.value = refusalOf(error)),
      );
  }, [size.value]);
  return (
    <section class="card" aria-labelledby="confusable">
      <h2 id="confusable">{say.confusable}</h2>
      <p class="hint">{say.confusableWhat}</p>
      <Refused refusal={refusal.value} />
      {pairs.value?.length === 0 && <p>{say.noPairs}</p>}
      <ul class="pairs">
        {pairs.value?.map(({ kind, plates, members }) => (
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
      {pairs.value?.length === size.value && size.value < PAGE * 6 && (
        <div class="buttons">
          <button type="button" onClick={() => (size.value += PAGE)}>
            {words.sessions.nextPage}
          </button>
        </div>
      )}
    </section>
  );
}
