/** The packet of MQTT 3.1.1 that an attacker needs. A library would keep to the rules. */

export interface ConnectPacket {
  clientId: string;
  username: string;
  password: string;
}

export function encodeConnect({ clientId, username, password }: ConnectPacket): Buffer {
  const [LEVEL, USERNAME_PASSWORD_CLEAN, KEEPALIVE_S] = [4, 0xc2, 60];
  const fixed = Buffer.from([LEVEL, USERNAME_PASSWORD_CLEAN, 0, KEEPALIVE_S]);
  return packet(0x10, [text('MQTT'), fixed, text(clientId), text(username), text(password)]);
}

function packet(type: number, parts: Buffer[]): Buffer {
  const body = Buffer.concat(parts);
  const length: number[] = [];
  let rest = body.length;
  do {
    const digit = rest % 128;
    rest = Math.floor(rest / 128);
    length.push(rest > 0 ? digit + 128 : digit);
  } while (rest > 0);
  return Buffer.concat([Buffer.from([type, ...length]), body]);
}

function text(value: string): Buffer {
  const bytes = Buffer.from(value);
  const length = Buffer.alloc(2);
  length.writeUInt16BE(bytes.length);
  return Buffer.concat([length, bytes]);
}
