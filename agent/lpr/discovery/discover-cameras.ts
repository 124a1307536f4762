/**
 * Asks the network which cameras are there: by WS-Discovery, Hikvision's SADP and Dahua's search. It sends no other message of these
 * protocols, and adopts no camera.
 */
import { createSocket, type Socket } from 'node:dgram';
import { networkInterfaces } from 'node:os';
import { type FoundCamera, parseDhipAnswer, parseProbeMatches, parseSadpAnswer } from './discovery-answers-parser.js';

const ANSWER_BYTES_MAX = 64 * 1024;
const ANSWERS_MAX = 1_000;

export interface DiscoveryProtocol {
  /** Multicast groups and broadcast addresses that the question is sent to. */
  to: readonly string[];
  port: number;
  /** The port for the answers, which is shared with other programs; null: any free port. */
  listenOn: number | null;
  question(uuid: string): Uint8Array;
  parse(answer: Uint8Array, from: string): FoundCamera | null;
}

const textOf = (bytes: Uint8Array): string => new TextDecoder().decode(bytes.subarray(0, ANSWER_BYTES_MAX));

export const DISCOVERY_PROTOCOLS: readonly DiscoveryProtocol[] = [
  {
    to: ['239.255.255.250'],
    port: 3702,
    listenOn: null,
    question: (uuid) =>
      Buffer.from(
        '<?xml version="1.0" encoding="utf-8"?><e:Envelope xmlns:e="http://www.w3.org/2003/05/soap-envelope" xmlns:w="http://schemas.xmlsoap.org/ws/2004/08/addressing" xmlns:d="http://schemas.xmlsoap.org/ws/2005/04/discovery" xmlns:dn="http://www.onvif.org/ver10/network/wsdl">' +
          `<e:Header><w:MessageID>urn:uuid:${uuid}</w:MessageID><w:To e:mustUnderstand="true">urn:schemas-xmlsoap-org:ws:2005:04:discovery</w:To><w:Action e:mustUnderstand="true">http://schemas.xmlsoap.org/ws/2005/04/discovery/Probe</w:Action></e:Header>` +
          '<e:Body><d:Probe><d:Types>dn:NetworkVideoTransmitter</d:Types></d:Probe></e:Body></e:Envelope>',
      ),
    parse: (answer, from) => parseProbeMatches(textOf(answer), from),
  },
  {
    to: ['239.255.255.250'],
    port: 37_020,
    listenOn: 37_020,
    question: (uuid) =>
      Buffer.from(
        `<?xml version="1.0" encoding="utf-8"?><Probe><Uuid>${uuid.toUpperCase()}</Uuid><Types>inquiry</Types></Probe>`,
      ),
    parse: (answer, from) => parseSadpAnswer(textOf(answer), from),
  },
  {
    to: ['239.255.255.251', '255.255.255.255'],
    port: 37_810,
    listenOn: null,
    question() {
      const json = Buffer.from(JSON.stringify({ method: 'DHDiscover.search', params: { mac: '', uni: 1 } }));
      const header = Buffer.alloc(32);
      header.writeUInt32BE(0x20_00_00_00, 0);
      header.write('DHIP', 4, 'latin1');
      header.writeUInt32LE(json.length, 16);
      header.writeUInt32LE(json.length, 24);
      return Buffer.concat([header, json]);
    },
    parse: parseDhipAnswer,
  },
];

/** Resolves after `forMs` with one camera for each address. A protocol that this machine cannot send is left out. */
export async function discoverCameras(options: {
  forMs: number;
  newUuid: () => string;
  /** For tests: other places to ask. */
  protocols?: readonly DiscoveryProtocol[];
  /** The machine's own IPv4 addresses, one of each network. */
  addresses?: readonly string[];
}): Promise<FoundCamera[]> {
  const found = new Map<string, FoundCamera>();
  const onFound = (camera: FoundCamera) => {
    if (found.size >= ANSWERS_MAX) return;
    const known = found.get(camera.address);
    // A vendor's own protocol says more than WS-Discovery.
    const [less, more] = camera.by === 'ws-discovery' || known === undefined ? [camera, known] : [known, camera];
    found.set(camera.address, { ...less, ...withoutEmpty(more) });
  };
  const { protocols = DISCOVERY_PROTOCOLS, newUuid, forMs, addresses = ownAddresses() } = options;
  await Promise.all(protocols.map((protocol) => ask(protocol, { forMs, uuid: newUuid(), onFound, addresses })));
  return [...found.values()].sort((a, b) => a.address.localeCompare(b.address, 'en', { numeric: true }));
}

interface Asked {
  forMs: number;
  uuid: string;
  addresses: readonly string[];
}

function withoutEmpty(camera: FoundCamera | undefined): Partial<FoundCamera> {
  return Object.fromEntries(Object.entries(camera ?? {}).filter(([, value]) => value !== ''));
}

function ask(
  protocol: DiscoveryProtocol,
  { forMs, uuid, onFound, addresses }: Asked & { onFound: (camera: FoundCamera) => void },
): Promise<void> {
  const socket = createSocket({ type: 'udp4', reuseAddr: true });
  return new Promise((resolve) => {
    let isOver = false;
    const end = () => {
      if (isOver) return;
      isOver = true;
      clearTimeout(timer);
      socket.close(() => resolve());
    };
    // The first error ends the search. More errors may follow while the socket closes.
    socket.on('error', end);
    const timer = setTimeout(end, forMs);
    socket.on('message', (answer, { address }) => {
      const camera = protocol.parse(answer, address);
      if (camera !== null) onFound(camera);
    });
    socket.bind(protocol.listenOn ?? 0, () => {
      if (!isOver) askAll(socket, protocol, { uuid, addresses }).catch(end);
    });
  });
}

const isMulticast = (to: string): boolean => /^2(2[4-9]|3\d)\./.test(to);

/** Asks each group on each of the machine's networks: by itself the system would ask on only one of them. */
async function askAll(
  socket: Socket,
  protocol: DiscoveryProtocol,
  { uuid, addresses }: Omit<Asked, 'forMs'>,
): Promise<void> {
  socket.setBroadcast(true);
  const question = protocol.question(uuid);
  // The next interface is chosen only after a question was sent; otherwise that question would be sent on the next interface too. A
  // question that cannot be sent gets no answer.
  const send = (to: string) =>
    new Promise<void>((resolve) => socket.send(question, protocol.port, to, () => resolve()));
  for (const address of addresses) {
    for (const group of protocol.to.filter(isMulticast)) {
      try {
        if (protocol.listenOn !== null) socket.addMembership(group, address);
        socket.setMulticastInterface(address);
      } catch {
        // This interface has no multicast.
        continue;
      }
      await send(group);
    }
  }
  for (const to of protocol.to.filter((each) => !isMulticast(each))) await send(to);
}

/** One address of each network. */
const ownAddresses = (): string[] =>
  Object.values(networkInterfaces()).flatMap((each) =>
    (each ?? []).filter(({ family, internal }) => family === 'IPv4' && !internal).map(({ address }) => address),
  );
