/** Whose the plates are, for the list on paper: in an emergency people are called by their names. */
import { signal } from '@preact/signals';
import { normalisePlate } from '../../../shared/plate/normalise-plate.js';
import { allMembers } from './member-reads.js';
import { signedIn } from './session.js';

/** Nobody waits longer for names: the list is whole without them. */
const WAITED_MS = 3_000;

/** By normalised plates. */
const names = signal<ReadonlyMap<string, string>>(new Map());

/** Another person may see other members. */
signedIn.subscribe(() => (names.value = new Map()));

/** The member's name; undefined: it is no member's, or not known. */
export const nameOfPlate = (plate: string): string | undefined => names.value.get(normalisePlate(plate));

/** Reads the names, as long as somebody waits for it. What cannot be read is left out. */
export async function readNames(): Promise<void> {
  const read = allMembers().then(
    (members) =>
      (names.value = new Map(
        members.flatMap(({ plates, name }) => plates.map((plate) => [normalisePlate(plate), name] as const)),
      )),
    () => undefined,
  );
  await Promise.race([read, new Promise((resolve) => setTimeout(resolve, WAITED_MS))]);
}
