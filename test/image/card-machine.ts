/** A Raspberry Pi's place is taken by QEMU's arm64 machine: U-Boot as its firmware, the card as its disk, 1 GB of memory, no KVM. */
import { type ChildProcess, execFile, execFileSync, spawn } from 'node:child_process';
import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { waitUntil } from '../../scripts/sim/wait-until.js';
import { BOOT_OFFSET_BYTES } from '../../scripts/image/card-layout.js';
import { freePorts } from '../world/free-ports.js';
import { CLAIM_FILE_NAME, type ClaimFile } from '../../shared/claim-file.js';

/** U-Boot for QEMU, of Debian's package u-boot-qemu. */
const FIRMWARE = '/usr/lib/u-boot/qemu_arm64/u-boot.bin';
/** From power-on until the card answers; emulated, on a busy machine. */
const BOOT_WITHIN_MS = Number(process.env.CARD_BOOT_WITHIN_MS ?? 300_000);
const ASK_EVERY_MS = 1_000;
const ANSWER_WITHIN_MS = 20_000;
/** Size of the card: larger than the image, as real ones are. */
const CARD_SIZE = '4G';
/** The host, as a guest of QEMU's user network sees it. */
export const HOST_IN_GUEST = '10.0.2.2';

/** What scripts/image/build left. */
export const CARD_IMAGES = process.env.CARD_IMAGES ?? '.data/image/arm64';
export const CARD_IMAGE = join(CARD_IMAGES, 'parking-gateway-arm64.img');

const run = promisify(execFile);

export interface CardMachine {
  /** Milliseconds since power-on, on the monotonic clock. */
  sincePowerOnMs(): number;
  /** What its serial line said so far, of this and earlier starts. */
  log(): string;
  /** Resolves with the milliseconds since power-on when the serial line says `text` for the nth time since then. */
  says(text: string, times?: number): Promise<number>;
  /** Runs a command as root on the card. @throws when it fails, with what it printed */
  ssh(command: string): Promise<string>;
  /** Copies a file of this machine to the card. */
  copyIn(file: string, to: string): Promise<void>;
  /** Resolves when the card answers at SSH. */
  isUp(): Promise<void>;
  /** What its gateway answers to programs on the device: there is a tunnel to it, which costs less than a login for each question. */
  ask<T>(path: string): Promise<T>;
  /** Power cut: nothing is synced. */
  cut(): Promise<void>;
  readonly pid: number;
}

export interface CardPlaces {
  /** File with the card. */
  readonly card: string;
  /** Serial line of the machine; it is appended to. */
  readonly logFile: string;
  /** Ports of 127.0.0.1 that lead to the card's. */
  readonly httpPort: number;
  readonly sshPort: number;
  /** Private key of who may log in. */
  readonly sshKey: string;
  /** File of a stick that is plugged in; left out: none is. */
  readonly stick?: string;
  /** It has a watchdog in the place of the Pi's. A host that is busy for 14 s lets it bite. */
  readonly hasWatchdog?: boolean;
  /** It has no network and no clock: only what this machine asks of it comes in, and its clock begins in 1970. */
  readonly isAlone?: boolean;
}

/** Asks once a second: whoever asks more often takes from the emulation what it waits for. */
export function waitSlowly<T>(
  what: string,
  ask: () => Promise<T | null | undefined | false> | T | null | undefined | false,
  limitMs = BOOT_WITHIN_MS,
): Promise<T> {
  let nextMs = 0;
  const unhurried = () => {
    if (performance.now() < nextMs) return null;
    nextMs = performance.now() + ASK_EVERY_MS;
    return ask();
  };
  return waitUntil(what, unhurried, limitMs);
}

/** Copies an image to a card that is as large as real ones. */
export function copyCard(image: string, card: string): void {
  execFileSync('cp', ['--sparse=always', image, card]);
  execFileSync('truncate', ['-s', CARD_SIZE, card]);
}

/** Drops the claim file on the boot partition, as an installer does with a card in a reader. */
export function dropClaimFile(card: string, file: ClaimFile): void {
  execFileSync('mcopy', ['-o', '-i', `${card}@@${BOOT_OFFSET_BYTES}`, '-', `::${CLAIM_FILE_NAME}`], {
    input: JSON.stringify(file),
  });
}

/** @returns names of the files in the root of the boot partition */
export const bootFiles = (card: string): string =>
  execFileSync('mdir', ['-b', '-i', `${card}@@${BOOT_OFFSET_BYTES}`, '::'], { encoding: 'utf8' });

/** @returns what is missing here to start a card, or null */
export function missingForCards(): string | null {
  const programs = ['/usr/bin/qemu-system-aarch64', FIRMWARE, '/usr/bin/mcopy', '/usr/bin/ssh'];
  const missing = programs.filter((program) => !existsSync(program));
  return missing.length === 0
    ? null
    : `missing: ${missing.join(', ')} (Debian: qemu-system-arm u-boot-qemu mtools openssh-client)`;
}

/** @returns what is missing here to start a card of the image, or null */
export const missingForImage = (): string | null =>
  existsSync(CARD_IMAGE) ? missingForCards() : `missing: ${CARD_IMAGE} (sudo scripts/image/build)`;

