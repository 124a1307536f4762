/**
 * The work of the unit parking-claim-file, which runs as root because the gateway may not: before the network starts,
 * it gives the device the network and the SSH key of its claim file, and hands the settings of the cloud to the
 * gateway. When the cloud has answered, it erases the file.
 */
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { type ClaimFile, parseClaimFile } from '../../shared/claim-file.js';
import { CLAIM_NOTE_NAME, eraseClaimFile, readClaimFile, readClaimNote } from './claim-file.js';
import { decideDeviceFiles, DEVICE_FILES } from './decide-device-files.js';

const SUPPLICANT = 'wpa_supplicant@wlan0.service';
const SUPPLICANT_WANTED = `/etc/systemd/system/multi-user.target.wants/${SUPPLICANT}`;
/** Beside what the gateway is handed: the country of a Wi-Fi that the unit switches on then. */
const WIFI_MARK = 'wifi-country';
/** The first person of a Debian system. */
const PERSON_UID = 1000;

export interface DeviceSetup {
  /** The claim file, on the boot partition. */
  path: string;
  /** Where the gateway finds what concerns it; null: nowhere. */
  handTo: string | null;
  /** The gateway's. */
  dataDir: string;
  /** Whose files the gateway's are. */
  user: string;
  /** `/`, or a folder that stands for it. */
  root: string;
  say: (line: string) => void;
}

/** @throws Error when a file of the system cannot be written */
export function setUpDevice(setup: DeviceSetup): void {
  const { path, dataDir, handTo, say } = setup;
  const found = readClaimFile(path);
  const note = readClaimNote(dataDir);
  const isNoted = found !== null && note?.sha256 === found.sha256;
  if (found === null || (isNoted && note.is_answered)) {
    if (found !== null && note !== null) {
      eraseClaimFile(path, note);
      say(
        note.refused === null
          ? `${path} was taken, and is erased`
          : `${path} was refused, and is erased: ${note.refused}`,
      );
    }
    if (handTo !== null) rmSync(handTo, { force: true });
    rmSync(join(dataDir, CLAIM_NOTE_NAME), { force: true });
    return;
  }
  // A note of another file says nothing any more.
  if (!isNoted) rmSync(join(dataDir, CLAIM_NOTE_NAME), { force: true });
  const parsed = parseClaimFile(found.bytes);
  if ('problem' in parsed) say(`${path} cannot be taken: ${parsed.problem}`);
  else apply(parsed.file, setup);
  // The gateway says to people what is wrong with one.
  if (handTo !== null) handOver(found.bytes, handTo, setup);
}

function apply({ network, ssh_key }: ClaimFile, setup: DeviceSetup): void {
  if (network !== undefined) applyNetwork(network, setup);
  if (ssh_key !== undefined) addKey(ssh_key, setup);
}

function applyNetwork(network: NonNullable<ClaimFile['network']>, { root, handTo, say }: DeviceSetup): void {
  const hasNetworkManager = existsSync(join(root, 'usr/sbin/NetworkManager'));
  const files = decideDeviceFiles(network, hasNetworkManager);
  for (const path of Object.values(DEVICE_FILES))
    if (!files.some((file) => file.path === path)) rmSync(join(root, path), { force: true });
  for (const { path, mode, text } of files) {
    writeWhole(join(root, path), text, mode);
    say(`${path} is written`);
  }
  const wanted = join(root, SUPPLICANT_WANTED);
  rmSync(wanted, { force: true });
  if (network.wifi === undefined) return;
  if (!hasNetworkManager) {
    mkdirSync(dirname(wanted), { recursive: true });
    symlinkSync('/usr/lib/systemd/system/wpa_supplicant@.service', wanted);
  }
  if (handTo !== null) writeWhole(join(dirname(handTo), WIFI_MARK), `${network.wifi.country}\n`, 0o600);
}

interface Account {
  uid: number;
  gid: number;
  home: string;
}

/** @returns null: there is no such account */
function accountOf(root: string, isIt: (name: string, uid: number) => boolean): Account | null {
  for (const line of readFileSync(join(root, 'etc/passwd'), 'utf8').split('\n')) {
    const [name = '', , uid = '', gid = '', , home = ''] = line.split(':');
    if (home !== '' && isIt(name, Number(uid))) return { uid: Number(uid), gid: Number(gid), home };
  }
  return null;
}

/** The key is that of whoever owns the device: the person that its system has, or else root. */
function addKey(key: string, { root, say }: DeviceSetup): void {
  const owner = accountOf(root, (_name, uid) => uid === PERSON_UID) ?? accountOf(root, (name) => name === 'root');
  if (owner === null) return say('no account was found that the SSH key could be given to');
  const folder = join(root, owner.home, '.ssh');
  const path = join(folder, 'authorized_keys');
  const present = existsSync(path) ? readFileSync(path, 'utf8') : '';
  if (present.split('\n').includes(key)) return;
  if (!existsSync(folder)) {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    chownSync(folder, owner.uid, owner.gid);
  }
  const before = present === '' || present.endsWith('\n') ? present : `${present}\n`;
  writeWhole(path, `${before}${key}\n`, 0o600, owner);
  say(`${join(owner.home, '.ssh/authorized_keys')} has the SSH key`);
}

function handOver(bytes: Uint8Array, handTo: string, { root, user, say }: DeviceSetup): void {
  const account = accountOf(root, (name) => name === user);
  if (account === null) return say(`there is no account ${user}: the gateway cannot be given the claim file`);
  writeWhole(handTo, bytes, 0o400, account);
}

function writeWhole(path: string, text: string | Uint8Array, mode: number, owner?: Account): void {
  mkdirSync(dirname(path), { recursive: true });
  const temporary = `${path}.new`;
  rmSync(temporary, { force: true });
  writeFileSync(temporary, text, { mode, flag: 'wx', flush: true });
  chmodSync(temporary, mode);
  if (owner !== undefined) chownSync(temporary, owner.uid, owner.gid);
  renameSync(temporary, path);
}
