/** The members that are chosen to be changed together. They stay chosen while the list is searched, until the view is left. */
import { signal } from '@preact/signals';

/** Their ids with their names; a name is empty where the row was never shown. */
export const chosenMembers = signal<ReadonlyMap<number, string>>(new Map());

export function choose(members: Iterable<readonly [id: number, name: string]>): void {
  chosenMembers.value = new Map([...chosenMembers.value, ...members]);
}

export function chooseNot(ids: Iterable<number>): void {
  const left = new Map(chosenMembers.value);
  for (const id of ids) left.delete(id);
  chosenMembers.value = left;
}

export const chooseNone = (): void => void (chosenMembers.value = new Map());
