import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { ROOT } from '../contract/pages/repository-pages.js';
import { createDouble, type Double } from '../../scripts/sim/double/create-double.js';
import { freePorts } from '../world/free-ports.js';
import { waitUntil } from '../../scripts/sim/wait-until.js';
import { guideNames, type Snippet, snippetsOf } from './guide.js';
import { openShell, type Shell } from './shell.js';

const SITE_FILE = 'scripts/demo-site.yaml';
/** Where the guides suppose the service to be. */
const DEMO = 'http://127.0.0.1:8080';
/** Values that are others each time: their types are compared. */
const VARYING = new Set(['event_id', 'secret', 'rssi', 'total', 'url']);

describe('the snippets of the guides', () => {
  let double: Double;
  let directory: string;
  let shell: Shell;
  let receiverPort: number;

  beforeAll(async () => {
    double = await createDouble({
      site: { name: SITE_FILE, text: readFileSync(join(ROOT, SITE_FILE), 'utf8') },
      freeDevicePorts: true,
    });
    directory = mkdtempSync(join(tmpdir(), 'parking-guides-'));
    mkdirSync(join(directory, 'node_modules/@parking-gateway'), { recursive: true });
    symlinkSync(join(ROOT, 'dist/client'), join(directory, 'node_modules/@parking-gateway/client'));
    for (const name of ['ws', '@types'])
      symlinkSync(join(ROOT, 'node_modules', name), join(directory, 'node_modules', name));
    writeFileSync(join(directory, 'package.json'), '{"type":"module"}');
  });
  afterAll(async () => {
    await double.close();
    rmSync(directory, { recursive: true, force: true });
  });

  beforeEach(async () => {
    receiverPort = (await freePorts(1))[0] ?? 0;
    shell = openShell(directory, {
      TOKEN: double.tokens[0]?.token ?? '',
      API: double.baseUrl,
      SIM: double.controlUrl,
      RECEIVER: `http://127.0.0.1:${receiverPort}/`,
      RECEIVER_PORT: String(receiverPort),
    });
    await shell.run(await shellFunctions());
  });
  afterEach(() => shell.close());

  it.each(guideNames())('%s', async (name) => {
    let printed = '';
    for (const snippet of snippetsOf(name)) {
      if (snippet.language === 'sh') printed = await shell.run(snippet.text.replaceAll(DEMO, double.baseUrl));
      else if (['js', 'ts'].includes(snippet.language)) await runProgram(name, snippet);
      else if (printed !== '') {
        expectShown(snippet, printed);
        printed = '';
      }
    }
  });

  /** `api` and `value`, as the first guide defines them. */
  async function shellFunctions(): Promise<string> {
    const [first] = snippetsOf('first-gate');
    const lines = first?.text.split('\n').filter((line) => /^\w+\(\) /.test(line)) ?? [];
    return lines.join('\n');
  }

  /**
   * Compiles a program strictly, and runs it to its end or, if it listens, until it has heard something. One of plain JavaScript names its
   * file in its first line, and is run by the guide itself.
   */
  async function runProgram(guide: string, { text, line }: Snippet): Promise<void> {
    const program = `${guide}-${line}`;
    writeFileSync(join(directory, `${program}.ts`), text);
    const flags = ['--strict', '--target', 'es2023', '--module', 'nodenext', '--types', 'node'];
    await promisify(execFile)(join(ROOT, 'node_modules/.bin/tsc'), [...flags, `${program}.ts`], {
      cwd: directory,
    }).catch((error: { stdout?: string }) => {
      throw new Error(`${guide}.md, line ${line}, does not compile:\n${error.stdout}`);
    });
    const [, file] = /^\/\/ (\S+\.mjs)\n/.exec(text) ?? [];
    if (file !== undefined) {
      writeFileSync(join(directory, file), text);
      return;
    }
    const isListening = /\.listen\(|\.realtime\(/.test(text);
    if (!isListening) {
      await shell.run(`node ${program}.js`);
      return;
    }
    await shell.run(`node ${program}.js > ${program}.log 2>&1 &`);
    if (/\.realtime\(/.test(text)) {
      await waitUntil('the program to hear of a vehicle', async () => {
        await shell.run(
          `curl -s $SIM/cameras/cam-in-1/read -H 'content-type: application/json' -d '{"plate":"ZG1234AB"}'`,
        );
        return readFileSync(join(directory, `${program}.log`), 'utf8').includes('plate_reading_create');
      });
    } else {
      await waitUntil('the receiver to listen', () =>
        fetch(`http://127.0.0.1:${receiverPort}/`).then(
          ({ status }) => status < 500,
          () => false,
        ),
      );
    }
  }
});

/** What the guide shows is there, with the values that it shows. */
function expectShown({ language, text, line }: Snippet, printed: string): void {
  if (language === 'json') {
    const actual: unknown = JSON.parse(printed);
    expect(actual, `line ${line}: ${printed}`).toMatchObject(shape(JSON.parse(text), actual) as object);
    return;
  }
  for (const [name = ''] of text.matchAll(/^[\w-]+/gm)) expect(printed.toLowerCase()).toContain(name.toLowerCase());
}

/** What is expected of an answer: all values that are shown, and the types of those that vary. Of a list its beginning is shown. */
function shape(shown: unknown, actual: unknown, key = ''): unknown {
  if (Array.isArray(shown)) {
    if (!Array.isArray(actual)) return shown;
    return [...shown.map((item, at) => shape(item, actual[at])), ...actual.slice(shown.length)];
  }
  if (typeof shown === 'object' && shown !== null) {
    const given = actual as Record<string, unknown>;
    return Object.fromEntries(Object.entries(shown).map(([name, value]) => [name, shape(value, given?.[name], name)]));
  }
  if (VARYING.has(key)) return typeof shown === 'number' ? expect.any(Number) : expect.any(String);
  return shown;
}
