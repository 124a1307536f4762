/** A file of members that was chosen: what its lines would do, and the import that the service makes of them. */
import type { components } from '@parking-gateway/client';
import { computed, signal } from '@preact/signals';
import { decideMemberLines, type MemberLine } from '../members/decide-member-lines.js';
import { type MemberFile, parseMemberFile } from '../members/member-file-parser.js';
import { drafts } from './browser.js';
import { newKey } from './draft.js';
import { allGroups, allMembers, type Group, type Member } from './member-reads.js';
import { client } from './session.js';

export type Import = components['schemas']['MemberImport'];
export type ImportLine = components['schemas']['MemberImportLine'];

interface ChosenFile {
  text: string;
  /** Empty: it was pasted. */
  name: string;
  encoding: string;
  /** Of this text: the service begins one import for it. */
  key: string;
}

const NONE: ChosenFile = { text: '', name: '', encoding: '', key: '' };
const FILE_DRAFT = 'member-file';
const SENT_DRAFT = 'member-file-import';
/** Thousands of lines are judged and stored before the answer. */
const TIMEOUT_MS = 60_000;

const isFile = (value: unknown): value is ChosenFile =>
  typeof value === 'object' &&
  value !== null &&
  Object.keys(NONE).every((key) => typeof new Map<string, unknown>(Object.entries(value)).get(key) === 'string');

function keptFile(): ChosenFile {
  const found = drafts.read(FILE_DRAFT);
  return isFile(found) ? found : NONE;
}

function keptSent(): number | null {
  const found = drafts.read(SENT_DRAFT);
  return typeof found === 'number' ? found : null;
}

export const chosenFile = signal<ChosenFile>(keptFile());
/** The import that this file became; null: it was not sent. */
export const sentAs = signal<number | null>(keptSent());
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

/** The lines that would be sent. */
export const wantedLines = computed(() => memberLines.value.filter(({ kind }) => kind === 'new' || kind === 'changed'));

export function chooseFile(chosen: Pick<ChosenFile, 'text' | 'name' | 'encoding'>): void {
  chosenFile.value = { ...chosen, key: newKey() };
  sentAs.value = null;
  drafts.write(FILE_DRAFT, chosenFile.value);
  drafts.forget(SENT_DRAFT);
}

export function forgetFile(): void {
  chooseFile(NONE);
  drafts.forget(FILE_DRAFT);
}

/** A file that was sent stays judged by what was there before. Throws as the client does. */
export async function readJudges(): Promise<void> {
  const [members, groups] = await Promise.all([allMembers(), allGroups()]);
  if (sentAs.value === null || judgedBy.value === null) judgedBy.value = { members, groups };
}

/** Sends all wanted lines; from then on the import is the service's. Throws as the client does. */
export async function beginImport(): Promise<void> {
  const { key, name } = chosenFile.value;
  const lines = wantedLines.value.map(({ line, id, body }) => ({ line, ...(id === null ? {} : { id }), ...body }));
  const begun = await client().post('/v2/member-imports', {
    body: { file_name: name, lines },
    idempotencyKey: key,
    timeoutMs: TIMEOUT_MS,
  });
  sentAs.value = begun.id;
  drafts.write(SENT_DRAFT, begun.id);
}