/** Makes a key pair for SSH. @returns file of the private key, and the line of the public one */
export function makeSshKey(folder: string): { file: string; line: string } {
  const file = join(folder, 'ssh-key');
  execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-C', 'tests', '-f', file]);
  return { file, line: readFileSync(`${file}.pub`, 'utf8').trim() };
}

/** A way to the gateway's port on the card, opened when it is first asked for and after it broke. */
function createTunnel(sshWords: readonly string[]) {
  let open: { port: number; program: ChildProcess } | null = null;
  return {
    async port(): Promise<number> {
      if (open === null || open.program.exitCode !== null) {
        const [port = 0] = await freePorts(1);
        const words = [
          '-N',
          '-o',
          'ExitOnForwardFailure=yes',
          '-o',
          'ServerAliveInterval=30',
          '-L',
          `${port}:127.0.0.1:8090`,
        ];
        open = { port, program: spawn('ssh', [...words, ...sshWords], { stdio: 'ignore' }) };
      }
      return open.port;
    },
    close: () => void open?.program.kill('SIGKILL'),
  };
}

/** Switches a card on. It has two of the host's cores, and gives way to others: emulation takes all that it is given. */
export function powerOn(places: CardPlaces): CardMachine {
  const { card, logFile, httpPort, sshPort, sshKey, stick, hasWatchdog, isAlone = false } = places;
  appendFileSync(logFile, '');
  const before = readFileSync(logFile, 'utf8').length;
  const startedMs = performance.now();
  const words = [
    'nice -n 5 qemu-system-aarch64 -machine virt -cpu cortex-a72 -accel tcg,thread=multi -smp 2 -m 1024',
    `-display none -monitor none -bios ${FIRMWARE} -device virtio-rng-device`,
    `-drive if=none,id=card,format=raw,cache=writeback,file=${card} -device virtio-blk-device,drive=card`,
    `-netdev user,id=net,restrict=${isAlone ? 'on' : 'off'},hostfwd=tcp:127.0.0.1:${httpPort}-:8090,hostfwd=tcp:127.0.0.1:${sshPort}-:22`,
    `-device virtio-net-device,netdev=net -chardev file,id=serial,path=${logFile},append=on -serial chardev:serial`,
    ...(stick === undefined
      ? []
      : [
          `-device qemu-xhci -drive if=none,id=stick,format=raw,file=${stick} -device usb-storage,drive=stick,removable=on`,
        ]),
    ...(isAlone ? ['-rtc base=1970-01-01'] : []),
    ...(hasWatchdog === true ? ['-device i6300esb -action watchdog=reset'] : []),
  ];
  const [program = '', ...args] = words.join(' ').split(' ');
  const machine = spawn(program, args, { stdio: ['ignore', 'ignore', 'pipe'] });
  let complaint = '';
  machine.stderr?.on('data', (chunk) => {
    complaint += String(chunk);
  });
  const ended = new Promise<void>((resolve) => machine.once('close', () => resolve()));
  /** Whoever waits for a machine that ended waits in vain. */
  const whileItRuns = <T>(waiting: Promise<T>): Promise<T> =>
    Promise.race([
      waiting,
      ended.then(() => {
        throw new Error(`QEMU ended (${machine.exitCode ?? machine.signalCode}): ${complaint}`);
      }),
    ]);
  const since = (): number => performance.now() - startedMs;
  const ofThisStart = (): string => readFileSync(logFile, 'utf8').slice(before);
  const sshOptions =
    `-i ${sshKey} -p ${sshPort} -o StrictHostKeyChecking=no -o UserKnownHostsFile=/dev/null -o LogLevel=ERROR -o BatchMode=yes -o ConnectTimeout=30`.split(
      ' ',
    );
  const tunnel = createTunnel([...sshOptions, 'root@127.0.0.1']);
  const ssh = async (command: string): Promise<string> => {
    const { stdout } = await run('ssh', [...sshOptions, 'root@127.0.0.1', command], { maxBuffer: 64 * 1024 * 1024 });
    return stdout;
  };
  return {
    pid: machine.pid ?? 0,
    sincePowerOnMs: since,
    log: () => readFileSync(logFile, 'utf8'),
    async says(text, times = 1) {
      const said = () => ofThisStart().split(text).length > times;
      await whileItRuns(waitSlowly(`the serial line to say "${text}"`, said));
      return since();
    },
    ssh,
    async copyIn(file, to) {
      await run('bash', [
        '-c',
        'file=$1 to=$2; shift 2; exec ssh "$@" root@127.0.0.1 "cat >$to" <"$file"',
        '-',
        file,
        to,
        ...sshOptions,
      ]);
    },
    async isUp() {
      const answers = async () => (await ssh('echo up').catch(() => '')) === 'up\n';
      await whileItRuns(waitSlowly('the card to answer at SSH', answers));
    },
    async ask<T>(path: string) {
      const answer = await fetch(`http://127.0.0.1:${await tunnel.port()}${path}`, {
        signal: AbortSignal.timeout(ANSWER_WITHIN_MS),
      });
      return (await answer.json()) as T;
    },
    async cut() {
      machine.kill('SIGKILL');
      tunnel.close();
      await ended;
    },
  };
}
