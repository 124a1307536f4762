/** Vehicles whose plate no camera could read: no event tells of them, so they are asked for while somebody looks. */
import { signal } from '@preact/signals';
import { hasLinkEnded } from '../wording/picture-link.js';
import { gathered, load } from './loading.js';
import type { Sighting } from './records.js';
import { client } from './session.js';

const SIGHTINGS_AT_ONCE = 20;

export const sightings = signal<readonly Sighting[]>([]);

export const forgetSightings = (): void => void (sightings.value = []);

const read = (): Promise<Sighting[]> => client().get('/v2/sightings', { query: { size: SIGHTINGS_AT_ONCE } });

export const loadSightings = (): Promise<void> =>
  load('sightings', read, (next) => {
    const before = new Map(sightings.value.map((each) => [each.id, each]));
    // A picture that is shown is not fetched again because its link is a new one.
    sightings.value = next.map((each) => {
      const shown = before.get(each.id);
      return shown === undefined || hasLinkEnded(shown.image_url, Date.now())
        ? each
        : { ...each, image_url: shown.image_url };
    });
  });

export const loadSightingsSoon = gathered(loadSightings);
