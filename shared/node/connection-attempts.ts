/**
 * Imported for its effect, once in each program: a name may have several addresses, of which Node.js gives each 250 ms before it goes on to the
 * next and never comes back. Over a satellite or a weak cell an answer takes longer than that, so that no address would ever be reached.
 */
import { setDefaultAutoSelectFamilyAttemptTimeout } from 'node:net';

const CONNECT_ATTEMPT_MS = 2_500;

setDefaultAutoSelectFamilyAttemptTimeout(CONNECT_ATTEMPT_MS);
