/** What is done and what comes next in the set-up of a lot, each step with the button that does it. */
import { signal, useSignal } from '@preact/signals';
import { useRef } from 'preact/hooks';
import { type GuideFacts, guideOf, type GuideStep, type GuideWait, isSetUp } from '../wording/lot-guide.js';
import { isUnpaired } from '../wording/product-view.js';
import { kept, words } from './browser.js';
import { AddGateway, ClaimCode, type ClaimCodeFacts } from './claim-part.js';
import { Hearing, TestButton } from './hearing-part.js';
import { Button, Dialog, Link, Notice, Refused } from './parts.js';
import { setQuery } from './place.js';
import { Pairing } from './product-settings.js';
import { useSending } from './sending.js';
import { serverNow } from './server-clock.js';
import { client, mayManage } from './session.js';
import { ChangeForm, type Changed } from './setup-things.js';
import { makeWordOf, type Made } from './setup-forms.js';
import { camerasIn, displaysIn, sensorsIn, zonesOf } from './setup-fields.js';
import { setupWords } from './setup-words.js';
import { cameras, gateways, loadDevices, type Lot, productOf, products, readings, wholeReads } from './store.js';
import { useAgain } from './use-again.js';
import { useRead } from './use-read.js';
import { VIEW_PATHS } from '../console-paths.js';

const AGAIN_MS = 4_000;
/** What no event tells: all else is in the stores, which events keep up. */
const POLLED: ReadonlySet<GuideWait> = new Set(['hearing', 'read', 'sensors', 'display']);
/** Of each kind so many things are looked at in one round; what is found to be done is not asked for again. */
const LOOKED_MAX = 5;
const HIDDEN_GUIDES = 'hidden guides';

const readHidden = (): ReadonlySet<number> => {
  const ids = kept.read(HIDDEN_GUIDES);
  return new Set(Array.isArray(ids) ? ids.filter((id) => typeof id === 'number') : []);
};

/** The lots whose guide this browser does not show. */
const hidden = signal(readHidden());

function setHidden(lotId: number, isHidden: boolean): void {
  const ids = [...hidden.value].filter((id) => id !== lotId);
  hidden.value = new Set(isHidden ? [...ids, lotId] : ids);
  kept.write(HIDDEN_GUIDES, [...hidden.value]);
}

export const isGuideHidden = (lot: Lot): boolean => hidden.value.has(lot.id);

/** Brings the guide back that somebody has hidden. */
export function ShowGuideButton({ lot }: { lot: Lot }) {
  if (!isGuideHidden(lot)) return null;
  return <Button look="small" word={setupWords.guide.show} onClick={() => setHidden(lot.id, false)} />;
}

/** Facts that stay true once they were found. */
interface Known {
  haveRead: Set<number>;
  shownAt: Map<number, string>;
}

/** The facts that no store has: they are read as long as something is to be done. */
async function readFurther(lot: Lot, { haveRead, shownAt }: Known, aborted: AbortSignal) {
  const [sensors, displays] = await Promise.all([sensorsIn(lot, aborted), displaysIn(lot, aborted)]);
  const unpaired = products.value.filter((each) => each.lot_id === lot.id && isUnpaired(each)).slice(0, LOOKED_MAX);
  const heard = await Promise.all(
    unpaired.map(async ({ id }) => {
      const receptions = await client().get('/v2/products/{id}/receptions', { path: { id }, signal: aborted });
      return receptions.length > 0 ? [id] : [];
    }),
  );
  for (const { lpr_camera_id } of readings.value) if (lpr_camera_id !== null) haveRead.add(lpr_camera_id);
  const unread = camerasIn(zonesOf(lot)).filter(({ id }) => !haveRead.has(id));
  await Promise.all(
    unread.slice(0, LOOKED_MAX).map(async ({ id }) => {
      const query = { filter: [`lpr_camera_id:eq:${id}`], size: 1 };
      if ((await client().get('/v2/plate-readings', { query, signal: aborted })).length > 0) haveRead.add(id);
    }),
  );
  const written = displays.filter(
    ({ id, driver, gateway_id }) => driver !== '' && gateway_id !== null && !shownAt.has(id),
  );
  await Promise.all(
    written.slice(0, LOOKED_MAX).map(async ({ id }) => {
      const { shown_at } = await client().get('/v2/rgb-displays/{id}/shown', { path: { id }, signal: aborted });
      if (shown_at !== null) shownAt.set(id, shown_at);
    }),
  );
  return { sensors, displays, heard: new Set(heard.flat()) };
}

