/** Cameras are found by what they answer to the questions of three protocols. */
import { createSocket, type Socket } from 'node:dgram';
import { randomUUID } from 'node:crypto';
import * as fc from '../../property.js';
import { afterEach, describe, expect, it } from 'vitest';
import {
  DISCOVERY_PROTOCOLS,
  discoverCameras,
  type DiscoveryProtocol,
} from '../../../agent/lpr/discovery/discover-cameras.js';
import {
  parseDhipAnswer,
  parseProbeMatches,
  parseSadpAnswer,
} from '../../../agent/lpr/discovery/discovery-answers-parser.js';
import { mutate } from '../../attack/mutated-bytes.js';
import { runs } from '../../depth.js';

const PROBE_MATCH = `<?xml version="1.0"?><s:Envelope xmlns:s="http://www.w3.org/2003/05/soap-envelope" xmlns:d="http://schemas.xmlsoap.org/ws/2005/04/discovery"><s:Header/><s:Body><d:ProbeMatches><d:ProbeMatch><d:Types>dn:NetworkVideoTransmitter</d:Types><d:Scopes>onvif://www.onvif.org/type/video_encoder onvif://www.onvif.org/name/ACME%20Cam onvif://www.onvif.org/hardware/LPR-9</d:Scopes><d:XAddrs>http://10.0.0.9/onvif/device_service http://127.0.0.1:8080/onvif/device_service</d:XAddrs></d:ProbeMatch></d:ProbeMatches></s:Body></s:Envelope>`;
const SADP = `<?xml version="1.0" encoding="utf-8"?><ProbeMatch><Uuid>X</Uuid><Types>inquiry</Types><DeviceDescription>DS-TCG406-E</DeviceDescription><DeviceSN>DS-TCG406-E0000000001</DeviceSN><HttpPort>80</HttpPort><MAC>02-00-00-00-00-31</MAC><IPv4Address>127.0.0.1</IPv4Address><Activated>false</Activated><DigitalChannelNum>0</DigitalChannelNum></ProbeMatch>`;
const dhip = (document: unknown): Buffer => {
  const json = Buffer.from(JSON.stringify(document));
  const header = Buffer.alloc(32);
  header.write('DHIP', 4, 'latin1');
  return Buffer.concat([header, json]);
};
const DHIP = dhip({
  mac: '02:00:00:00:00:41',
  method: 'client.notifyDevInfo',
  params: { deviceInfo: { DeviceType: 'ITC413', SerialNo: '8J0AB1234567', HttpPort: 8081, Vendor: 'Dahua' } },
});
const ANSWERS = [Buffer.from(PROBE_MATCH), Buffer.from(SADP), DHIP];

describe('discovery', () => {
  const sockets: Socket[] = [];
  afterEach(() => {
    for (const socket of sockets.splice(0)) socket.close();
  });

  /** A device that answers whoever asks it, and keeps the questions. */
  async function answering(answer: Buffer, questions: Buffer[]): Promise<number> {
    const socket = createSocket('udp4');
    sockets.push(socket);
    socket.on('message', (question, { port, address }) => {
      questions.push(question);
      socket.send('no answer at all', port, address);
      socket.send(answer, port, address);
      socket.send(answer, port, address);
    });
    await new Promise<void>((resolve) => void socket.bind(0, '127.0.0.1', resolve));
    return socket.address().port;
  }

  it('finds one row for each address, and asks nothing but who is there', async () => {
    const questions: Buffer[] = [];
    const protocols: DiscoveryProtocol[] = [];
    for (const [index, protocol] of DISCOVERY_PROTOCOLS.entries()) {
      const port = await answering(ANSWERS[index] ?? Buffer.alloc(0), questions);
      protocols.push({ ...protocol, to: ['127.0.0.1'], port, listenOn: null });
    }
    const found = await discoverCameras({ forMs: 700, newUuid: randomUUID, protocols });
    expect(found).toMatchObject([
      {
        address: 'http://127.0.0.1',
        vendor: 'Hikvision',
        model: 'DS-TCG406-E',
        mac: '02:00:00:00:00:31',
        by: 'sadp',
        notes: 'has no password yet: activate it',
      },
      { address: 'http://127.0.0.1:8080', vendor: 'ACME Cam', model: 'LPR-9', by: 'ws-discovery' },
      { address: 'http://127.0.0.1:8081', vendor: 'Dahua', model: 'ITC413', serial: '8J0AB1234567', by: 'dhip' },
    ]);
    const said = questions.map((question) => question.toString('latin1'));
    expect(said.some((text) => text.includes('NetworkVideoTransmitter'))).toBe(true);
    expect(said.some((text) => /<Uuid>[0-9A-F-]{36}<\/Uuid><Types>inquiry</.test(text))).toBe(true);
    expect(said.some((text) => text.slice(4, 8) === 'DHIP' && text.includes('DHDiscover.search'))).toBe(true);
    expect(questions).toHaveLength(3);
  });

  it('asks a group on each of its own networks, and ends in peace where there is none', async () => {
    const group = '239.255.255.250';
    const questions: Buffer[] = [];
    const socket = createSocket({ type: 'udp4', reuseAddr: true });
    sockets.push(socket);
    socket.on('message', (question) => questions.push(question));
    await new Promise<void>((resolve) => void socket.bind(0, resolve));
    socket.addMembership(group, '127.0.0.1');
    const { port } = socket.address();
    const [protocol] = DISCOVERY_PROTOCOLS;
    if (protocol === undefined) throw new Error('there is no protocol');
    const protocols = [{ ...protocol, to: [group], port, listenOn: null }];
    // Of two networks that are there, and one that is not: 192.0.2.1 is nobody's.
    const addresses = ['127.0.0.1', '192.0.2.1', '127.0.0.1'];
    const found = await discoverCameras({ forMs: 500, newUuid: randomUUID, protocols, addresses });
    expect([found, questions.length]).toEqual([[], 2]);
  });

  it('ends in peace where a port is taken', async () => {
    const socket = createSocket('udp4');
    sockets.push(socket);
    await new Promise<void>((resolve) => void socket.bind(0, resolve));
    const [protocol] = DISCOVERY_PROTOCOLS;
    if (protocol === undefined) throw new Error('there is no protocol');
    const protocols = [{ ...protocol, listenOn: socket.address().port }];
    expect(await discoverCameras({ forMs: 200, newUuid: randomUUID, protocols, addresses: [] })).toEqual([]);
  });

  it('takes no answer for more than it is', () => {
    const seen = fc.constantFrom(...ANSWERS).chain((answer) => mutate(answer));
    fc.assert(
      fc.property(seen, ({ bytes }) => {
        const text = bytes.toString('utf8');
        for (const camera of [
          parseProbeMatches(text, '10.0.0.9'),
          parseSadpAnswer(text, '10.0.0.9'),
          parseDhipAnswer(bytes, '10.0.0.9'),
        ]) {
          // Wherever the answer says that it is, the camera is where the answer came from.
          if (camera !== null) expect(camera.address).toMatch(/^http:\/\/10\.0\.0\.9(:\d{1,5})?$/);
        }
      }),
      { numRuns: runs(300) },
    );
  });
});
