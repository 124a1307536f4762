/** The secrets between the cloud and an EMQX cluster. They are derived from the server key, and stored nowhere. */
import type { Secrets } from '../../kernel/secrets/entry.js';

/** The secret that EMQX sends with each question, by which the cloud knows that EMQX asks. */
export const emqxHookSecret = (derive: Secrets['derive']): string => derive('emqx', 'hook').toString('base64url');

/** The cloud's own user at the broker. Its name cannot be a gateway's uuid. */
export const emqxLogin = (derive: Secrets['derive']): { username: string; password: string } => ({
  username: 'parking-cloud',
  password: derive('emqx', 'cloud password').toString('base64url'),
});
