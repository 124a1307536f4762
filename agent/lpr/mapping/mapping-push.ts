/** Reads pushes by mappings: that of the camera's settings, or those of its driver. */
import { type CameraMapping, cameraMappingSchema } from '../../../shared/drivers/camera-mapping.js';
import type { CameraPush, CameraRead, ParsedPush, PushReader } from '../camera.js';
import { decodeText } from '../formats/charset-parser.js';
import { DOCUMENT_BYTES_MAX, parseJson, parseXmlTree } from '../formats/document-parser.js';
import { isMultipart, type MultipartPart, partsOf } from '../formats/multipart-splitter.js';
import { isJpeg } from '../formats/picture-parser.js';
import { parseMapped, separateVehicles } from '../map/mapping-parser.js';
import { errorText } from '../../../shared/error-text.js';

/** A larger document of these kinds is refused: pictures are not expected in XML, nor in a field of a form. */
const XML_BYTES_MAX = 4 * 1024 * 1024;
const FIELD_BYTES_MAX = 64 * 1024;
const FORM_FIELDS_MAX = 100;

const NO_MAPPING = 'the camera has no mapping: parking-agent cameras map proposes one';

export interface MappedVendor {
  /** In the order in which they are tried. The first one that finds a plate reads the push. */
  tables: readonly CameraMapping[];
  /** Each table reads other vehicles of a push, so that all tables are used. */
  together?: boolean;
  /** Returns why the push is not from the camera; null: it is. */
  refuse?: (push: CameraPush) => string | null;
}

/** Cameras of these vendors accept any 2xx as an answer. */
export function mappedPush({ tables, refuse, together = false }: MappedVendor): PushReader {
  return {
    accepted: { status: 200, contentType: null, body: '' },
    parse(push) {
      if (push.body.length === 0) return { kind: 'other', event: 'empty body' };
      const refusal = refuse?.(push) ?? null;
      if (refusal !== null) return { kind: 'malformed', reason: refusal };
      const own = ownMapping(push.camera.mapping);
      if (own === 'invalid') return { kind: 'malformed', reason: "the camera's mapping is not valid" };
      return parseByTables(push, own === null ? { tables, together } : { tables: [own] });
    },
  };
}

/** The parsed mappings, by the object in the settings, which stays the same as long as the configuration does not change. */
const parsedMappings = new WeakMap<object, CameraMapping | 'invalid'>();

function ownMapping(given: unknown): CameraMapping | 'invalid' | null {
  if (typeof given !== 'object' || given === null) return null;
  let mapping = parsedMappings.get(given);
  if (mapping === undefined) {
    const parsed = cameraMappingSchema.safeParse(given);
    mapping = parsed.success ? parsed.data : 'invalid';
    parsedMappings.set(given, mapping);
  }
  return mapping;
}

/** Reads a push by each table in turn. */
function parseByTables(push: CameraPush, { tables, together = false }: Omit<MappedVendor, 'refuse'>): ParsedPush {
  let worst: ParsedPush = { kind: 'malformed', reason: NO_MAPPING };
  const reads: CameraRead[] = [];
  const parts = partsOf(push.body, push.contentType);
  const documentFor = oncePerDocument((mapping) => documentOf(push, parts, mapping));
  for (const [index, mapping] of tables.entries()) {
    const parsed = parseBy(push, parts, { mapping, document: documentFor(mapping) });
    if (parsed.kind === 'read') {
      if (!together) return parsed;
      reads.push(parsed.read, ...(parsed.more ?? []));
    } else if (
      index === 0 ||
      // A sign of life for one table may be a vehicle for the next. When no table understands the push, the reason of the first table
      // counts.
      (together ? parsed.kind === 'malformed' : worst.kind === 'malformed' && parsed.kind === 'other')
    ) {
      worst = parsed;
    }
  }
  return pushOf(separateVehicles(reads)) ?? worst;
}

function pushOf([read, ...more]: readonly CameraRead[]): ParsedPush | null {
  if (read === undefined) return null;
  return more.length === 0 ? { kind: 'read', read } : { kind: 'read', read, more };
}

/** Tables that read the same part read one document: a push is parsed once, and not once for each table. */
function oncePerDocument(parse: (mapping: CameraMapping) => FoundDocument): (mapping: CameraMapping) => FoundDocument {
  const parsed = new Map<string, FoundDocument>();
  return (mapping) => {
    const key = `${mapping.format} ${mapping.document ?? ''}`;
    const document = parsed.get(key) ?? parse(mapping);
    parsed.set(key, document);
    return document;
  };
}

function parseBy(
  push: CameraPush,
  parts: readonly MultipartPart[],
  { mapping, document }: { mapping: CameraMapping; document: FoundDocument },
): ParsedPush {
  if ('reason' in document) return { kind: 'malformed', reason: document.reason };
  const mapped = parseMapped(
    {
      document: document.tree,
      picture: (name) => parts.find((part) => isNamed(part, name) && isJpeg(part.content))?.content ?? null,
      zone: push.camera.timezone,
    },
    mapping,
  );
  if (mapped.kind === 'other') return { kind: 'other', event: 'no vehicle' };
  if (mapped.kind === 'malformed') return mapped;
  return pushOf(mapped.reads) ?? { kind: 'other', event: 'no vehicle' };
}

const isNamed = ({ name, filename }: MultipartPart, wanted: string): boolean => name === wanted || filename === wanted;

type FoundDocument = { tree: unknown } | { reason: string };

function documentOf(push: CameraPush, parts: readonly MultipartPart[], mapping: CameraMapping): FoundDocument {
  if (mapping.format === 'form') return { tree: formOf(push, parts) };
  const opens = mapping.format === 'json' ? /^[[{]/ : /^</;
  const named = mapping.document;
  const part = parts.find((each) =>
    named === null ? opens.test(beginningOf(each.content)) : isNamed(each, named) && !isJpeg(each.content),
  );
  const kind = mapping.format.toUpperCase();
  if (part === undefined) return { reason: `no ${kind}${named === null ? '' : ` in a part ${named}`}` };
  const bytesMax = mapping.format === 'json' ? DOCUMENT_BYTES_MAX : XML_BYTES_MAX;
  if (part.content.length > bytesMax) return { reason: `${kind} of more than ${bytesMax} bytes` };
  const text = decodeText(part.content, part.contentType || push.contentType);
  if (mapping.format === 'json') {
    const tree = parseJson(text);
    return tree === undefined ? { reason: 'no JSON' } : { tree };
  }
  try {
    return { tree: parseXmlTree(text).tree };
  } catch (error) {
    return { reason: errorText(error) };
  }
}

function beginningOf(content: Uint8Array): string {
  return decodeText(content.subarray(0, 64)).replace(/^[\s\0]+/, '');
}

/** The fields of a multipart or URL-encoded form. */
function formOf({ contentType, body }: CameraPush, parts: readonly MultipartPart[]): Record<string, string> {
  const fields: Record<string, string> = Object.create(null) as Record<string, string>;
  if (isMultipart(contentType)) {
    for (const { name, content } of parts) {
      // A field at the very end of the body may be cut off.
      const isEnded = content.byteOffset + content.byteLength < body.byteOffset + body.byteLength;
      if (isEnded && name !== '' && content.length <= FIELD_BYTES_MAX && !isJpeg(content))
        fields[name] = decodeText(content).trim();
    }
    return fields;
  }
  const encoded = new URLSearchParams(decodeText(body.subarray(0, FIELD_BYTES_MAX)));
  for (const [name, value] of [...encoded].slice(0, FORM_FIELDS_MAX)) fields[name] = value;
  return fields;
}
