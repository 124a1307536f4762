/** Vehicles whose plate could not be read: their picture, and the button that lets each of them through. */
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { timeOf, words } from './browser.js';
import { commands, give, isPending } from './commands.js';
import { Button } from './parts.js';
import { sightingName } from './plate-mask.js';
import { RevealButton } from './plate-part.js';
import { CommandLine } from './command-line.js';
import { handledText, letWord, productAt } from './queue-part.js';
import { loadHandled } from './reading-store.js';
import type { Sighting } from './records.js';
import { leftToLet } from '../wording/waiting.js';
import { serverNow, useLive } from './server-clock.js';
import { loadSightings, loadSightingsSoon, sightings } from './sighting-store.js';
import { cameraOf, minute, timezoneOf, zoneOf } from './store.js';
import { Picture } from './picture.js';

/** No event tells of these vehicles, nor who dealt with one, and their drivers wait at the barrier. */
const AGAIN_MS = 10_000;

/** Keeps up what waits, and who dealt with it, while that is looked at. */
export function useWaiting(): void {
  useEffect(() => {
    const ask = () => {
      void loadSightings();
      void loadHandled();
    };
    ask();
    const timer = setInterval(ask, AGAIN_MS);
    return () => clearInterval(timer);
  }, []);
}

/** Those that probably still wait are listed above the vehicles whose plates were read. */
export const isWaiting = ({ created_at, handled_at }: Sighting): boolean =>
  handled_at === null && leftToLet(created_at, serverNow()) >= 0;

export function Sightings({ when }: { when: 'now' | 'earlier' }) {
  void minute.value;
  const shown = sightings.value.filter((each) => (when === 'now' ? isWaiting(each) : !isWaiting(each)));
  if (shown.length === 0) return null;
  return (
    <>
      <h2>{words.live.sightings}</h2>
      <ul class="sightings">
        {shown.map((sighting) => (
          <SightingCard key={sighting.id} sighting={sighting} />
        ))}
      </ul>
    </>
  );
}

function SightingCard({ sighting }: { sighting: Sighting }) {
  const { id, image_url, lpr_camera_id, zone_id, created_at } = sighting;
  /** Of the product there may be a command for another vehicle. */
  const isSent = useSignal(false);
  const isLive = useLive(created_at);
  const product = productAt(sighting);
  const given = product === undefined ? undefined : commands.value.get(product.id);
  const text = words.live.sighting(cameraOf(lpr_camera_id)?.name ?? '–');
  const time = timeOf(created_at, timezoneOf(zone_id));
  const word = letWord(sighting);
  const handled = handledText(sighting);
  const open = () => {
    if (product === undefined || isPending(given)) return;
    isSent.value = true;
    void give(product.id, 'open', { reason: words.live.sightingReason, plate_sighting_id: id });
  };
  return (
    <li class="card">
      <Picture url={image_url} alt={text} plate={sightingName(id)} onEnded={loadSightingsSoon} />
      <RevealButton
        asked={[{ of: { list: 'lots', id: zoneOf(zone_id)?.lot_id ?? 0 }, plates: [sightingName(id)] }]}
        word={words.mask.showPicture}
      />
      <p>
        {text} · {time}
      </p>
      {handled !== null ? (
        <p class="hint">{handled}</p>
      ) : product === undefined ? (
        <p class="hint">{words.live.noProduct}</p>
      ) : (
        isLive && <Button look="main" word={word} isBusy={isPending(given)} about={`${text}, ${time}`} onClick={open} />
      )}
      {isSent.value && given !== undefined && <CommandLine given={given} withDetails />}
    </li>
  );
}
