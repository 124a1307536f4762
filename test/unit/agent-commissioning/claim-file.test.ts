import { createHash } from 'node:crypto';
import {
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CLAIM_NOTE_NAME, openClaimFile, readClaimNote } from '../../../agent/commissioning/claim-file.js';
import { CLAIM_FILE_BYTES_MAX } from '../../../shared/claim-file.js';
import { keepingLogger } from '../radio/bench.js';

const TEXT = JSON.stringify({
  cloud_url: 'https://cloud.example/',
  claim_code: 'HARBOUR-NORTH-0001',
  network: { wifi: { ssid: 'Garage', password: 'wifi-secret', country: 'HR' } },
});

let directory: string;
let dataDir: string;
let path: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'claim-file-'));
  dataDir = join(directory, 'data');
  mkdirSync(dataDir);
  path = join(directory, 'claim.json');
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

function open(isClaimed = false) {
  const { logger, complaints } = keepingLogger();
  return { ...openClaimFile({ path, dataDir, isClaimed }, { logger }), complaints };
}

describe('the claim file of an unclaimed gateway', () => {
  it('says how it is claimed, and is gone when it is: also from the bytes of the card', () => {
    writeFileSync(path, TEXT);
    // Another name of the same bytes.
    linkSync(path, join(directory, 'bytes'));
    const file = open();
    expect(file).toMatchObject({
      claim: { cloudUrl: 'https://cloud.example', code: 'HARBOUR-NORTH-0001' },
      problem: null,
    });
    expect(existsSync(path)).toBe(true);
    file.finish(null);
    expect(readdirSync(directory).toSorted()).toEqual(['bytes', 'data']);
    expect(readFileSync(join(directory, 'bytes'))).toEqual(Buffer.alloc(TEXT.length));
    expect(readdirSync(dataDir)).toEqual([]);
    expect(open()).toMatchObject({ claim: null, problem: null, complaints: [] });
  });

  it('leaves the reason when the cloud refused it, and none of its secrets', () => {
    writeFileSync(path, TEXT);
    open().finish('the claim code is wrong, used or expired');
    const left = readFileSync(join(directory, 'claim.refused.json'), 'utf8');
    expect(JSON.parse(left)).toEqual({
      refused: 'the claim code is wrong, used or expired',
      cloud_url: 'https://cloud.example/',
      network: { wifi: { ssid: 'Garage', country: 'HR' } },
    });
    expect(existsSync(path)).toBe(false);
  });

  it.each([
    ['damaged', '{"cloud_url": "https://cl', 'it is not JSON'],
    ['of somebody else', '{"name": "x"}', 'cloud_url'],
    ['much too large', ' '.repeat(CLAIM_FILE_BYTES_MAX + 1), `larger than ${CLAIM_FILE_BYTES_MAX} bytes`],
  ])('is left where it is when it is %s, and keeps no gateway from starting', (_what, text, said) => {
    writeFileSync(path, text);
    const file = open();
    expect(file.claim).toBeNull();
    expect(file.problem).toContain(said);
    expect(file.complaints).toEqual([expect.stringContaining(said)]);
    file.finish(null);
    expect(readFileSync(path, 'utf8')).toBe(text);
  });

  it('is neither a folder nor what a link leads to', () => {
    mkdirSync(path);
    expect(open().problem).toContain('it is no file');
    rmSync(path, { recursive: true });
    writeFileSync(join(directory, 'secret'), TEXT);
    symlinkSync(join(directory, 'secret'), path);
    expect(open()).toMatchObject({ claim: null, problem: expect.stringContaining('ELOOP') });
  });

  it('is not taken a second time when the power went before it was erased', () => {
    writeFileSync(path, TEXT);
    const sha256 = createHash('sha256').update(TEXT).digest('hex');
    writeFileSync(join(dataDir, CLAIM_NOTE_NAME), JSON.stringify({ sha256, refused: null }));
    expect(open()).toMatchObject({ claim: null, problem: null });
    expect([existsSync(path), readClaimNote(dataDir)]).toEqual([false, null]);
  });

  it('is erased when the power went between the claim and the note of it', () => {
    writeFileSync(path, TEXT);
    expect(open().claim).not.toBeNull();
    expect(open(true)).toMatchObject({ claim: null, problem: null, complaints: [] });
    expect([existsSync(path), readClaimNote(dataDir)]).toEqual([false, null]);
  });

  it('is erased to its end when the power went while it was overwritten', () => {
    writeFileSync(path, `\0${TEXT.slice(1)}`);
    expect(open(true)).toMatchObject({ claim: null, problem: null, complaints: [] });
    expect(existsSync(path)).toBe(false);
  });

  it('is taken when it is another one than the last', () => {
    writeFileSync(path, TEXT);
    writeFileSync(
      join(dataDir, CLAIM_NOTE_NAME),
      JSON.stringify({ sha256: '0'.repeat(64), refused: 'the code is used' }),
    );
    expect(open().claim).not.toBeNull();
  });

  it.each(['', '{', '{"sha256": 1}'])('is taken beside a note that holds %j', (note) => {
    writeFileSync(path, TEXT);
    writeFileSync(join(dataDir, CLAIM_NOTE_NAME), note);
    expect(open().claim).not.toBeNull();
  });
});

describe('the claim file of a claimed gateway', () => {
  it('is left, with a word of what to do', () => {
    writeFileSync(path, TEXT);
    const file = open(true);
    expect(file).toMatchObject({ claim: null, problem: null });
    expect(file.complaints).toEqual([expect.stringContaining('claimed already')]);
    expect(readFileSync(path, 'utf8')).toBe(TEXT);
  });
});

describe('a claim file where the program may not write', () => {
  it('is left to the unit, with a note of what became of it', () => {
    writeFileSync(path, TEXT);
    const file = open();
    // The tests may run as root, who may write everywhere but into this.
    mkdirSync(join(directory, 'claim.refused.json'));
    file.finish('the code is used');
    expect(readFileSync(path, 'utf8')).toBe(TEXT);
    expect(readClaimNote(dataDir)).toMatchObject({ refused: 'the code is used' });
    expect(file.complaints).toEqual([expect.stringContaining('parking-claim-file.service')]);
    expect(open()).toMatchObject({ claim: null, problem: 'claim.json: the cloud refused it: the code is used' });
  });
});
