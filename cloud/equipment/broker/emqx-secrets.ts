/** The secrets between the cloud and an EMQX cluster. They follow from the server key, so that they are kept nowhere. */
import type { Secrets } from '../../kernel/entry.js';

/** What EMQX sends with each question, so that nobody else can ask. */
export const emqxHookSecret = (derive: Secrets['derive']): string => derive('emqx', 'hook').toString('base64url');

/** The cloud's own user at the broker; no uuid is like its name. */
export const emqxLogin = (derive: Secrets['derive']): { username: string; password: string } => ({
  username: 'parking-cloud',
  password: derive('emqx', 'cloud password').toString('base64url'),
});
