/** Keeps values of a page in the browser. */

/** Storage is missing in some private windows: then nothing is kept, and all else works. */
function tryStorage<T>(work: () => T): T | null {
  try {
    return work();
  } catch {
    return null;
  }
}

interface Kept {
  read(name: string): unknown;
  write(name: string, value: unknown): void;
  forget(name: string): void;
  /** @param isMeant whether what has this name is forgotten */
  forgetAll(isMeant: (name: string) => boolean): void;
}

const PREFIX = 'parking.';

export const keptIn = (storage: () => Storage): Kept => ({
  read: (name) => tryStorage(() => JSON.parse(storage().getItem(PREFIX + name) ?? 'null') as unknown),
  write: (name, value) => void tryStorage(() => storage().setItem(PREFIX + name, JSON.stringify(value))),
  forget: (name) => void tryStorage(() => storage().removeItem(PREFIX + name)),
  forgetAll: (isMeant) =>
    void tryStorage(() => {
      const own = Object.keys(storage()).filter((key) => key.startsWith(PREFIX) && isMeant(key.slice(PREFIX.length)));
      for (const key of own) storage().removeItem(key);
    }),
});
