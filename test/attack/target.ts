import { TEST_SITE } from '../sim/world/site.js';
import type { World } from '../sim/world/world.js';
import type { AttackTarget } from './attacks.js';
import type { Stranger } from './stranger.js';

/** A world as its attackers see it. */
export const targetOf = (world: World, stranger: Stranger): AttackTarget => ({
  cloudPort: Number(new URL(world.cloudUrl).port),
  brokerPort: world.brokerPort,
  agentPort: Number(new URL(world.agentUrl).port),
  pushPath: `/lpr/hikvision/${TEST_SITE.entryCamera}/entry-push-key`,
  stranger,
});
