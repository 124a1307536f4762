/** `parking-agent displays test NAME` */
import { orderGateway } from './local-client.js';

/** Beyond the time that the gateway itself gives the display. */
const DISPLAY_WITHIN_MS = 20_000;

/**
 * Shows a text on a display of the running gateway.
 * @returns what to print
 * @throws Error that names the display and says why it did not take the text
 */
export async function testDisplay(
  place: { httpHost: string; httpPort: number },
  { name, text }: { name: string; text: string },
): Promise<string> {
  await orderGateway(place, { path: '/display-test', body: { name, text }, withinMs: DISPLAY_WITHIN_MS }, name);
  return `${name} took the text "${text}"; it shows its own again soon.`;
}
