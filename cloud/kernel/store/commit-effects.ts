/** Collects what follows the commit of one transaction. */
import type { Logger } from '../../../shared/logger.js';
import type { CommitEffect } from './cloud-store.js';

export interface CommitEffects {
  add(effect: CommitEffect): void;
  /** Calls all of them at once, in order. Resolves, never rejects, when the last promise that they returned has settled. */
  run(): Promise<void>;
}

export function createCommitEffects(logger: Logger): CommitEffects {
  const effects: CommitEffect[] = [];

  async function call(effect: CommitEffect): Promise<void> {
    try {
      await effect();
    } catch (error) {
      logger.error({ err: error }, 'an effect of a committed change failed');
    }
  }

  return {
    add: (effect) => void effects.push(effect),
    async run() {
      await Promise.all(effects.map(call));
    },
  };
}
