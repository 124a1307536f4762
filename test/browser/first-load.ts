/** What a first load of the console asks for. */

const BROWSER = { accept: 'text/html', 'accept-encoding': 'gzip' };
const asked = async (base: string, path: string): Promise<Response> => fetch(new URL(path, base), { headers: BROWSER });

/** The names of the scripts with words of a language in a script of the page: of the page itself, and of what few people open. */
const WORDS = /\ben-[\w-]{8}\.js/g;

/**
 * The paths of the scripts that the console asks for before it shows something: those that its HTML names, with English as the language.
 * @param base of a running cloud
 */
export async function firstScripts(base: string): Promise<string[]> {
  const html = await (await asked(base, '/')).text();
  const named = [...html.matchAll(/(?:src|href)="(\/console\/[^"]+\.js)"/g)].map(([, path = '']) => path);
  const texts = await Promise.all(named.map(async (path) => (await asked(base, path)).text()));
  const words = new Set(texts.flatMap((text) => text.match(WORDS) ?? []).map((name) => `/console/${name}`));
  const sized = await Promise.all(
    [...words].map(async (path) => ({ path, size: (await (await asked(base, path)).arrayBuffer()).byteLength })),
  );
  const largest = sized.toSorted((a, b) => b.size - a.size)[0];
  if (largest === undefined) throw new Error('no script of the page names the words of a language');
  return [...named, largest.path];
}
