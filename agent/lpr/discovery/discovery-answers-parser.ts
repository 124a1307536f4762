/** Parses the answers of cameras to a search of the network. An answer proves that a camera is there, but not which one it is. */
import { percentDecoded } from '../../../shared/percent-decoded.js';
import { cleanText } from '../formats/camera-text-parser.js';
import { parseJson } from '../formats/document-parser.js';
import { textAt } from '../formats/path-parser.js';
import { childOf, textOf, type XmlElement, xmlRoot } from '../formats/xml-parser.js';

export interface FoundCamera {
  /** The address of the camera, such as http://192.168.1.21. The answers of one camera are combined by it. */
  address: string;
  vendor: string;
  model: string;
  serial: string;
  mac: string;
  /** The protocol that found the camera. */
  by: 'ws-discovery' | 'sadp' | 'dhip';
  /** Facts that a person should know before they adopt the camera; empty: none. */
  notes: string;
}

const TEXT_MAX = 64;
const ANSWER_CHARACTERS_MAX = 64 * 1024;
const clean = (text: string): string => cleanText(text, TEXT_MAX);

/** Parses WS-Discovery `ProbeMatches`: the address and the scopes of an ONVIF device. @param from the address that the answer came from */
export function parseProbeMatches(xml: string, from: string): FoundCamera | null {
  const match = childOf(childOf(bodyOf(xml), 'ProbeMatches'), 'ProbeMatch');
  if (match === undefined) return null;
  const addresses = textOf(childOf(match, 'XAddrs'))
    .split(/\s+/)
    .filter((each) => /^https?:\/\//i.test(each) && URL.canParse(each));
  // A camera names each of its interfaces; only the one that answered is known to be reachable.
  const address = addresses.find((each) => new URL(each).hostname === from);
  const port = address === undefined ? '' : new URL(address).port;
  const scopes = new Map(
    textOf(childOf(match, 'Scopes'))
      .split(/\s+/)
      .flatMap((scope) => {
        const [, name, value] = /^onvif:\/\/www\.onvif\.org\/([\w-]+)\/(.+)$/i.exec(scope) ?? [];
        return name === undefined || value === undefined
          ? []
          : [[name.toLowerCase(), clean(percentDecoded(value))] as const];
      }),
  );
  return {
    address: addressOf(from, port),
    vendor: scopes.get('manufacturer') ?? scopes.get('name') ?? '',
    model: scopes.get('hardware') ?? scopes.get('model') ?? '',
    serial: scopes.get('serial') ?? '',
    mac: scopes.get('mac') ?? '',
    by: 'ws-discovery',
    notes: '',
  };
}

/** Parses `ProbeMatch` of Hikvision's SADP. */
export function parseSadpAnswer(xml: string, from: string): FoundCamera | null {
  const root = rootOf(xml);
  const text = (name: string) => clean(textOf(childOf(root, name)));
  if (root?.name !== 'ProbeMatch' || text('DeviceSN') === '') return null;
  const notes = [
    text('Activated').toLowerCase() === 'false' ? 'has no password yet: activate it' : '',
    Number(text('DigitalChannelNum') || '0') > 0 ? 'is a recorder' : '',
  ];
  return {
    address: addressOf(from, text('HttpPort')),
    vendor: 'Hikvision',
    model: text('DeviceDescription'),
    serial: text('DeviceSN'),
    mac: text('MAC').replaceAll('-', ':').toLowerCase(),
    by: 'sadp',
    notes: notes.filter((note) => note !== '').join(', '),
  };
}

const DHIP_HEADER_BYTES = 32;

/** Parses Dahua's `client.notifyDevInfo`, which stands after a header of 32 bytes. */
export function parseDhipAnswer(bytes: Uint8Array, from: string): FoundCamera | null {
  if (bytes.length <= DHIP_HEADER_BYTES || new TextDecoder('latin1').decode(bytes.subarray(4, 8)) !== 'DHIP')
    return null;
  const document = parseJson(new TextDecoder().decode(bytes.subarray(DHIP_HEADER_BYTES)));
  const text = (...paths: string[]) => clean(textAt(document, paths));
  if (!/notifyDevInfo/i.test(text('method'))) return null;
  return {
    address: addressOf(from, text('params.deviceInfo.HttpPort')),
    vendor: text('params.deviceInfo.Vendor') || 'Dahua',
    model: text('params.deviceInfo.DeviceType'),
    serial: text('params.deviceInfo.SerialNo'),
    mac: text('mac', 'params.deviceInfo.mac'),
    by: 'dhip',
    notes: '',
  };
}

const addressOf = (host: string, port: string): string =>
  `http://${host}${port === '80' || !/^\d{1,5}$/.test(port) ? '' : `:${port}`}`;

const rootOf = (xml: string): XmlElement | undefined =>
  xmlRoot(xml.slice(0, ANSWER_CHARACTERS_MAX).replace(/\0+$/, ''));

const bodyOf = (xml: string): XmlElement | undefined => childOf(rootOf(xml), 'Body');
