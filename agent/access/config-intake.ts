import { revisionOf } from '../../shared/config-revision.js';
import type { ConfigMessage, ConfigSection } from '../../shared/gateway-config.js';
import type { Logger } from '../../shared/logger.js';
import type { AgentStore } from '../store/agent-store.js';
import type { AccessRules } from './access-rules.js';

export interface ConfigIntake {
  /**
   * Applies a configuration message, in memory at once and then on disk. `mismatch`: the delta's base is not the held revision, or the
   * snapshot does not have the revision that it names; nothing was changed.
   */
  apply(message: ConfigMessage): 'applied' | 'mismatch';
  /** The revisions for the cloud. A section that the disk could not keep is left out, so that the cloud sends it whole again. */
  revisions(): Record<string, string>;
}

export function createConfigIntake(deps: {
  rules: AccessRules;
  store: Pick<AgentStore, 'applyConfig'>;
  logger: Logger;
  onChange(section: ConfigSection): void;
}): ConfigIntake {
  const { rules, store, logger } = deps;
  /** Sections of which the disk could not keep a change. The store refuses further deltas of them until a snapshot comes. */
  const unsaved = new Set<ConfigSection>();

  async function keep(message: ConfigMessage): Promise<void> {
    const { section, base } = message;
    try {
      await store.applyConfig(message);
      if (base === null) unsaved.delete(section);
    } catch (error) {
      unsaved.add(section);
      logger.error({ err: error, section }, 'configuration could not be kept on disk');
    }
  }

  return {
    apply(message) {
      const { section, base, revision } = message;
      const fits =
        base === null ? revisionOf(Object.entries(message.upsert)) === revision : base === rules.revisions()[section];
      if (!fits) return 'mismatch';
      rules.apply(message);
      deps.onChange(section);
      // The disk may fail: the gateway then goes on from memory.
      void keep(message);
      logger.info(
        { section, changed: Object.keys(message.upsert).length, removed: message.remove.length },
        'configuration applied',
      );
      return 'applied';
    },
    revisions() {
      return Object.fromEntries(
        Object.entries(rules.revisions()).filter(([section]) => !unsaved.has(section as ConfigSection)),
      );
    },
  };
}
