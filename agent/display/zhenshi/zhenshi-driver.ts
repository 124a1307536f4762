/**
 * Driver of the screen on the serial line behind a Zhenshi camera: `zhenshi://KEY?channel=0`. The camera asks for orders by posting to
 * `/displays/KEY`, and takes what is for its serial line from the answer. The board behind it is the installer's: the template is its frame
 * in hexadecimal, in which `{text}` stands for the characters, `{length}` for their number and `{crc}` for the CRC-16 (Modbus) of all before.
 */
import type { DisplayDriver } from '../display.js';
import type { ScreenPolls } from '../screen-polls.js';

const TEXT_LENGTH_MAX = 200;
const FORM = 'address must be zhenshi://KEY?channel=0; its camera posts to /displays/KEY';
const TEMPLATE = /^(\s*([0-9a-fA-F]{2}|\{(text|length|crc)\}))*\s*$/;

const keyOf = (address: string): string | null =>
  /^zhenshi:\/\/([A-Za-z0-9_-]{1,200})(\?|$)/.exec(address)?.[1] ?? null;

export function createZhenshiDisplayDriver({ polls }: { polls: Pick<ScreenPolls, 'offer'> }): DisplayDriver {
  return {
    name: 'zhenshi',
    settingsFault({ address, template }) {
      if (keyOf(address) === null) return FORM;
      return TEMPLATE.test(template) ? null : 'template must be bytes in hexadecimal, with {text}, {length} and {crc}';
    },
    show({ address, template }, text, signal) {
      const channel = Number(new URL(address).searchParams.get('channel') ?? 0);
      return new Promise((resolve, reject) => {
        const withdraw = polls.offer(keyOf(address) ?? '', {
          channel,
          bytes: frameOf(template === '' ? '{text}' : template, text),
          taken: resolve,
        });
        signal.addEventListener(
          'abort',
          () => {
            withdraw();
            reject(new Error('the camera did not ask for it'));
          },
          { once: true },
        );
      });
    },
  };
}

function frameOf(template: string, text: string): Uint8Array {
  const characters = Buffer.from(text.replaceAll(/[^\x20-\x7e]/g, '?').slice(0, TEXT_LENGTH_MAX), 'latin1');
  const bytes: number[] = [];
  for (const [part] of template.matchAll(/\{(?:text|length|crc)\}|[0-9a-fA-F]{2}/g)) {
    if (part === '{text}') bytes.push(...characters);
    else if (part === '{length}') bytes.push(characters.length);
    else if (part === '{crc}') bytes.push(...crcOf(bytes));
    else bytes.push(Number.parseInt(part, 16));
  }
  return Uint8Array.from(bytes);
}

/** CRC-16 of Modbus, low byte first. */
function crcOf(bytes: readonly number[]): [number, number] {
  let crc = 0xffff;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = (crc & 1) === 1 ? (crc >> 1) ^ 0xa001 : crc >> 1;
  }
  return [crc & 0xff, crc >> 8];
}
