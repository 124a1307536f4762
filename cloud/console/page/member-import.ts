/** An import of members: the file that was chosen, and how far its lines are. It goes on while its view is left. */
import { computed, signal } from '@preact/signals';
import { decideMemberLines, type MemberLine } from '../members/decide-member-lines.js';
import { type MemberFile, parseMemberFile } from '../members/member-file-parser.js';
import { refusalSentence } from '../wording/sentences.js';
import { drafts, words } from './browser.js';
import { newKey } from './draft.js';
import { allGroups, allMembers, type Group, type Member } from './member-reads.js';
import { client, refusalOf, signedIn } from './session.js';
import { lostSince } from './store.js';

export type Outcome =
  | { what: 'made' | 'changed' }
  /** `why` in the words of a person. */
  | { what: 'refused'; why: string };

interface ChosenFile {
  text: string;
  /** Empty: it was pasted. */
  name: string;
  encoding: string;
  /** Of this text: with the number of a line it is that line's key, by which the service does it once. */
  key: string;
}

const NONE: ChosenFile = { text: '', name: '', encoding: '', key: '' };
const FILE_DRAFT = 'member-file';
const OUTCOMES_DRAFT = 'member-file-outcomes';
/** A token may ask 600 times a minute, and the rest of the console asks as well. */
const QUICK_LINES = 100;
const PACE_MS = 150;
const AGAIN_MS = 2_000;
const KEEP_EVERY = 20;
const TIMEOUT_MS = 10_000;

const isFile = (value: unknown): value is ChosenFile =>
  typeof value === 'object' &&
  value !== null &&
  Object.keys(NONE).every((key) => typeof new Map<string, unknown>(Object.entries(value)).get(key) === 'string');

function keptFile(): ChosenFile {
  const found = drafts.read(FILE_DRAFT);
  return isFile(found) ? found : NONE;
}

function keptOutcomes(): ReadonlyMap<number, Outcome> {
  const found = drafts.read(OUTCOMES_DRAFT);
  return new Map(Array.isArray(found) ? (found as [number, Outcome][]) : []);
}

export const chosenFile = signal<ChosenFile>(keptFile());
export const outcomes = signal<ReadonlyMap<number, Outcome>>(keptOutcomes());
/** `waiting`: nobody answers. */
export const importState = signal<'idle' | 'running' | 'waiting'>('idle');
/** Against what the lines are judged; null: it has not been read. */
export const judgedBy = signal<{ members: Member[]; groups: Group[] } | null>(null);

export const memberFile = computed((): MemberFile | null =>
  chosenFile.value.text.trim() === '' ? null : parseMemberFile(chosenFile.value.text),
);

export const memberLines = computed((): MemberLine[] => {
  const file = memberFile.value;
  const now = judgedBy.value;
  return file === null || now === null || file.fault !== null ? [] : decideMemberLines(file.rows, now);
});

/** The lines that are still to be sent. */
export const waitingLines = computed(() =>
  memberLines.value.filter(({ line, kind }) => (kind === 'new' || kind === 'changed') && !outcomes.value.has(line)),
);

export function chooseFile(chosen: Pick<ChosenFile, 'text' | 'name' | 'encoding'>): void {
  chosenFile.value = { ...chosen, key: newKey() };
  outcomes.value = new Map();
  drafts.write(FILE_DRAFT, chosenFile.value);
  drafts.forget(OUTCOMES_DRAFT);
}

export function forgetFile(): void {
  chooseFile(NONE);
  drafts.forget(FILE_DRAFT);
}

/** Throws as the client does. */
export async function readJudges(): Promise<void> {
  const [members, groups] = await Promise.all([allMembers(), allGroups()]);
  if (importState.value === 'idle') judgedBy.value = { members, groups };
}

let isStopping = false;

export const stopImport = (): void => void (isStopping = true);

const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

/**
 * Sends the lines one after the other. While nobody answers it waits, and goes on with the same line and the same key. It ends when all
 * lines are done, when it is stopped, and with the sign-in: what is left can be sent later.
 */
export async function runImport(): Promise<void> {
  if (importState.value !== 'idle') return;
  importState.value = 'running';
  isStopping = false;
  const { key } = chosenFile.value;
  const lines = waitingLines.value;
  const token = signedIn.value?.token;
  const isOver = () => isStopping || signedIn.value?.token !== token || chosenFile.value.key !== key;
  for (const [at, line] of lines.entries()) {
    const outcome = await sendUntilAnswered(line, `${key}-${line.line}`, isOver);
    if (outcome === null) break;
    outcomes.value = new Map(outcomes.value).set(line.line, outcome);
    if (at % KEEP_EVERY === 0) keepOutcomes();
    if (at >= QUICK_LINES) await pause(PACE_MS);
    if (isOver()) break;
  }
  keepOutcomes();
  importState.value = 'idle';
}

const keepOutcomes = (): void => drafts.write(OUTCOMES_DRAFT, [...outcomes.value]);

/** @returns null when it is over before there was an answer */
async function sendUntilAnswered(line: MemberLine, key: string, isOver: () => boolean): Promise<Outcome | null> {
  while (!isOver()) {
    try {
      const what = await send(line, key);
      importState.value = 'running';
      return { what };
    } catch (error) {
      const refusal = refusalOf(error);
      if (refusal.status === 401) return null;
      const { status } = refusal;
      if (status === null || (status !== 0 && status !== 429 && status < 500)) {
        importState.value = 'running';
        return { what: 'refused', why: refusalSentence(refusal, words) };
      }
      importState.value = 'waiting';
      do await pause(AGAIN_MS);
      while (lostSince.value !== null && !isOver());
    }
  }
  return null;
}

async function send({ id, body }: MemberLine, idempotencyKey: string): Promise<'made' | 'changed'> {
  if (id === null) {
    const { name = '', ...others } = body;
    await client().post('/v2/members', { body: { name, ...others }, idempotencyKey, timeoutMs: TIMEOUT_MS });
    return 'made';
  }
  await client().patch('/v2/members/{id}', { path: { id }, body, timeoutMs: TIMEOUT_MS });
  return 'changed';
}
