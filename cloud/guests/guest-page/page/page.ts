/** The script of a weblink's page. It holds the page's state, displays it, and calls the service that delivered the page. */
import type { ProductOperation } from '../../../../shared/uplink-orders.js';
import { PAGE_WORDS as de } from '../../../site/words/de.js';
import { PAGE_WORDS as en } from '../../../site/words/en.js';
import { PAGE_WORDS as hr } from '../../../site/words/hr.js';
import { PAGE_WORDS as hu } from '../../../site/words/hu.js';
import { languageOf } from '../../../../shared/languages.js';
import { jsonIn } from '../../../../shared/page/json-text.js';
import { limitedSignal } from '../../../../shared/page/limited-signal.js';
import { localTime } from '../../../site/words/local-time.js';
import type { GuestFault } from '../../../site/words/words.js';
import { decideGuestView, faultOfAnswer, type GuestFacts, tokenIn } from '../decide-guest-view.js';
import type { GuestPage } from '../guest-page-payload.js';

/** How often the service is polled while something moves, and otherwise. */
const MOVING_MS = 1_000;
const RESTING_MS = 10_000;
const ANSWER_MS = 20_000;
/** After this time the guest is told to wait. */
const SLOW_MS = 5_000;
/** If the answer to a press is lost, the request is repeated. All repeats have the same idempotency key, so that the product moves once. */
const TRIES = 3;

const id = location.pathname.slice(location.pathname.lastIndexOf('/') + 1);
const language = languageOf(navigator.languages);
const words = { en, de, hr, hu }[language];
const timeOf = (ms: number, timezone: string) => localTime(ms, { locale: words.locale, timezone });
const facts: GuestFacts = { page: null, asking: null, watched: null, isSlow: false, fault: null };
const isDark = matchMedia('(prefers-color-scheme: dark)');
const buttons = new Map<ProductOperation, HTMLButtonElement>();
let timer: ReturnType<typeof setTimeout> | undefined;
let slowTimer: ReturnType<typeof setTimeout> | undefined;

const element = (name: string): HTMLElement => {
  const found = document.getElementById(name);
  if (found === null) throw new Error(name);
  return found;
};

function show(): void {
  const view = decideGuestView(facts, words, timeOf);
  if (facts.page !== null && facts.fault !== 'link') showAccount(facts.page.account);
  setText('name', view.name);
  document.title = view.name;
  setText('place', view.place);
  setText('state', view.state?.word ?? '');
  element('state').className = view.state?.kind ?? '';
  setText('hint', view.hint);
  setText('what', view.message?.what ?? '');
  setText('todo', view.message?.todo ?? '');
  element('message').className = `${view.message?.tone ?? ''} ${view.isBusy ? 'busy' : ''}`;
  watchTheTime(view.isBusy);
  setText('validity', view.validity);
  showButtons(view.operations, view.isBusy);
  document.body.className = view.operations.length === 0 ? 'bare' : '';
  const again = element('again');
  again.hidden = view.operations.length > 0 || facts.fault === null || facts.fault === 'link';
  again.textContent = words.tryAgain;
}

/** Shows whose place it is, and whom to ask. What people wrote is text, and never HTML. */
function showAccount({ name, logo, colours, contact }: GuestPage['account']): void {
  element('account').hidden = false;
  setText('owner', name);
  const picture = element('logo') as HTMLImageElement;
  picture.hidden = logo === null;
  if (logo !== null && picture.getAttribute('src') !== logo) picture.src = logo;
  const { accent = '', ink = '' } = colours?.[isDark.matches ? 'dark' : 'light'] ?? {};
  document.documentElement.style.setProperty('--main', accent);
  document.documentElement.style.setProperty('--on-main', ink);
  showContact(contact);
}

/** Mail address and number are links, so that a phone calls. */
function showContact({ name, email, phone }: GuestPage['account']['contact']): void {
  const link = (address: string, text: string) => {
    const made = document.createElement('a');
    made.href = address;
    made.textContent = text;
    return made;
  };
  const parts = [
    ...(name === '' ? [] : [name]),
    ...(email === '' ? [] : [link(`mailto:${email}`, email)]),
    ...(phone === '' ? [] : [link(`tel:${phone.replace(/[^+\d]/g, '')}`, phone)]),
  ];
  const shown = parts.reduce<(string | Node)[]>((all, part) => [...all, all.length === 0 ? ' ' : ', ', part], []);
  const place = element('contact');
  const text = [name, email, phone].filter((part) => part !== '').join(', ');
  // Each answer brings it again: links that are the same keep the focus.
  if (place.dataset.shown === text) return;
  place.dataset.shown = text;
  place.textContent = '';
  if (parts.length > 0) place.append(words.contact, ...shown);
}

/** Starts or stops the timer after which the page says that the command takes longer than usual. */
function watchTheTime(isBusy: boolean): void {
  if (!isBusy) {
    clearTimeout(slowTimer);
    slowTimer = undefined;
    facts.isSlow = false;
  } else {
    slowTimer ??= setTimeout(() => {
      facts.isSlow = true;
      show();
    }, SLOW_MS);
  }
}

