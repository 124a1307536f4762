import { setMaxListeners } from 'node:events';

/**
 * An AbortController on whose signal many wait at once, each as long as its own work lasts: one for each product, request or connection. Node
 * takes more than ten listeners for a leak, and says so in the log.
 */
export function createSharedAbort(): AbortController {
  const controller = new AbortController();
  setMaxListeners(0, controller.signal);
  return controller;
}
