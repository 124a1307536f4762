/** What a first load of the console asks for. */
import type { Language } from '../../shared/languages.js';

const BROWSER = { accept: 'text/html', 'accept-encoding': 'gzip' };
const asked = async (base: string, path: string): Promise<Response> => fetch(new URL(path, base), { headers: BROWSER });

/**
 * The paths of the scripts that the console asks for before it shows something: those that its HTML names, and the words of one language.
 * @param base of a running cloud
 */
export async function firstScripts(base: string, language: Language = 'en'): Promise<string[]> {
  const html = await (await asked(base, '/')).text();
  const named = [...html.matchAll(/(?:src|href)="(\/console\/[^"]+\.js)"/g)].map(([, path = '']) => path);
  const texts = await Promise.all(named.map(async (path) => (await asked(base, path)).text()));
  // Scripts with words of this language: of the page itself, the largest, and of what few people open.
  const ofLanguage = new RegExp(String.raw`\b${language}-[\w-]{8}\.js`, 'g');
  const words = new Set(texts.flatMap((text) => text.match(ofLanguage) ?? []).map((name) => `/console/${name}`));
  const sized = await Promise.all(
    [...words].map(async (path) => ({ path, size: (await (await asked(base, path)).arrayBuffer()).byteLength })),
  );
  const largest = sized.toSorted((a, b) => b.size - a.size)[0];
  if (largest === undefined) throw new Error('no script of the page names the words of a language');
  return [...named, largest.path];
}
