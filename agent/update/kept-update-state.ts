/** Keeps where the update is: in memory for this start, and in a file for the next one, which may be of the other slot. */
import { join } from 'node:path';
import { errorText } from '../../shared/error-text.js';
import type { Logger } from '../../shared/logger.js';
import { beginUpdate, FIRST_STATE, type InstalledSoftware, type UpdateState } from './update-machine.js';
import { readUpdateState, writeUpdateState } from './update-state-file.js';

export type KeptUpdateState = ReturnType<typeof createKeptUpdateState>;

/** @param of.onChange called when the phase or the error is another one */
export function createKeptUpdateState(of: { directory: string; logger: Logger; onChange: () => void }) {
  const { directory, logger, onChange } = of;
  const path = join(directory, 'state.json');
  let state = FIRST_STATE;
  let unkept: string | null = null;

  function change(next: UpdateState): void {
    const { phase, release, error } = next;
    if (phase !== state.phase) {
      const version = release?.version ?? state.release?.version;
      logger.info({ phase, release: version, reason: error }, 'the update went on');
    }
    const isNews = phase !== state.phase || error !== state.error;
    state = next;
    if (isNews) onChange();
  }

  /**
   * Keeps the state before it counts. On a disk that refuses it counts all the same, and is written as soon as that is possible: after a power
   * cut before that, a step is done again.
   */
  function set(next: UpdateState): void {
    if (next === state && unkept === null) return;
    try {
      writeUpdateState(path, next);
      unkept = null;
    } catch (error) {
      if (unkept === null) logger.error({ err: error }, 'the state of the update cannot be kept');
      unkept = `the state of the update cannot be kept: ${errorText(error)}`;
    }
    change(next);
  }

  return {
    now: (): UpdateState => state,
    /** Why the state is not on the disk as it is here; null: it is. */
    problem: (): string | null => unkept,
    /** Reads the state after the start of the program. */
    begin(software: InstalledSoftware): void {
      const kept = readUpdateState(path);
      if (kept === null) logger.error({ path }, 'the state of the update is damaged: it begins anew');
      state = kept ?? FIRST_STATE;
      set(beginUpdate(state, software));
    },
    set,
    /** Keeps a state without which the other slot would not know what it is. @throws when the disk refuses: it is as it was */
    keep(next: UpdateState): void {
      writeUpdateState(path, next);
      unkept = null;
      change(next);
    },
  };
}