/** Writes a text only if it has changed, because a screen reader reads every written text aloud. */
function setText(name: string, text: string): void {
  const shown = element(name);
  if (shown.textContent !== text) shown.textContent = text;
}

/** Reuses the button elements, because replacing a focused element loses the focus. */
function showButtons(
  operations: readonly { operation: ProductOperation; label: string; isMain: boolean }[],
  isBusy: boolean,
): void {
  for (const [operation, button] of buttons) {
    if (operations.some((each) => each.operation === operation)) continue;
    button.remove();
    buttons.delete(operation);
  }
  for (const { operation, label, isMain } of operations) {
    let button = buttons.get(operation);
    if (button === undefined) {
      button = document.createElement('button');
      button.type = 'button';
      button.addEventListener('click', () => void press(operation));
      buttons.set(operation, button);
      element('operations').append(button);
    }
    button.textContent = label;
    button.className = isMain ? 'main' : '';
    button.setAttribute('aria-disabled', String(isBusy));
  }
}

type Answer<Data> = { data: Data } | { fault: GuestFault };

async function post<Data>(path: string, body: object, headers: Record<string, string> = {}): Promise<Answer<Data>> {
  const request = {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
    cache: 'no-store',
    signal: limitedSignal(ANSWER_MS),
  } as const;
  // Only these two tell of the network: anything else that fails here is a fault of the page, and is said as one.
  const response = await fetch(path, request).catch(() => null);
  const text = (await response?.text().catch(() => null)) ?? null;
  if (response === null || text === null) return { fault: 'no_network' };
  const answer = jsonIn(text) as { data?: Data; errors?: { code: number; field?: string }[] } | null | undefined;
  if (response.ok && answer?.data) return { data: answer.data };
  return { fault: faultOfAnswer(response.status, answer?.errors?.[0]) };
}

/** Returns the token. It is in the fragment of the URL, and is sent only in request bodies. */
const token = (): string => tokenIn(location.hash.slice(1));

async function look(): Promise<void> {
  clearTimeout(timer);
  const isFirst = facts.page === null;
  const answer = await post<GuestPage>(location.pathname, { token: token() || '-', ...(isFirst ? { language } : {}) });
  if ('data' in answer) {
    const { last } = answer.data;
    facts.page = answer.data;
    if (last?.status === 'pending') facts.watched = last.event_id;
    if (isFirst || facts.fault === 'no_network' || facts.fault === 'service') facts.fault = null;
  } else {
    facts.fault = answer.fault;
  }
  show();
  if (facts.fault === 'link' || facts.page?.window.phase === 'after' || document.hidden) return;
  timer = setTimeout(() => void look(), facts.page?.last?.status === 'pending' ? MOVING_MS : RESTING_MS);
}

async function press(operation: ProductOperation): Promise<void> {
  if (decideGuestView(facts, words, timeOf).isBusy) return;
  facts.asking = operation;
  facts.fault = null;
  facts.watched = null;
  show();
  navigator.vibrate?.(30);
  const before = facts.page?.last?.event_id;
  const { answer, wasLost } = await ask(operation);
  if ('data' in answer || wasLost) await look();
  facts.asking = null;
  // A fast product may have completed its movement already. A request whose answer was lost may have arrived nevertheless.
  const last = facts.page?.last;
  if (last && last.event_id !== before && ('data' in answer || last.operation === operation)) {
    facts.watched = last.event_id;
  } else if ('fault' in answer && facts.fault !== 'link') {
    facts.fault = answer.fault;
  }
  show();
}

/** Requests an operation. `wasLost`: the answer to a try was lost, so the outcome is not known. */
async function ask(operation: ProductOperation): Promise<{ answer: Answer<unknown>; wasLost: boolean }> {
  const key = newKey();
  for (let attempt = 1; ; attempt++) {
    const path = `/v2/weblinks/${id}/operation`;
    const answer = await post(path, { token: token(), operation }, { 'Idempotency-Key': key });
    const isLost = 'fault' in answer && (answer.fault === 'no_network' || answer.fault === 'service');
    if (!isLost || attempt === TRIES) return { answer, wasLost: isLost || attempt > 1 };
    await new Promise((resolve) => setTimeout(resolve, MOVING_MS));
  }
}

/** `randomUUID` is missing when the page was loaded without TLS. */
const newKey = (): string =>
  [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, '0')).join('');

/** A fault of this page is said as one, and ends what the guest waits for. */
function sayOwnFault(): void {
  facts.asking = null;
  facts.fault = 'page';
  const { what, todo } = words.faults.page;
  try {
    show();
  } finally {
    setText('what', what);
    setText('todo', todo);
  }
}

addEventListener('error', sayOwnFault);
addEventListener('unhandledrejection', sayOwnFault);
document.documentElement.lang = language;
element('old').remove();
element('again').addEventListener('click', () => {
  facts.fault = null;
  show();
  void look();
});
document.addEventListener('visibilitychange', () => {
  if (!document.hidden) void look();
});
// Browsers of that time know no `addEventListener` here.
isDark.addListener(show);
addEventListener('hashchange', () => location.reload());
show();
void look();