/** @returns null: they have not been read yet */
function useGuide(lot: Lot) {
  const known = useRef<Known>({ haveRead: new Set(), shownAt: new Map() }).current;
  const further = useRead(`guide ${lot.id} ${wholeReads.value}`, (aborted) => readFurther(lot, known, aborted));
  const ofLot = ({ lot_id }: { lot_id: number | null }) => lot_id === lot.id;
  const facts: GuideFacts | null = further.found && {
    zones: zonesOf(lot),
    gateways: gateways.value.filter(ofLot),
    products: products.value.filter(ofLot),
    heard: further.found.heard,
    cameras: camerasIn(zonesOf(lot)),
    haveRead: known.haveRead,
    sensors: further.found.sensors,
    displays: further.found.displays.map((each) => ({ ...each, shown_at: known.shownAt.get(each.id) ?? null })),
  };
  const steps = facts && guideOf(facts, serverNow());
  const isPolled = steps === null || steps.some(({ wait }) => wait !== null && POLLED.has(wait));
  useAgain(further, isPolled ? AGAIN_MS : null);
  return { steps, found: further.found, refusal: further.refusal, again: further.again };
}

/** The part that a button of the guide opens. */
type OpenedPart = { change: Changed } | { gatewayId: number | null } | { pairing: number };

export function LotGuide({ lot }: { lot: Lot }) {
  if (!mayManage.value || isGuideHidden(lot)) return null;
  return <Guide key={lot.id} lot={lot} />;
}

function Guide({ lot }: { lot: Lot }) {
  const say = setupWords.guide;
  const opened = useSignal<OpenedPart | null>(null);
  const notice = useSignal('');
  const { steps, found, refusal, again } = useGuide(lot);
  const close = (said = '') => {
    opened.value = null;
    notice.value = said;
    again();
  };
  const open = (part: OpenedPart) => void (opened.value = part);
  if (steps === null) return <Refused refusal={refusal} onAgain={again} />;
  const part = opened.value;
  if (isSetUp(steps) && part === null) return null;
  const needed = steps.filter(({ state }) => state !== 'optional');
  const first = steps.find(({ state }) => state === 'next');
  const changeOf = (id: number, step: GuideStep['step']): Changed | undefined => {
    const product = step === 'product' ? productOf(id) : undefined;
    if (product !== undefined) return { product };
    const camera = step === 'camera' || step === 'read' ? cameras.value.find((each) => each.id === id) : undefined;
    if (camera !== undefined) return { camera };
    const sensors = step === 'sensors' ? found?.sensors.find((each) => each.id === id) : undefined;
    if (sensors !== undefined) return { sensors };
    const display = step === 'display' ? found?.displays.find((each) => each.id === id) : undefined;
    return display && { display };
  };
  return (
    <section class="card guide" aria-labelledby="lot-guide">
      <header>
        <h2 id="lot-guide">{say.title}</h2>
        <Button look="small" word={say.hide} onClick={() => setHidden(lot.id, true)} />
      </header>
      <p class="facts">{say.progress(needed.filter(({ state }) => state === 'done').length, needed.length)}</p>
      <Notice text={notice.value} />
      <ol>
        {steps.map((each) => (
          <li key={each.step} class={each.state}>
            <span class="sign" aria-hidden="true" />
            <div>
              <strong>{say.steps[each.step]}</strong> <span class="facts">{say.states[each.state]}</span>
              {each.about !== null && (
                <p class="facts">{each.wait === null ? each.about.name : say.waits[each.wait](each.about.name)}</p>
              )}
            </div>
            <StepButton
              step={each}
              isNext={each === first}
              change={each.about === null ? undefined : changeOf(each.about.id, each.step)}
              onOpen={open}
            />
          </li>
        ))}
      </ol>
      {part !== null && <OpenedDialog lot={lot} part={part} onClose={close} />}
    </section>
  );
}

