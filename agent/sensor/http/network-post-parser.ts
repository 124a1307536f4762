/** The meaning of a LoRa network server's post: whether it shows that a device lives, and whether it says anything of the device's place. */

type PostSays = 'place' | 'life' | 'nothing';

/** The events of ChirpStack's HTTP integration, `?event=`, that a device is behind. Others tell what the server or its gateways did. */
const OF_DEVICES: ReadonlyMap<string, PostSays> = new Map([
  ['up', 'place'],
  ['join', 'life'],
  ['status', 'life'],
]);

export const isOfDevice = (event: string): boolean => OF_DEVICES.has(event);

/**
 * Says whether a message without a count shows that its device begins to count: a join, and the first uplink at The
 * Things Stack, whose zero is left out.
 */
export const beginsToCount = (message: unknown, event: string | undefined): boolean =>
  event === 'join' || (typeof message === 'object' && message !== null && 'end_device_ids' in message);

/** @param event of the query; undefined: none. @param message one pushed message, of whatever service */
export function postSays(message: unknown, event: string | undefined): PostSays {
  if (event !== undefined) {
    const says = OF_DEVICES.get(event) ?? 'nothing';
    if (says !== 'place') return says;
  }
  if (typeof message !== 'object' || message === null) return 'place';
  if ('end_device_ids' in message) return ttnSays(message);
  // An uplink of ChirpStack; another service's message has no count of frames.
  return 'fCnt' in message ? ofPayload(message, { port: 'fPort', payload: 'data' }) : 'place';
}

/** A webhook of The Things Stack says what it is by the key that holds it. */
function ttnSays(message: object): PostSays {
  // Somebody at the console sent it; the device did not.
  if ('simulated' in message && message.simulated === true) return 'nothing';
  if ('join_accept' in message) return 'life';
  const uplink = Object.entries(message).find(([key]) => key === 'uplink_message' || key === 'uplink_normalized')?.[1];
  if (typeof uplink !== 'object' || uplink === null) return 'nothing';
  return ofPayload(uplink, { port: 'f_port', payload: 'frm_payload' });
}

/** Port 0, no port and no payload are what the radio and the network have to say to each other. */
function ofPayload(uplink: object, keys: { port: string; payload: string }): PostSays {
  const at = (key: string): unknown => Reflect.get(uplink, key) ?? '';
  return [0, ''].includes(at(keys.port) as number | string) || at(keys.payload) === '' ? 'life' : 'place';
}
