/** Proposes a mapping for a document that no driver knows, by the names of its keys and the form of its values. */
import type { CameraMappingInput } from '../../../shared/drivers/camera-mapping.js';
import { plainText } from '../formats/path-parser.js';
import { base64Jpeg } from '../formats/picture-parser.js';
import { parseTimeAs } from '../formats/camera-time-parser.js';

const LEAVES_MAX = 500;
const DEPTH_MAX = 12;
const ITEMS_MAX = 3;

interface Leaf {
  /** The path, which begins at the item where the value stands in the list of vehicles. */
  path: string;
  /** The last key in lower case, with letters only. */
  word: string;
  value: unknown;
  text: string;
}

/** Patterns of times, the likely ones first. Day stands before month; an installer sees whether that is right. */
const PATTERNS = [
  'YYYY/MM/DD HH:mm:ss',
  'DD.MM.YYYY HH:mm:ss',
  'DD/MM/YYYY HH:mm:ss',
  'DD-MM-YYYY HH:mm:ss',
  'YYYYMMDDHHmmss',
  'YYYYMMDD HHmmssSSS',
  'YYYYMMDD HHmmss',
];
const PLATE_FORM = /^(?=.*\d)[\p{L}\d][\p{L}\d .-]{2,11}$/u;

/**
 * Returns null when no value looks like a plate.
 * @param document JSON, or XML as a tree
 */
export function proposeMapping(document: unknown, format: 'json' | 'xml'): CameraMappingInput | null {
  const list = longestList(document);
  const leaves = leavesOf(document, list);
  const plate = best(leaves, (leaf) => plateScore(leaf));
  if (plate === null) return null;
  const others = leaves.filter((leaf) => leaf !== plate);
  const pick = (words: RegExp, fits: (leaf: Leaf) => boolean = ({ text }) => text !== ''): string | null =>
    best(others, (leaf) => (fits(leaf) && words.test(leaf.word) ? 2 - leaf.word.length / 100 : 0))?.path ?? null;
  const isNumber = ({ text }: Leaf) => text !== '' && Number.isFinite(Number(text));
  const confidence = pick(/confidence|score|reliab|accuracy|certain|prob/, isNumber);
  const direction = pick(/direction|movement|motion|dir$|heading/);
  const time = timeOf(others);
  const country = pick(/country|nation|region/, ({ text }) => /^[A-Za-z]{2,3}$/.test(text));
  const type = pick(/vehicletype|vehicleclass|bodytype|category/);
  const make = pick(/make|brand|manufacturer|logo/);
  const color = pick(/vehiclecolou?r|carcolou?r|^colou?r/);
  const event = pick(/uuid|guid|eventid|recordid|^id$|serialnumber$/);
  const pictures = others.filter(({ value }) => base64Jpeg(value) !== null);
  const plateWord = ({ word }: Leaf) => /plate|lpr|crop|cut/.test(word);
  const platePicture = pictures.find(plateWord)?.path ?? null;
  const full = pictures.find((leaf) => !plateWord(leaf))?.path ?? null;
  return {
    ...(format === 'json' ? {} : { format }),
    ...(list === null ? {} : { list: list.path }),
    plate: plate.path,
    ...(event === null ? {} : { event_id: event }),
    ...(confidence === null ? {} : { confidence: { at: confidence, of: wholeOf(others, confidence) } }),
    ...(direction === null ? {} : { direction: { at: direction } }),
    ...(time === null ? {} : { time }),
    ...(country === null ? {} : { country }),
    ...(type === null ? {} : { type: { at: type } }),
    ...(make === null ? {} : { make }),
    ...(color === null ? {} : { color }),
    ...(full === null ? {} : { full: { base64: full } }),
    ...(platePicture === null ? {} : { plate_picture: { base64: platePicture } }),
  };
}

/** Finds the list of objects that hold plates, where a document may report several vehicles. */
function longestList(document: unknown, path = '', depth = 0): { path: string; items: unknown[] } | null {
  if (depth > DEPTH_MAX || typeof document !== 'object' || document === null) return null;
  if (Array.isArray(document)) return null;
  for (const [key, value] of Object.entries(document)) {
    if (!isKey(key)) continue;
    const at = path === '' ? key : `${path}.${key}`;
    const holdsPlate = (items: unknown[]) => leavesOf(items[0], null).some((leaf) => plateScore(leaf) > 1);
    if (Array.isArray(value) && typeof value[0] === 'object' && holdsPlate(value)) return { path: at, items: value };
    const inner = longestList(value, at, depth + 1);
    if (inner !== null) return inner;
  }
  return null;
}

const isKey = (key: string): boolean => /^[^.[\]\s][^.[\]]{0,63}$/.test(key);

function leavesOf(document: unknown, list: { items: unknown[] } | null): Leaf[] {
  const leaves: Leaf[] = [];
  const visit = (value: unknown, path: string, depth: number): void => {
    if (leaves.length >= LEAVES_MAX || depth > DEPTH_MAX) return;
    if (Array.isArray(value)) {
      if (value === list?.items) {
        visit(value[0], '', depth + 1);
        return;
      }
      for (const [index, item] of value.slice(0, ITEMS_MAX).entries()) visit(item, `${path}[${index}]`, depth + 1);
      return;
    }
    if (typeof value === 'object' && value !== null) {
      for (const [key, inner] of Object.entries(value)) {
        if (isKey(key)) visit(inner, path === '' ? key : `${path}.${key}`, depth + 1);
      }
      return;
    }
    const word = (path.split('.').at(-1) ?? '').toLowerCase().replace(/[^a-z]/g, '');
    if (path !== '') leaves.push({ path, word, value, text: plainText(value) });
  };
  visit(document, '', 0);
  return leaves;
}

function plateScore({ word, path, text }: Leaf): number {
  if (!PLATE_FORM.test(text) || /color|colour|type|image|picture|country|confidence|width|size/.test(word)) return 0;
  const named =
    /^(plate|plateno|platenumber|platetext|platenr|licenseplate|licenceplate|license|lpr|registration|kennzeichen)/;
  if (named.test(word)) return 4;
  if (/plate|lpr|license|licence/.test(path.toLowerCase())) return 2;
  return /^(?=.*[A-Z])(?=.*\d)[A-Z\d -]{4,10}$/.test(text) ? 1 : 0;
}

function best(leaves: readonly Leaf[], score: (leaf: Leaf) => number): Leaf | null {
  let found: { leaf: Leaf; score: number } | null = null;
  for (const leaf of leaves) {
    const scored = score(leaf);
    if (scored > (found?.score ?? 0)) found = { leaf, score: scored };
  }
  return found?.leaf ?? null;
}

function timeOf(leaves: readonly Leaf[]): { at: string; format: string } | null {
  const named = leaves.filter(
    ({ word, text }) => /time|date|epoch|timestamp|when|captured|detected/.test(word) && text !== '',
  );
  for (const { path, text } of named) {
    const format = formatOf(text);
    if (format !== null) return { at: path, format };
  }
  return null;
}

function formatOf(text: string): string | null {
  const number = Number(text);
  if (/^\d{10}(\.\d+)?$/.test(text)) return 'seconds';
  if (Number.isSafeInteger(number) && /^\d{13}$/.test(text)) return 'milliseconds';
  return ['iso', ...PATTERNS].find((format) => parseTimeAs(text, format, 'UTC') !== null) ?? null;
}

/** 1 or 100, by the value in this document. */
function wholeOf(leaves: readonly Leaf[], path: string): number {
  return Number(leaves.find((leaf) => leaf.path === path)?.text) <= 1 ? 1 : 100;
}
