/** One gateway's credential, used to send as much as the broker takes. It judges nothing. */
import mqtt from 'mqtt';

export interface Storm {
  port: number;
  uuid: string;
  password: string;
  channel: 'records' | 'report' | 'hello' | 'presence';
  /** The number of the message, from 0. */
  message(number: number): string | Uint8Array;
  count: number;
}

export interface RunningStorm {
  /** How many messages the cloud has answered on the way down. */
  answers(): number;
  end(): Promise<void>;
}

/** Publishes all of it without waiting for any answer. */
export async function stormAsGateway({ port, uuid, password, channel, message, count }: Storm): Promise<RunningStorm> {
  const client = await mqtt.connectAsync(`mqtt://127.0.0.1:${port}`, {
    clientId: uuid,
    username: uuid,
    password,
    protocolVersion: 4,
    clean: true,
    reconnectPeriod: 0,
    keepalive: 60,
  });
  client.on('error', () => {});
  let answered = 0;
  client.on('message', () => void (answered += 1));
  await client.subscribeAsync(`gw/${uuid}/down/+`, { qos: 1 });
  for (let number = 0; number < count; number++) {
    const payload = message(number);
    client.publish(`gw/${uuid}/up/${channel}`, typeof payload === 'string' ? payload : Buffer.from(payload));
  }
  return {
    answers: () => answered,
    async end() {
      await client.endAsync(true);
    },
  };
}
