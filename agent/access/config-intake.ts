import { revisionOf } from '../../shared/config-revision.js';
import type { ConfigMessage, ConfigSection } from '../../shared/gateway-config.js';
import type { Logger } from '../../shared/logger.js';
import type { AgentStore } from '../store/agent-store.js';
import type { AccessRules } from './access-rules.js';

/**
 * Takes a configuration message over, in memory at once and then on disk. `mismatch`: a delta on another revision than is held, or a
 * snapshot that is not what it says; nothing was changed then.
 */
export type ConfigIntake = (message: ConfigMessage) => 'applied' | 'mismatch';

export function createConfigIntake(deps: {
  rules: AccessRules;
  store: Pick<AgentStore, 'applyConfig'>;
  logger: Logger;
  onChange(section: ConfigSection): void;
}): ConfigIntake {
  const { rules, store, logger } = deps;
  return (message) => {
    const { section, base, revision } = message;
    const fits =
      base === null ? revisionOf(Object.entries(message.upsert)) === revision : base === rules.revisions()[section];
    if (!fits) return 'mismatch';
    rules.apply(message);
    deps.onChange(section);
    // The disk may fail and the gateway goes on from memory; at its next start it holds an older revision and is sent what it lacks.
    store
      .applyConfig(message)
      .catch((error: unknown) => logger.error({ err: error, section }, 'configuration could not be kept on disk'));
    logger.info(
      { section, changed: Object.keys(message.upsert).length, removed: message.remove.length },
      'configuration taken over',
    );
    return 'applied';
  };
}
