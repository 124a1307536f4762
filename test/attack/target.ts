import { TEST_SITE } from '../world/site.js';
import type { World, WorldOptions } from '../world/world.js';
import { PROXY_ADDRESS } from './attack.js';
import type { AttackTarget } from './attacks.js';
import type { Stranger } from './stranger.js';

/** How a world runs that is attacked: its gateway listens to its LAN, and its cloud trusts a proxy. */
export const ATTACKED_WORLD: WorldOptions = {
  agentEnv: { AGENT_HTTP_HOST: '0.0.0.0' },
  cloudEnv: { TRUSTED_PROXIES: PROXY_ADDRESS },
};

/** A world as its attackers see it. */
export const targetOf = (world: World, stranger: Stranger): AttackTarget => ({
  cloudPort: Number(new URL(world.cloudUrl).port),
  brokerPort: world.brokerPort,
  agentPort: Number(new URL(world.agentUrl).port),
  pushPath: `/lpr/hikvision/${TEST_SITE.entryCamera}/entry-push-key`,
  email: TEST_SITE.ownerEmail,
  stranger,
});
