import { setMaxListeners } from 'node:events';

/**
 * An AbortController whose signal has many listeners at once, such as one for each product, request or connection. Node logs a warning
 * about a leak when a signal has more than ten listeners; here it does not.
 */
export function createSharedAbort(): AbortController {
  const controller = new AbortController();
  setMaxListeners(0, controller.signal);
  return controller;
}
