/** Writes the image of a gateway to a card, reads it back, and puts the claim file on it: scripts/image/README.md. */
import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { closeSync, existsSync, openSync, readFileSync, readSync, statSync } from 'node:fs';
import { createInterface } from 'node:readline/promises';
import { Command } from 'commander';
import {
  CLAIM_FILE_BYTES_MAX,
  CLAIM_FILE_NAME,
  type ClaimFile,
  type ClaimFileNetwork,
  parseClaimFile,
} from '../shared/claim-file.js';
import { errorText } from '../shared/error-text.js';
import { mannered, printLines, runCommandLine } from '../shared/node/program.js';
import { SettingsError } from '../shared/settings.js';
import { type BlockMap, parseBlockMap } from './image/block-map.js';
import { type BlockDevice, cardDevices, chooseDevice, deviceLine } from './image/card-device.js';
import { BOOT_OFFSET_BYTES } from './image/card-layout.js';

const READ_BYTES = 4 * 1024 * 1024;

interface Options {
  list?: boolean;
  device?: string;
  image?: string;
  bmap?: string;
  claim?: string;
  cloud?: string;
  code?: string;
  ca?: string;
  ssid?: string;
  wifiPassword?: string;
  country?: string;
  sshKey?: string;
  yes?: boolean;
}

function listDevices(): BlockDevice[] {
  const columns = 'PATH,TYPE,RM,HOTPLUG,RO,SIZE,MODEL,TRAN,MOUNTPOINTS';
  const { blockdevices } = JSON.parse(execFileSync('lsblk', ['-J', '-b', '-o', columns], { encoding: 'utf8' }));
  return blockdevices;
}

/** @returns the text of the claim file that the options ask for, checked, or null */
function claimText(options: Options): string | null {
  const { claim, cloud, code, ca, ssid, wifiPassword, country, sshKey } = options;
  const given = [cloud, code, ca, ssid, wifiPassword, country, sshKey].some((value) => value !== undefined);
  if (claim !== undefined && given)
    throw new SettingsError(['--claim has all of it: leave the other options of the claim out']);
  if (claim === undefined && !given) return null;
  // parseClaimFile says what of it is missing.
  const network = { wifi: { ssid, password: wifiPassword, country } } satisfies {
    [Key in keyof ClaimFileNetwork]: unknown;
  };
  if (claim !== undefined && statSync(claim).size > CLAIM_FILE_BYTES_MAX)
    throw new SettingsError([`${claim} is too large for a claim file: download it again from the console`]);
  const text =
    claim !== undefined
      ? readFileSync(claim)
      : JSON.stringify({
          cloud_url: cloud,
          claim_code: code,
          ...(ca === undefined ? {} : { ca: readFileSync(ca, 'utf8') }),
          ...(ssid === undefined ? {} : { network }),
          ...(sshKey === undefined ? {} : { ssh_key: readFileSync(sshKey, 'utf8').trim() }),
        } satisfies { [Key in keyof ClaimFile]?: unknown });
  const parsed = parseClaimFile(text);
  if ('problem' in parsed) throw new SettingsError([`${claim ?? 'the claim'}: ${parsed.problem}`]);
  return `${JSON.stringify(parsed.file, null, 2)}\n`;
}

/** Runs a program that shows its own progress. @throws Error when it fails */
function run(program: string, args: readonly string[], input?: string): void {
  const { status, error } = spawnSync(program, args, {
    stdio: [input === undefined ? 'inherit' : 'pipe', 'inherit', 'inherit'],
    ...(input === undefined ? {} : { input }),
  });
  if (error !== undefined)
    throw new Error(`${program} could not be started (${errorText(error)}). Debian: apt install bmap-tools mtools`);
  if (status !== 0) throw new Error(`${program} failed (exit code ${status})`);
}

