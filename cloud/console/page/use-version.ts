/** A thing that is edited while others may change it: the version from which the person began, and what somebody else saved since. */
import { ParkingError } from '@parking-gateway/client';
import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { actorName } from '../wording/audit-sentences.js';
import { type MergedEdits, mergeEdits } from '../wording/merge-edits.js';
import { namesOfActors } from './actor-names.js';
import { words } from './browser.js';
import { client } from './session.js';

/** A change that somebody else saved while the thing was edited. */
export interface OthersEdit<Form> extends Omit<MergedEdits<Form>, 'merged'> {
  mine: Form;
  theirs: Form;
  /** ISO datetime. */
  at: string;
  /** null: it is not known, or not yet. */
  by: string | null;
}

interface Version {
  record: object & { updated_at: string };
  etag: string | null;
}

interface Edited<Form> {
  /** `zone 3`, as the audit log names it; null: a new thing, of which there is no version. */
  target: string | null;
  /** The form as it is now. */
  form: Form;
  /** As which the form began. */
  base: Form;
  set: (form: Form) => void;
  read: (signal?: AbortSignal) => Promise<Version>;
  formOf: (record: object) => Form;
}

const WAS_CHANGED = 412;
/** A product or a camera changes by itself, too: such a change is no reason to ask a person. */
const TRIES_MAX = 5;

export function useVersion<Form extends object>(edited: Edited<Form>) {
  const { target, formOf } = edited;
  const others = useSignal<OthersEdit<Form> | null>(null);
  const version = useRef<string | null>(null);
  const base = useRef(edited.base);
  const form = useRef(edited.form);
  form.current = edited.form;

  /** Reads the thing anew and puts what others changed into the form. @returns whether a field has two answers now */
  async function readAgain(signal?: AbortSignal): Promise<boolean> {
    const { record, etag } = await edited.read(signal);
    const theirs = formOf(record);
    const mine = form.current;
    const isTyped = JSON.stringify(mine) !== JSON.stringify(base.current);
    const { merged, adopted, clashes } = mergeEdits(base.current, mine, theirs);
    version.current = etag;
    base.current = theirs;
    if (adopted.length === 0 && clashes.length === 0) return false;
    form.current = merged;
    edited.set(merged);
    if (!isTyped) return false;
    const found: OthersEdit<Form> = { mine, theirs, adopted, clashes, at: record.updated_at, by: null };
    others.value = found;
    void nameOf(target, signal).then((by) => {
      if (others.value === found) others.value = { ...found, by };
    });
    return clashes.length > 0;
  }

  useEffect(() => {
    if (target === null) return;
    const abort = new AbortController();
    // Without a version whichever there is gets changed: the service refuses nothing then.
    readAgain(abort.signal).catch(() => undefined);
    return () => abort.abort();
  }, []);

  return {
    others: others.value,
    /**
     * Makes a change of the version that the person saw. Where somebody else changed other fields, both changes count; where both changed
     * one, the person chooses.
     * @param change is given the form with what others changed, and the version to name. @throws ParkingError 412 when the person has to choose
     */
    async send<Answer>(change: (form: Form, ifMatch: { ifMatch?: string }) => Promise<Answer>): Promise<Answer> {
      for (let tries = 1; ; tries += 1) {
        try {
          return await change(form.current, version.current === null ? {} : { ifMatch: version.current });
        } catch (error) {
          const wasChanged = error instanceof ParkingError && error.status === WAS_CHANGED;
          if (!wasChanged || (await readAgain()) || tries === TRIES_MAX) throw error;
        }
      }
    },
  };
}

/** Who changed a thing last; null: the audit log does not say it to this person. */
async function nameOf(target: string | null, signal?: AbortSignal): Promise<string | null> {
  const query = { filter: [`target:eq:${target}`, 'action:like:update'], size: 1 };
  const call = signal === undefined ? {} : { signal };
  try {
    const [[entry], names] = await Promise.all([
      client().get('/v2/audit-log', { query, ...call }),
      namesOfActors(signal ?? new AbortController().signal),
    ]);
    return entry === undefined ? null : actorName(entry, names, words);
  } catch {
    return null;
  }
}
