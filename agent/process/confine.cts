/**
 * Preloaded (`--require`) by a child that needs no files and no rights of the gateway: the kernel refuses it every file but its own program
 * and the system's libraries, and every TCP connection (Landlock, through the C library: Node.js has no call for it), and it loses the
 * capabilities that the unit gives the gateway for the Bluetooth adapter. Both hold for a thread and for what it starts, and node has threads
 * already, so node then starts itself anew. It is CommonJS, because node waits for it before it reads anything of the channel to the gateway.
 */
import fs = require('node:fs');
import path = require('node:path');
import koffi = require('koffi');
import replacing = require('./koffi-replace-process.cjs');

/** landlock_create_ruleset(2) and the two calls after it have these numbers on every architecture that node runs on. */
const CALLS = { createRuleset: 444, addRule: 445, restrictSelf: 446 };
const VERSION_FLAG = 1;
const PATH_BENEATH = 1;
const PR_SET_NO_NEW_PRIVS = 38;
const PR_CAP_AMBIENT = 47;
const PR_CAP_AMBIENT_CLEAR_ALL = 4;
/** Where start-child puts the channel to the gateway, and the form of its messages. */
const CHANNEL = { descriptor: 3, form: 'advanced' };
/** open(2): a descriptor that names a place and cannot read it. */
const O_PATH = 0o10000000;

const EXECUTE = 1n << 0n;
const READ_FILE = 1n << 2n;
const READ_FOLDER = 1n << 3n;
/** How many rights to files the kernel knows, by the version of its Landlock, and what it knows since the fifth. */
const FILE_RIGHTS_BY_VERSION = [13n, 13n, 14n, 15n, 15n];
const FILE_RIGHTS = 16n;
/** Since version 4: to bind and to connect by TCP. */
const NET_RIGHTS = 0b11n;
/** Since version 6: abstract sockets of other processes, and signals to them. */
const SCOPES = 0b11n;

/** What may be read: the program, its packages, and what the system's loader and node look at. */
function readable(): string[] {
  const koffiFile = require.resolve('koffi');
  const packages = koffiFile.slice(0, koffiFile.lastIndexOf('/koffi/'));
  const project = path.dirname(packages);
  const ofTheSystem = [
    '/usr',
    '/lib',
    '/lib64',
    '/etc/ld.so.cache',
    '/sys/devices/system/cpu',
    '/sys/fs/cgroup',
    '/dev/null',
    '/dev/urandom',
  ];
  const ofTheProgram = [
    packages,
    path.join(project, 'dist'),
    path.join(project, 'package.json'),
    path.dirname(process.execPath),
  ];
  return [...ofTheSystem, ...ofTheProgram, `/proc/${process.pid}`].filter((place) => fs.existsSync(place));
}

const libc = koffi.load(null);

function control(option: number, value: number): void {
  const prctl = libc.func('int prctl(int option, unsigned long a, unsigned long b, unsigned long c, unsigned long d)');
  if (prctl(option, value, 0, 0, 0) !== 0) throw new Error(`prctl ${option} failed with errno ${koffi.errno()}`);
}

function shutFiles(): void {
  const syscall = libc.func('long syscall(long number, ...)');
  const call = (number: number, ...args: unknown[]): number => {
    const answer = Number(syscall(number, ...args));
    if (answer < 0) throw new Error(`call ${number} failed with errno ${koffi.errno()}`);
    return answer;
  };
  const version = call(CALLS.createRuleset, 'void *', null, 'size_t', 0, 'uint32_t', VERSION_FLAG);
  const rights = (1n << (FILE_RIGHTS_BY_VERSION[version] ?? FILE_RIGHTS)) - 1n;
  const words = [rights, ...(version >= 4 ? [NET_RIGHTS] : []), ...(version >= 6 ? [SCOPES] : [])];
  const attributes = Buffer.from(new BigUint64Array(words).buffer);
  const ruleset = call(CALLS.createRuleset, 'void *', attributes, 'size_t', attributes.length, 'uint32_t', 0);
  for (const name of readable()) {
    const place = fs.openSync(name, O_PATH);
    const rule = Buffer.alloc(12);
    rule.writeBigUInt64LE(fs.statSync(name).isDirectory() ? EXECUTE | READ_FILE | READ_FOLDER : EXECUTE | READ_FILE, 0);
    rule.writeInt32LE(place, 8);
    call(CALLS.addRule, 'int', ruleset, 'int', PATH_BENEATH, 'void *', rule, 'uint32_t', 0);
    fs.closeSync(place);
  }
  control(PR_SET_NO_NEW_PRIVS, 1);
  call(CALLS.restrictSelf, 'int', ruleset, 'uint32_t', 0);
  fs.closeSync(ruleset);
}

/** A picture is worth more than a second lock: without one the child goes on, and the gateway logs the line. */
function attempt(step: () => void, without: string): void {
  try {
    step();
  } catch (error) {
    process.stderr.write(`${without}: ${String(error)}\n`);
  }
}

attempt(shutFiles, "it can read the gateway's files");
attempt(() => {
  control(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL);
  const preload = process.execArgv.indexOf('--require');
  replacing.replaceProcess({
    file: process.execPath,
    args: [...process.execArgv.toSpliced(preload, 2), ...process.argv.slice(1)],
    environment: {
      NODE_CHANNEL_FD: String(CHANNEL.descriptor),
      NODE_CHANNEL_SERIALIZATION_MODE: CHANNEL.form,
      // node ends when it may not read the system's settings, wherever they are; it needs none.
      OPENSSL_CONF: '/dev/null',
    },
    descriptors: [CHANNEL.descriptor],
  });
}, "it has the gateway's capabilities");
