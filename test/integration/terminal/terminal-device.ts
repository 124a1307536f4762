/** A terminal's end of the link: its key, what it signs, and a real MQTT client. */
import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import mqtt, { type IClientOptions, type MqttClient } from 'mqtt';
import { rawPublicKey } from '../../world/raw-public-key.js';
import { terminalClientId, terminalDownTopic, terminalUpTopic } from '../../../shared/topics.js';

export interface TerminalKey {
  publicKey: string;
  sign(text: string): string;
}

export function generateTerminalKey(): TerminalKey {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  return {
    publicKey: rawPublicKey(publicKey),
    sign: (text) => signText(privateKey, text),
  };
}

const signText = (key: KeyObject, text: string): string => sign(null, Buffer.from(text), key).toString('base64url');

export const terminalCredentials = ({ publicKey, sign: signed }: TerminalKey): IClientOptions => ({
  clientId: terminalClientId(publicKey),
  username: terminalClientId(publicKey),
  password: signed(terminalClientId(publicKey)),
  protocolVersion: 4,
  clean: true,
  reconnectPeriod: 0,
});

/** What a terminal would say to this request: all that it was asked, and more of itself. */
export function confirmation(key: TerminalKey, request: string, changed: object = {}): string {
  const { request_id, device_id, mac } = JSON.parse(request) as Record<string, string>;
  const statement = JSON.stringify({ request_id, device_id, mac, version: '2.0.1', ...changed });
  return JSON.stringify({ statement, signature: key.sign(statement) });
}

/** Connects and answers every registration as `answer` says; null: it keeps silent. */
export async function connectTerminal(
  port: number,
  key: TerminalKey,
  answer: (request: string) => string | null = (request) => confirmation(key, request),
): Promise<MqttClient> {
  const client = await mqtt.connectAsync(`mqtt://127.0.0.1:${port}`, terminalCredentials(key), false);
  client.on('error', () => {});
  client.on('message', (_topic, payload) => {
    const said = answer(payload.toString('utf8'));
    if (said !== null) client.publish(terminalUpTopic(key.publicKey), said);
  });
  await client.subscribeAsync(terminalDownTopic(key.publicKey));
  return client;
}
