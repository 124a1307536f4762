/**
 * Tells by notices and sounds of what begins while nobody looks. Each tab knows what is there; one of them, which holds a lock of the
 * browser, tells of it. A tab that is in front says so to the others by the browser's storage.
 */
import { effect, signal } from '@preact/signals';
import {
  type Alert,
  type AlertSettings,
  freshOf,
  frontFrom,
  isInSight,
  isWanted,
  settingsFrom,
} from '../wording/browser-alerts.js';
import { alertsNow, loadPlateAlerts } from './alert-facts.js';
import { playSound } from './alert-sound.js';
import { kept } from './browser.js';
import { onEvent } from './event-listeners.js';
import { goTo, place } from './place.js';
import { loadHandled } from './reading-store.js';
import { serverNow } from './server-clock.js';
import { signedIn } from './session.js';
import { loadSightings } from './sighting-store.js';
import { isLoaded } from './store.js';
import { watched } from './trouble-store.js';

export const ALERTS_NAME = 'alerts';
const FRONT_NAME = 'alerts-front';
const LOCK_NAME = 'parking-alerts';
/** Timers of a tab in the background run slowly; events come at once. */
const LOOK_EVERY_MS = 1_000;
const FRONT_EVERY_MS = 5_000;
const READ_EVERY_MS = 10_000;
const PLATES_EVERY_MS = 60_000;

/** What is told, as the browser keeps it. */
export const settings = signal<AlertSettings>(settingsFrom(kept.read(ALERTS_NAME)));
/** Whether the browser took no notice that it was allowed to show. */
export const hasNoNotices = signal(false);

export function changeSettings(changed: Partial<AlertSettings>): void {
  settings.value = { ...settings.value, ...changed };
  kept.write(ALERTS_NAME, settings.value);
}

addEventListener('storage', ({ key }) => {
  if (key === `parking.${ALERTS_NAME}`) settings.value = settingsFrom(kept.read(ALERTS_NAME));
});

/** Shows a notice. @returns whether the browser took it */
function showNotice({ key, title, text, path }: Alert): boolean {
  if (!('Notification' in globalThis) || Notification.permission !== 'granted') return false;
  try {
    const notice = new Notification(title, { body: text, tag: key });
    notice.addEventListener('click', () => {
      focus();
      goTo(path);
      notice.close();
    });
    return true;
  } catch {
    // Browsers of phones take notices of service workers alone.
    return false;
  }
}

/** Makes known what there is, in the ways that the person chose. */
export function announce(alerts: readonly Alert[]): void {
  const { hasNotice, hasSound } = settings.value;
  if (hasNotice) hasNoNotices.value = alerts.map(showNotice).includes(false);
  const [first] = alerts;
  // One sound for all that came at once: the emergency's, if there is one.
  if (hasSound && first !== undefined) void playSound(first.kind);
}

/** Says where this tab is, while it is in front; what it said is gone when it is not. */
let isFront = false;
function sayFront(): void {
  const at = place.value;
  if (!document.hidden && document.hasFocus() && at !== null) {
    isFront = true;
    kept.write(FRONT_NAME, { view: at.view, lotId: at.view === 'lot' ? at.id : null, at: Date.now() });
  } else if (isFront) {
    isFront = false;
    kept.forget(FRONT_NAME);
  }
}

/** Begins to look. @returns what ends it */
function begin(): () => void {
  const since = serverNow();
  const seen = new Map<string, number>();
  const ended = new AbortController();
  let isSpeaker = false;
  let isFirst = true;
  let lookedAt = 0;
  const look = () => {
    if (watched.value === null || Date.now() - lookedAt < LOOK_EVERY_MS) return;
    lookedAt = Date.now();
    const fresh = freshOf(seen, alertsNow(since), lookedAt);
    // What was there before is no news.
    if (isFirst || !isSpeaker) {
      isFirst = false;
      return;
    }
    const front = frontFrom(kept.read(FRONT_NAME));
    const news = fresh.filter((alert) => isWanted(alert, settings.value) && !isInSight(alert, front, lookedAt));
    if (news.length > 0) announce(news);
  };
  const speak = () => {
    isSpeaker = true;
    return new Promise<void>((resolve) => ended.signal.addEventListener('abort', () => resolve()));
  };
  // Without locks, at an address that is not secure, each tab tells.
  if (navigator.locks === undefined) isSpeaker = true;
  else navigator.locks.request(LOCK_NAME, { signal: ended.signal }, speak).catch(() => undefined);
  void loadPlateAlerts().catch(() => undefined);
  const timers = [
    setInterval(look, LOOK_EVERY_MS),
    setInterval(sayFront, FRONT_EVERY_MS),
    setInterval(() => {
      if (!isSpeaker) return;
      void loadSightings();
      void loadHandled();
    }, READ_EVERY_MS),
    setInterval(() => void loadPlateAlerts().catch(() => undefined), PLATES_EVERY_MS),
  ];
  const stopEvents = onEvent(() => queueMicrotask(look));
  const { signal: until } = ended;
  for (const name of ['focus', 'blur', 'pagehide']) addEventListener(name, sayFront, { signal: until });
  document.addEventListener('visibilitychange', sayFront, { signal: until });
  const stopPlace = effect(sayFront);
  return () => {
    ended.abort();
    for (const timer of timers) clearInterval(timer);
    stopEvents();
    stopPlace();
  };
}

/** While somebody who wants it is signed in. */
effect(() => {
  const isAsked = settings.value.hasNotice || settings.value.hasSound;
  if (!isAsked || !isLoaded.value || signedIn.value === null) return undefined;
  return begin();
});
