/** A car park with its people and a browser, as the tests of the console's stories begin. */
import type { Browser } from 'playwright-core';
import { TEST_SITE } from '../world/site.js';
import { createWorld, type World, type WorldOptions } from '../world/world.js';
import { launchChromium } from './chromium.js';
import { type ConsolePage, type ConsoleUser, DESKTOP, openConsole, PHONE } from './console-page.js';

/** A Super Admin. */
export const OWNER: ConsoleUser = { email: TEST_SITE.ownerEmail, password: TEST_SITE.ownerPassword };
/** An Attendant, called Gus. */
export const GUARD: ConsoleUser = { email: 'guard@harbour.example', password: 'another phrase' };
/** A name that would be a script, were it taken for HTML. */
export const ATTACK = '"><img src=x onerror=alert(1)>';
/** In which people look at a view. */
export const LOOKS = [
  ['desktop', DESKTOP, 'light'],
  ['desktop', DESKTOP, 'dark'],
  ['phone', PHONE, 'dark'],
] as const;

type PageOptions = Parameters<Browser['newContext']>[0];

export interface ConsoleWorld {
  world: World;
  browser: Browser;
  /** @param user null: nobody signs in. @param base where the page is asked for, if not at the cloud itself */
  open(options?: PageOptions, user?: ConsoleUser | null, base?: string): Promise<ConsolePage>;
  /** Closes the pages that were opened since the last call: after each test. */
  closePages(): Promise<void>;
  close(): Promise<void>;
}

/** @param options.prepare what is done before the browser begins, such as to write a history */
export async function startConsoleWorld({
  prepare,
  ...options
}: WorldOptions & { prepare?: (world: World) => Promise<void> } = {}): Promise<ConsoleWorld> {
  const guard = `      - {email: ${GUARD.email}, password: "${GUARD.password}", name: Gus, role: Attendant}\n`;
  const withGuard = (yaml: string): string => yaml.replace('    api_tokens:', `${guard}    api_tokens:`);
  const world = await createWorld({
    ...options,
    alterSite: (yaml) => withGuard(options.alterSite?.(yaml) ?? yaml),
  });
  const pages: ConsolePage[] = [];
  try {
    await prepare?.(world);
    const browser = await launchChromium();
    return {
      world,
      browser,
      async open(pageOptions = {}, user = OWNER, base = world.cloudUrl) {
        const page = await openConsole(browser, base, pageOptions);
        pages.push(page);
        if (user !== null) await page.signIn(user);
        return page;
      },
      closePages: async () => void (await Promise.all(pages.splice(0).map((page) => page.close()))),
      async close() {
        await browser.close();
        await world.close();
      },
    };
  } catch (error) {
    await world.close();
    throw error;
  }
}
