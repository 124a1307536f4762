/** The first read of a camera, as soon as it comes, and the question which way the vehicle drove: it says how the camera stands. */
import { useSignal } from '@preact/signals';
import { positionAfter } from '../wording/camera-position.js';
import { timeOf } from './browser.js';
import { useLastReading } from './last-reading.js';
import { CallsShown } from './made-calls.js';
import { Button, Refused } from './parts.js';
import { Picture } from './picture.js';
import { shownPlate } from './plate-mask.js';
import { RevealButton } from './plate-part.js';
import { cameraSetupWords } from './rare-words.js';
import { useSending } from './sending.js';
import { client } from './session.js';
import { type Camera, loadDevices, timezoneOf } from './store.js';

const say = (await cameraSetupWords()).read;

export function FirstRead({ camera }: { camera: Camera }) {
  const { id, name, zone_id, lpr_position: position } = camera;
  const { found: reading, refusal, again } = useLastReading(id);
  const sending = useSending([]);
  const answered = useSignal<{ reading: number; text: string } | null>(null);
  const answer = (drove: 'in' | 'out') => {
    if (!reading) return;
    const lpr_position = positionAfter(position, reading.direction, drove);
    const isSwapped = lpr_position !== null && reading.direction !== 'undefined';
    const text = lpr_position === null ? say.right : isSwapped ? say.swapped : say.changed[drove];
    const done = () => (answered.value = { reading: reading.id, text });
    if (lpr_position === null) {
      done();
      return;
    }
    const body = { lpr_position };
    void sending.send(
      async () => {
        await client().patch('/v2/lpr-cameras/{id}', { path: { id }, body });
        await loadDevices();
        done();
      },
      { call: { method: 'PATCH', path: `/v2/lpr-cameras/${id}`, body } },
    );
  };
  return (
    <section aria-label={say.title}>
      <h3>{say.title}</h3>
      <Refused refusal={sending.refusal ?? refusal} onAgain={again} />
      {!reading ? (
        <p class="notice busy" role="status">
          {say.waits}
        </p>
      ) : (
        <>
          <figure>
            <Picture
              url={reading.image_url ?? reading.cropped_image_url}
              alt={say.picture(name)}
              plate={reading.plate}
              onEnded={again}
            />
            <figcaption>
              {say.last(shownPlate(reading.plate), timeOf(reading.created_at, timezoneOf(zone_id)))}{' '}
              <RevealButton asked={[{ of: { list: 'plate-readings', id: reading.id }, plates: [reading.plate] }]} />
            </figcaption>
          </figure>
          <p role="status">{say.as[reading.direction]}</p>
          {answered.value?.reading === reading.id ? (
            <p class="notice good" role="status">
              {answered.value.text}
            </p>
          ) : (
            <fieldset>
              <legend>{say.question}</legend>
              <div class="buttons">
                <Button look="small" word={say.in} isBusy={sending.isBusy} onClick={() => answer('in')} />
                <Button look="small" word={say.out} isBusy={sending.isBusy} onClick={() => answer('out')} />
              </div>
            </fieldset>
          )}
        </>
      )}
      <CallsShown made={sending.made} />
    </section>
  );
}