/** Reads from the card itself what was written. @throws Error at the first difference */
function readBack(path: string, { ranges }: BlockMap): void {
  // The kernel's memory of the card is dropped, so that the card answers.
  execFileSync('blockdev', ['--flushbufs', path]);
  const all = ranges.reduce((sum, { bytes }) => sum + bytes, 0);
  const buffer = Buffer.allocUnsafe(READ_BYTES);
  const file = openSync(path, 'r');
  let done = 0;
  let shown = -1;
  try {
    for (const { offset, bytes, sha256 } of ranges) {
      const hash = createHash('sha256');
      for (let at = 0; at < bytes; ) {
        const read = readSync(file, buffer, 0, Math.min(READ_BYTES, bytes - at), offset + at);
        if (read === 0) throw new Error(`${path} ends at byte ${offset + at}`);
        hash.update(buffer.subarray(0, read));
        at += read;
        done += read;
        const percent = Math.floor((done / all) * 100);
        if (process.stdout.isTTY && percent !== shown) process.stdout.write(`\rflash: read back ${percent}%`);
        shown = percent;
      }
      if (hash.digest('hex') !== sha256)
        throw new Error(
          `${path} does not have what was written (bytes ${offset} to ${offset + bytes}): take another card`,
        );
    }
  } finally {
    closeSync(file);
    if (process.stdout.isTTY) process.stdout.write('\n');
  }
}

/** Puts the claim file into the root of the boot partition, without mounting it. */
function writeClaim(path: string, text: string): void {
  const partition = `${path}@@${BOOT_OFFSET_BYTES}`;
  run('mcopy', ['-o', '-i', partition, '-', `::${CLAIM_FILE_NAME}`], text);
  execFileSync('blockdev', ['--flushbufs', path]);
  const written = execFileSync('mtype', ['-i', partition, `::${CLAIM_FILE_NAME}`], { encoding: 'utf8' });
  if (written !== text) throw new Error(`${CLAIM_FILE_NAME} is not on ${path} as it was written: take another card`);
}

async function agreed(device: BlockDevice): Promise<boolean> {
  if (!process.stdin.isTTY) throw new SettingsError(['nobody can be asked here: --yes writes without asking']);
  const questions = createInterface({ input: process.stdin, output: process.stdout });
  const answer = await questions.question(`Everything on ${deviceLine(device)} will be lost. Its path, to go on: `);
  questions.close();
  return answer.trim() === device.path;
}

async function flash(options: Options): Promise<void> {
  if (options.list) {
    const cards = cardDevices(listDevices(), 0);
    printLines(cards.length === 0 ? 'There is no card to write.' : cards.map(deviceLine).join('\n'));
    return;
  }
  const { image } = options;
  if (image === undefined) throw new SettingsError(['--image: name the image, parking-gateway-arm64.img.zst']);
  if (!existsSync(image)) throw new SettingsError([`--image: there is no file ${image}`]);
  const mapFile = options.bmap ?? image.replace(/(\.img)?(\.zst|\.xz|\.gz)?$/, '.bmap');
  if (!existsSync(mapFile)) throw new SettingsError([`--bmap: there is no file ${mapFile}: it comes with the image`]);
  const map = parseBlockMap(readFileSync(mapFile, 'utf8'));
  const claim = claimText(options);
  const device = chooseDevice(listDevices(), options.device, map.imageBytes);
  if (!options.yes && !(await agreed(device))) throw new Error('nothing was written');
  run('bmaptool', ['copy', '--bmap', mapFile, image, device.path]);
  readBack(device.path, map);
  printLines(`flash: ${device.path} has the image, read back and compared`);
  if (claim !== null) {
    writeClaim(device.path, claim);
    printLines(`flash: ${CLAIM_FILE_NAME} is on its boot partition; the first start takes and erases it`);
  }
}

const program = mannered(new Command('flash'))
  .description('Writes the image of a gateway to a card, reads it back, and puts the claim file on it. As root.')
  .option('--list', 'show the cards that could be written')
  .option('--image <file>', 'image, as scripts/image/build makes it (.img.zst)')
  .option('--bmap <file>', 'its block map (default: beside the image)')
  .option('--device <path>', 'the card, like /dev/sdb (default: the only one there is)')
  .option('--claim <file>', 'claim.json as the console gives it')
  .option('--cloud <url>', 'or: address of the cloud')
  .option('--code <code>', 'one-time code')
  .option('--ca <file>', "PEM of the authority behind the cloud's certificate, where that is a private one")
  .option('--ssid <name>', 'Wi-Fi network')
  .option('--wifi-password <text>', 'its passphrase')
  .option('--country <code>', 'country of the Wi-Fi, like HR')
  .option('--ssh-key <file>', 'public key of who may log in by SSH')
  .option('--yes', 'write without asking')
  .action(flash);

runCommandLine(program);
