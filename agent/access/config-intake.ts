import { revisionOf } from '../../shared/config-revision.js';
import type { ConfigMessage, ConfigSection } from '../../shared/gateway-config.js';
import type { Logger } from '../../shared/logger.js';
import type { AgentStore } from '../store/agent-store.js';
import type { AccessRules } from './access-rules.js';

export interface ConfigIntake {
  /**
   * Takes a configuration message over, in memory at once and then on disk. `mismatch`: a delta on another revision than is held, or a
   * snapshot that is not what it says; nothing was changed then.
   */
  take(message: ConfigMessage): 'applied' | 'mismatch';
  /** What to tell the cloud as held: without a section that the disk does not have as memory does, so that it comes whole again. */
  revisions(): Record<string, string>;
}

export function createConfigIntake(deps: {
  rules: AccessRules;
  store: Pick<AgentStore, 'applyConfig'>;
  logger: Logger;
  onChange(section: ConfigSection): void;
}): ConfigIntake {
  const { rules, store, logger } = deps;
  /** Sections of which the disk could not keep a change: it takes no further one, until a snapshot puts it right. */
  const unkept = new Set<ConfigSection>();

  async function keep(message: ConfigMessage): Promise<void> {
    const { section, base } = message;
    try {
      await store.applyConfig(message);
      if (base === null) unkept.delete(section);
    } catch (error) {
      unkept.add(section);
      logger.error({ err: error, section }, 'configuration could not be kept on disk');
    }
  }

  return {
    take(message) {
      const { section, base, revision } = message;
      const fits =
        base === null ? revisionOf(Object.entries(message.upsert)) === revision : base === rules.revisions()[section];
      if (!fits) return 'mismatch';
      rules.apply(message);
      deps.onChange(section);
      // The disk may fail and the gateway goes on from memory.
      void keep(message);
      logger.info(
        { section, changed: Object.keys(message.upsert).length, removed: message.remove.length },
        'configuration taken over',
      );
      return 'applied';
    },
    revisions() {
      return Object.fromEntries(
        Object.entries(rules.revisions()).filter(([section]) => !unkept.has(section as ConfigSection)),
      );
    },
  };
}
