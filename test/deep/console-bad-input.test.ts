/** Every form of the console with what nobody should type: each says what is wrong, and nothing breaks. */
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { hasChromium } from '../browser/chromium.js';
import { type ConsoleWorld, startConsoleWorld } from '../browser/console-world.js';

/** Where the forms are. */
const FORMS = [
  '/?edit=lot',
  '/lots/1?edit=zone',
  '/lots/1?edit=product',
  '/lots/1?edit=lpr_camera',
  '/lots/1?edit=parking_place',
  '/lots/1?edit=parking_gateway',
  '/lots/1?edit=rgb_display',
  '/members?edit=new',
  '/members?edit=1',
  '/members?show=groups&edit=new',
  '/alerts?edit=new',
  '/displays?edit=new',
  '/tariffs?edit=new',
  '/keys',
  '/users',
  '/users?edit=new',
  '/tokens?edit=new',
  '/webhooks?edit=new',
  '/devices?edit=new',
  '/devices?show=terminals&edit=new',
  '/profile',
];
/** English in a German page. */
const ENGLISH = /\b(must|the|is|are|not|at)\b/i;

/** What is typed into all fields of a form at once. */
const TEXTS: Readonly<Record<string, string>> = {
  nothing: '',
  blank: '   ',
  long: 'x'.repeat(5_000),
  emoji: '🚗🅿️👩‍👩‍👧',
  script: `"><img src=x onerror=alert(1)>`,
  backwards: 'abc\u202Edef',
  plates: 'ZG 1234 AB, ZG 5678 CD; ST-99',
  negative: '-5',
  huge: '99999999999999999999',
  date: '2026-13-45',
};

/** What a browser's field of this type can hold of a text. */
const numberIn = (text: string): string => (/^-?\d+$/.test(text) ? text : text === '' ? '' : '-0.5');
const dayIn = (text: string): string => (text.startsWith('-') ? '0001-01-01' : text === '' ? '' : '9999-12-31');

describe.skipIf(!hasChromium())('the console: bad input', () => {
  let started: ConsoleWorld;

  beforeAll(async () => {
    started = await startConsoleWorld();
  });
  afterEach(() => started.closePages());
  afterAll(() => started?.close());

  it.each(FORMS)(
    'is refused in the words of the reader at %s',
    async (path) => {
      const { page, goTo, complaints } = await started.open({ locale: 'de-DE' });
      const failed: string[] = [];
      page.on('response', (answer) => {
        if (answer.status() >= 500) failed.push(`${answer.status()} ${answer.request().method()} ${answer.url()}`);
      });
      for (const [name, text] of Object.entries(TEXTS)) {
        await goTo(path);
        await page.getByRole('heading', { level: 1 }).waitFor();
        await page.waitForLoadState('networkidle');
        await page.evaluate(`for (const each of document.querySelectorAll('main details')) each.open = true`);
        // What stands behind a dialog cannot be typed into.
        const isDialog = (await page.locator('dialog[open] form').count()) > 0;
        const forms = page.locator(isDialog ? 'dialog[open] form' : 'form:visible');
        await forms.first().waitFor();
        for (let at = (await forms.count()) - 1; at >= 0; at -= 1) {
          const form = forms.nth(at);
          const fields = form.locator(
            'input:visible:not([type=checkbox], [type=radio], [type=file], [type=color]), textarea:visible',
          );
          for (const field of await fields.all()) {
            const type = (await field.getAttribute('type')) ?? 'text';
            // A wrong number would be refused before the service has seen the texts.
            const isNumber = type === 'number' || (await field.getAttribute('inputmode')) !== null;
            if ((await field.isDisabled()) || (isNumber && !/^-?\d*$/.test(text))) continue;
            if (type === 'number') await field.fill(numberIn(text));
            else if (type === 'date') await field.fill(dayIn(text));
            else if (type === 'datetime-local') await field.fill(dayIn(text) === '' ? '' : `${dayIn(text)}T00:00`);
            else if (type === 'time') await field.fill(text === '' ? '' : '23:59');
            else await field.fill(text);
          }
          await form.locator('button[type=submit]').first().click();
          await page.waitForLoadState('networkidle');
          await page.waitForTimeout(150);
          const said = await page.locator('.fault:visible, [role=alert]:visible, .notice.bad:visible').allInnerTexts();
          expect(
            said.filter((each) => ENGLISH.test(each) && !each.includes('img src')),
            `${path} ${name}`,
          ).toEqual([]);
          expect(Math.max(0, ...said.map(({ length }) => length)), `${path} ${name}`).toBeLessThan(400);
        }
        const whole = await page.locator('body').innerText();
        expect(whole.match(/\b(undefined|NaN)\b|\[object/)?.[0], `${path} ${name}`).toBeUndefined();
        expect(
          await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth'),
          name,
        ).toBeLessThanOrEqual(0);
        expect(failed).toEqual([]);
        expect(complaints, `${path} ${name}`).toEqual([]);
        await page.evaluate('sessionStorage.clear()');
      }
    },
    240_000,
  );
});