/** The form in which the first thing of a step is made. */
const MAKES: Partial<Record<GuideStep['step'], Made>> = {
  zone: 'zone',
  product: 'product',
  camera: 'lpr_camera',
  sensors: 'parking_gateway',
  display: 'rgb_display',
};

function StepButton(props: {
  step: GuideStep;
  isNext: boolean;
  /** The thing that it is about, if it has a form. */
  change: Changed | undefined;
  onOpen: (part: OpenedPart) => void;
}) {
  const { step, isNext, change, onOpen } = props;
  const { state, about, wait } = step;
  const look = isNext ? 'main' : 'small';
  if (state === 'done' || state === 'later') return null;
  if (step.step === 'gateway') {
    if (wait === 'connection')
      return (
        <Link class="button small" to={VIEW_PATHS.devices}>
          {words.troubleHelp.gateway}
        </Link>
      );
    const word = about === null ? words.devices.add : words.devices.newCode;
    return <Button look={look} word={word} onClick={() => onOpen({ gatewayId: about?.id ?? null })} />;
  }
  const product = about === null ? undefined : productOf(about.id);
  if (step.step === 'pairing' && product !== undefined)
    return (
      <Button
        look={look}
        word={words.setup.pair}
        about={product.name}
        onClick={() => onOpen({ pairing: product.id })}
      />
    );
  if (step.step === 'movement' && product !== undefined) return <TestButton product={product} isNext={isNext} />;
  if (change !== undefined)
    return (
      <Button look={look} word={setupWords.guide.settings} about={about?.name} onClick={() => onOpen({ change })} />
    );
  const made = MAKES[step.step];
  return made && <Button look={look} word={makeWordOf(made)} onClick={() => setQuery({ edit: made })} />;
}

function OpenedDialog(props: { lot: Lot; part: OpenedPart; onClose: (notice?: string) => void }) {
  const { lot, part, onClose } = props;
  if ('change' in part) return <ChangeForm lot={lot} what={part.change} onClose={onClose} />;
  if ('gatewayId' in part) return <GatewayDialog lot={lot} id={part.gatewayId} onClose={onClose} />;
  const product = productOf(part.pairing);
  if (product === undefined) return null;
  return (
    <Dialog title={`${words.setup.pair}: ${product.name}`} class="editor" onClose={() => onClose()}>
      <Hearing product={product} />
      <Pairing id={product.id} />
    </Dialog>
  );
}

/** A gateway is made, or one that nobody has claimed gets a code. */
function GatewayDialog({ lot, id, onClose }: { lot: Lot; id: number | null; onClose: () => void }) {
  const code = useSignal<ClaimCodeFacts | null>(null);
  const sending = useSending([]);
  const renew = (gatewayId: number) =>
    sending.send(async () => {
      code.value = await client().post('/v2/gateways/{id}/claim-code', { path: { id: gatewayId }, body: {} });
      await loadDevices();
    });
  return (
    <Dialog title={words.devices.add} class="editor" onClose={onClose}>
      {code.value !== null ? (
        <ClaimCode code={code.value} onMade={(made) => (code.value = made)} onDone={onClose} />
      ) : id === null ? (
        <AddGateway lot={lot} onMade={(made) => (code.value = made)} />
      ) : (
        <>
          <p>{words.devices.newCodeWhat}</p>
          <Refused refusal={sending.refusal} />
          <Button look="main" word={words.devices.newCode} isBusy={sending.isBusy} onClick={() => void renew(id)} />
        </>
      )}
    </Dialog>
  );
}
