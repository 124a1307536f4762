/** What the forms have in common in which a car park is set up. */
import type { Faults } from '../wording/field-faults.js';
import { words } from './browser.js';
import { Choice, named } from './parts.js';
import { loadAll, type Lot, zones } from './store.js';

export interface SetupFormProps {
  lot: Lot;
  onClose: (told: string) => void;
}

export const missing = (name: string, text: string): Faults =>
  text.trim() === '' ? { [name]: words.signIn.missing } : {};

export const wholeFault = (name: string, text: string, { least, most }: { least: number; most: number }): Faults =>
  /^\d{1,9}$/.test(text) && Number(text) >= least && Number(text) <= most
    ? {}
    : { [name]: words.forms.number(least, most) };

/** @param text of a choice; empty: none */
export const idOf = (text: string): number | null => (text === '' ? null : Number(text));
export const nameOf = ({ name }: { name: string }): string => name;

export const zonesOf = (lot: Lot) => zones.value.filter(({ lot_id }) => lot_id === lot.id);
export const firstZone = (lot: Lot): string => String(zonesOf(lot)[0]?.id ?? '');

/** What was made or changed is shown at once. */
export const done = async (work: Promise<unknown>): Promise<void> => {
  await work;
  await loadAll();
};

/** In which zone something stands. */
export function ZoneChoice(props: {
  lot: Lot;
  value: string;
  onValue: (zone: string) => void;
  isOptional?: boolean;
  fault?: string | undefined;
}) {
  const { lot, isOptional = false, ...choice } = props;
  const none = isOptional ? [{ value: '', text: '–' }] : [];
  return <Choice {...choice} label={words.setup.inZone} options={[...none, ...named(zonesOf(lot))]} />;
}
